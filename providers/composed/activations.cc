#include "composed/kernels.h"
#include "composed/program.h"

namespace ki::providers::composed {

namespace {

using Type = dnnl::memory::data_type;

constexpr auto kSilu = dnnl::algorithm::eltwise_swish;  // with its parameter 1
constexpr auto kGelu = dnnl::algorithm::eltwise_gelu_tanh;

void require_equal(const Place& a, const Place& b) {
  if (a.description() == b.description()) return;
  throw Unsupported("oneDNN's activations need one layout for what they read and write");
}

// Behind an activation, in the same pass over its values.
Program::After times(const Place& factor) {
  Program::After out;
  out.operations.append_binary(dnnl::algorithm::binary_mul, factor.description());
  out.operands = {{0, factor}};
  return out;
}

// y = act(gate) * up in one pass over both.
template <dnnl::algorithm kActivation>
std::unique_ptr<Work> glu(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const Place gate = program->input(0);
  const Place up = program->input(1);
  require_equal(gate, program->output(0));
  program->activate(kActivation, gate, program->output(0), times(up));
  return program;
}

// dy gate up -> dgate = act'(gate) dy up, dup = act(gate) dy
template <dnnl::algorithm kActivation>
std::unique_ptr<Work> glu_back(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const Place dy = program->input(0);
  const Place gate = program->input(1);
  const Place dgate = program->output(0);
  const Place dup = program->output(1);
  for (const Place& other : {dy, dgate, dup}) require_equal(gate, other);
  // The product goes to dup first, which is written last.
  program->multiply_each(dy, program->input(2), dup);
  program->activate_back(kActivation, gate, dup, dgate);
  program->activate(kActivation, gate, dup, times(dy));
  return program;
}

// x w_gate w_up w_down -> y. The activation and the product with `up` ride on the product for gate.
std::unique_ptr<Work> mlp(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const Place x = program->input(0);
  const std::int64_t inner = axis_of(one, "intermediate");
  const Place up = program->scratch(x.rows(), inner, x.type());
  const Place active = program->scratch(x.rows(), inner, x.type());
  program->multiply(x, program->input(2).transposed(), up);
  Program::After gated;
  gated.operations.append_eltwise(1.0F, kGelu, 0.0F, 0.0F);
  gated.operations.append_binary(dnnl::algorithm::binary_mul, up.description());
  gated.operands = {{1, up}};
  program->multiply(x, program->input(1).transposed(), active, false, gated);
  program->multiply(active, program->input(3).transposed(), program->output(0));
  return program;
}

// dy x w_gate w_up w_down -> dx dw_gate dw_up dw_down
std::unique_ptr<Work> mlp_back(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const Place dy = program->input(0);
  const Place x = program->input(1);
  const Place w_gate = program->input(2);
  const Place w_up = program->input(3);
  const std::int64_t inner = axis_of(one, "intermediate");
  const auto tile = [&] { return program->scratch(x.rows(), inner, x.type()); };
  const Place gate = tile();
  const Place up = tile();
  const Place active = tile();
  const Place given = tile();
  const Place slope = tile();
  program->multiply(x, w_gate.transposed(), gate);
  program->multiply(x, w_up.transposed(), up);
  program->multiply(dy, program->input(4), given);
  program->multiply_each(given, up, slope);
  program->activate(kGelu, gate, active, times(up));
  program->multiply(dy.transposed(), active, program->output(3));
  const Place dup = active;  // no longer needed
  program->activate(kGelu, gate, dup, times(given));
  const Place dgate = up;  // likewise
  program->activate_back(kGelu, gate, slope, dgate);
  program->multiply(dgate, w_gate, program->output(0));
  program->multiply(dup, w_up, program->output(0), true);
  program->multiply(dgate.transposed(), x, program->output(1));
  program->multiply(dup.transposed(), x, program->output(2));
  return program;
}

}  // namespace

void add_activations(std::vector<ki_kernel>& kernels) {
  const char* const both = "fp32 bf16";
  kernels.push_back(kernel_of<glu<kSilu>>({kProvider, "onednn", "swiglu", "forward", both}));
  kernels.push_back(kernel_of<glu_back<kSilu>>({kProvider, "onednn", "swiglu", "backward", both}));
  kernels.push_back(kernel_of<glu<kGelu>>({kProvider, "onednn", "geglu", "forward", both}));
  kernels.push_back(kernel_of<glu_back<kGelu>>({kProvider, "onednn", "geglu", "backward", both}));
  kernels.push_back(kernel_of<mlp>({kProvider, "onednn", "geglu-mlp", "forward", both}));
  kernels.push_back(kernel_of<mlp_back>({kProvider, "onednn", "geglu-mlp", "backward", both}));
}

}  // namespace ki::providers::composed
