#include "composed/kernels.h"
#include "composed/program.h"

namespace ki::providers::composed {

namespace {

using dnnl::memory;
using Type = memory::data_type;

std::unique_ptr<Work> softmax(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  program->softmax(program->input(0), program->output(0));
  return program;
}

std::unique_ptr<Work> softmax_back(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const Place dy = program->input(0);
  const Place y = program->input(1);
  const Place dx = program->output(0);
  const dnnl::softmax_v2_forward::primitive_desc hint(
      dnnl::softmax_v2_forward::desc(dnnl::prop_kind::forward_training,
                                     dnnl::algorithm::softmax_accurate, y.description(),
                                     y.description(), 1),
      engine());
  const dnnl::softmax_v2_backward::primitive_desc made(
      dnnl::softmax_v2_backward::desc(dnnl::algorithm::softmax_accurate, dx.description(),
                                      dy.description(), y.description(), 1),
      Program::attributes(), engine(), hint);
  program->add(dnnl::softmax_v2_backward(made), made.scratchpad_desc(),
               {{DNNL_ARG_DST, {y, y.description()}},
                {DNNL_ARG_DIFF_DST, {dy, dy.description()}},
                {DNNL_ARG_DIFF_SRC, {dx, dx.description()}}});
  return program;
}

const auto kAffine = dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

// oneDNN keeps scale and shift in fp32: others are converted inside the call.
Place in_fp32(Program& program, const Place& from) {
  if (from.type() == Type::f32) return from;
  const Place to = program.scratch(1, from.columns(), Type::f32);
  program.convert(from, to);
  return to;
}

// This version reads and writes rows as if none had padding behind it.
void require_dense(const ki_kernel_tensor& tensor) {
  const Rows rows = rows_of(tensor);
  if (rows.stride == rows.width || rows.count == 1) return;
  throw Unsupported("oneDNN 2.6 normalises rows without padding alone");
}

std::unique_ptr<Work> layer_norm(const ki_kernel_case& one) {
  auto program = std::make_unique<Program>(one);
  const Place x = program->input(0);
  const Place y = program->output(0);
  require_dense(one.inputs[0]);
  require_dense(one.outputs[0]);
  const Place weight = in_fp32(*program, program->input(1));
  const Place bias = in_fp32(*program, program->input(2));
  const dnnl::layer_normalization_forward::primitive_desc made(
      dnnl::layer_normalization_forward::desc(dnnl::prop_kind::forward_inference, x.description(),
                                              static_cast<float>(scalar_of(one, "eps")), kAffine),
      Program::attributes(), engine());
  program->add(dnnl::layer_normalization_forward(made), made.scratchpad_desc(),
               {{DNNL_ARG_SRC, {x, x.description()}},
                {DNNL_ARG_SCALE, {weight, weight.vector()}},
                {DNNL_ARG_SHIFT, {bias, bias.vector()}},
                {DNNL_ARG_DST, {y, y.description()}}});
  return program;
}

}  // namespace

void add_rows(std::vector<ki_kernel>& kernels) {
  const char* const both = "fp32 bf16";
  kernels.push_back(kernel_of<softmax>({kProvider, "onednn", "softmax", "forward", both}));
  kernels.push_back(kernel_of<softmax_back>({kProvider, "onednn", "softmax", "backward", both}));
  kernels.push_back(kernel_of<layer_norm>({kProvider, "onednn", "layer-norm", "forward", both}));
}

}  // namespace ki::providers::composed
