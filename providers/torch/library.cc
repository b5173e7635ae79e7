// libki_kernels_torch.so: eager PyTorch on this machine's libtorch. The forward pass, and the full
// one by autograd. A backward pass alone would need the graph of a forward pass on the same
// addresses, which change with every call, so there is none.
#include <deque>

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/version.h>

#include "common/kernel.h"
#include "torch/memory.h"
#include "torch/operations.h"

namespace ki::providers::eager {

namespace {

at::ScalarType type_of(ki_kernel_dtype dtype) {
  switch (dtype) {
    case KI_KERNEL_FP32:
      return at::kFloat;
    case KI_KERNEL_FP64:
      return at::kDouble;
    case KI_KERNEL_BF16:
      return at::kBFloat16;
    case KI_KERNEL_FP16:
      return at::kHalf;
    case KI_KERNEL_INT8:
      return at::kChar;
    case KI_KERNEL_INT32:
      return at::kInt;
    case KI_KERNEL_INT64:
      return at::kLong;
  }
  throw Unsupported("no such type");
}

struct Shape {
  explicit Shape(const ki_kernel_tensor& tensor)
      : name(tensor.name),
        sizes(tensor.shape, tensor.shape + tensor.rank),
        strides(tensor.strides, tensor.strides + tensor.rank),
        type(type_of(tensor.dtype)) {}
  at::Tensor at(const void* data) const {
    return at::from_blob(const_cast<void*>(data), sizes, strides, at::TensorOptions().dtype(type));
  }
  std::string name;
  std::vector<std::int64_t> sizes, strides;
  at::ScalarType type;
};

// OpenBLAS under libtorch has threads of its own.
void set_threads(int threads) {
  at::set_num_threads(threads);
  using Set = void (*)(int);
  static const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(threads);
}

class Eager : public Work {
 public:
  Eager(const ki_kernel_case& one, const Operation& operation, Memory memory)
      : operation_(operation), memory_(memory), is_full_(!is_forward(one)), case_(one) {
    for (std::uint32_t i = 0; i < one.inputs_count; ++i) inputs_.emplace_back(one.inputs[i]);
    for (std::uint32_t i = 0; i < one.outputs_count; ++i) outputs_.emplace_back(one.outputs[i]);
    for (std::uint32_t i = 0; i < one.axes_count; ++i) {
      axes_.push_back({kept(one.axes[i].name), one.axes[i].value});
    }
    for (std::uint32_t i = 0; i < one.scalars_count; ++i) {
      scalars_.push_back({kept(one.scalars[i].name), one.scalars[i].value});
    }
    case_.axes = axes_.data();
    case_.scalars = scalars_.data();
  }

  void run(const ki_kernel_launch& call) override {
    const Using memory(memory_);
    set_threads(static_cast<int>(case_.threads));
    if (is_full_) {
      run_full(call);
    } else {
      const c10::InferenceMode no_graph;
      const auto lasts = operation_.forward(case_, tensors_of(inputs_, call.inputs));
      for (std::size_t i = 0; i < lasts.size(); ++i) {
        at::Tensor out = outputs_[i].at(call.outputs[i]);
        lasts[i].into(out);
      }
    }
  }

 private:
  const char* kept(const char* name) { return names_.emplace_back(name).c_str(); }

  static Tensors tensors_of(const std::vector<Shape>& shapes, const void* const* data) {
    Tensors all;
    for (std::size_t i = 0; i < shapes.size(); ++i) all.push_back(shapes[i].at(data[i]));
    return all;
  }

  // "dx" among the outputs asks for the gradient of the input "x", "dy" among the inputs is that of
  // the output "y".
  void run_full(const ki_kernel_launch& call) const {
    Tensors in = tensors_of(inputs_, call.inputs);
    Tensors wanted;
    std::vector<std::size_t> wanted_at;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      for (std::size_t j = 0; j < inputs_.size(); ++j) {
        if (outputs_[i].name != "d" + inputs_[j].name) continue;
        wanted.push_back(in[j].requires_grad_());
        wanted_at.push_back(i);
      }
    }
    Tensors made, given;
    const auto lasts = operation_.forward(case_, in);
    for (std::size_t i = 0; i < lasts.size(); ++i) {
      const at::Tensor value = lasts[i].anew();
      outputs_[i].at(call.outputs[i]).copy_(value.detach());
      for (std::size_t j = 0; j < inputs_.size(); ++j) {
        if (inputs_[j].name != "d" + outputs_[i].name) continue;
        made.push_back(value);
        given.push_back(in[j]);
      }
    }
    const Tensors gradients = torch::autograd::grad(made, wanted, given);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      outputs_[wanted_at[i]].at(call.outputs[wanted_at[i]]).copy_(gradients[i]);
    }
  }

  const Operation& operation_;
  Memory memory_;
  bool is_full_;
  ki_kernel_case case_;
  std::vector<Shape> inputs_, outputs_;
  std::deque<std::string> names_;
  std::vector<ki_kernel_axis> axes_;
  std::vector<ki_kernel_scalar> scalars_;
};

constexpr std::int64_t kSmallProduct = 4096;

void require_exact(const ki_kernel_case& one, const Operation& operation) {
  if (one.dtype != KI_KERNEL_BF16 || operation.product.empty()) return;
  std::int64_t size = 1;
  for (const char* axis : operation.product) size *= axis_of(one, axis);
  if (size > kSmallProduct) return;
  throw Unsupported("libtorch sums products of bf16 as small as this one in bf16");
}

template <Memory kMemory>
std::unique_ptr<Work> plan(const ki_kernel_case& one) {
  for (const Operation& operation : operations()) {
    if (std::string_view(operation.slug) == one.operation) {
      require_exact(one, operation);
      return std::make_unique<Eager>(one, operation, kMemory);
    }
  }
  throw Unsupported("no such operation");
}

}  // namespace

}  // namespace ki::providers::eager

extern "C" KI_KERNEL_EXPORT const ki_kernel_library* ki_kernel_library_v1(std::uint32_t host) {
  using namespace ki::providers;
  using eager::Memory;
  static const Described library("eager PyTorch", "libtorch " TORCH_VERSION, [] {
    std::vector<ki_kernel> kernels;
    for (const auto& one : eager::operations()) {
      for (const auto& [pass, dtypes] :
           {std::pair("forward", one.dtypes), std::pair("full", one.full_dtypes)}) {
        if (*dtypes == '\0') continue;
        kernels.push_back(
            kernel_of<eager::plan<Memory::stock>>({"torch", "stock", one.slug, pass, dtypes}));
        kernels.push_back(
            kernel_of<eager::plan<Memory::tuned>>({"torch", "tuned", one.slug, pass, dtypes}));
      }
    }
    return kernels;
  }());
  return library.get(host);
}
