// Between Bound and the structs of ki_kernel.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ki_kernel.h"
#include "kernels/operation.h"

namespace ki::kernels {

// A bound case in the form of the C interface; lives no longer than the Bound.
class CaseView {
 public:
  CaseView(const Bound& bound, unsigned threads);
  CaseView(const CaseView&) = delete;
  CaseView& operator=(const CaseView&) = delete;
  const ki_kernel_case& get() const { return case_; }

 private:
  std::vector<ki_kernel_axis> axes_;
  std::vector<ki_kernel_scalar> scalars_;
  std::vector<ki_kernel_tensor> inputs_, outputs_;
  ki_kernel_case case_{};
};

// The way back, for kernels of ours. False when there is no such operation or pass.
bool bound_of(const ki_kernel_case& one, Bound& bound);

// Writes a reason as ki_kernel.h asks for it: cut to the size, ended with NUL.
void say(char* message, std::size_t message_size, std::string_view text);

}  // namespace ki::kernels
