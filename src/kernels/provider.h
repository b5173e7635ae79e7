// Kernels as the host sees them: found, asked, planned, called. Everything goes through
// ki_kernel.h, whether it is compiled in or comes from a library.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ki_kernel.h"
#include "kernels/operation.h"

namespace ki::kernels {

// A loaded shared library, closed with the last copy. Loading runs the library's own code: only a
// process that may be lost does it.
struct Library {
  std::string path, name, version;
  std::vector<const ki_kernel*> kernels;
  std::shared_ptr<void> handle;
};

// False and why: not there, not for this ABI, or a description that does not keep the header's
// rules.
bool load_library(const std::string& path, Library& library, std::string& problem);

// Providers of ours behind shared objects. Their files lie beside the program.
struct Companion {
  std::string_view provider;  // "composed"
  std::string_view file;      // "libki_kernels_composed.so"
  std::string_view needs;     // what has to be installed where it is built
};
const std::vector<Companion>& companions();

// What is said of a kernel and a case before anything is timed. "Not on this machine" and "not this
// case" are results with a reason, never an absence.
struct Answer {
  ki_kernel_status status = KI_KERNEL_OK;
  std::string reason;  // "" when OK
  bool ok() const { return status == KI_KERNEL_OK; }
};

// Whether the kernel says it is for this operation, pass and dtype; no code of it runs.
bool serves(const ki_kernel& kernel, const Bound& bound);

// Whether the kernel's stated constraints hold for the case; no code of it runs.
Answer check_constraints(const ki_kernel& kernel, const Bound& bound);

// A planned case. Movable; releases the kernel's state at its end.
class Plan {
 public:
  Plan() = default;
  Plan(Plan&& other) noexcept { *this = std::move(other); }
  Plan& operator=(Plan&& other) noexcept;
  ~Plan();

  std::uint64_t workspace_bytes() const { return plan_.workspace_bytes; }
  // One call; addresses in the order of the bound's tensors. Nothing but the kernel runs here.
  ki_kernel_status launch(const ki_kernel_launch& call) const {
    return kernel_->launch(plan_.state, &call);
  }

 private:
  friend Answer prepare(const ki_kernel& kernel, const Bound& bound, unsigned threads, Plan& plan);
  const ki_kernel* kernel_ = nullptr;
  ki_kernel_plan plan_{};
};

// Asks availability and constraints, then plans.
Answer prepare(const ki_kernel& kernel, const Bound& bound, unsigned threads, Plan& plan);

}  // namespace ki::kernels
