#include "composed/program.h"

#include <algorithm>

#include <omp.h>

namespace ki::providers::composed {

namespace {

using dnnl::memory;

constexpr std::uint64_t kAlignment = 64;

std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

memory::data_type type_of(ki_kernel_dtype dtype) {
  switch (dtype) {
    case KI_KERNEL_FP32:
      return memory::data_type::f32;
    case KI_KERNEL_BF16:
      return memory::data_type::bf16;
    case KI_KERNEL_INT8:
      return memory::data_type::s8;
    case KI_KERNEL_INT32:
      return memory::data_type::s32;
    case KI_KERNEL_FP16:
    case KI_KERNEL_FP64:
    case KI_KERNEL_INT64:
      break;
  }
  throw Unsupported("oneDNN computes in no such type here");
}

}  // namespace

dnnl::engine& engine() {
  static dnnl::engine one(dnnl::engine::kind::cpu, 0);
  return one;
}

Place Place::transposed() const {
  Place other = *this;
  std::swap(other.rows_, other.columns_);
  std::swap(other.row_stride_, other.column_stride_);
  return other;
}

memory::desc Place::description() const {
  return {{rows_, columns_}, type_, {row_stride_, column_stride_}};
}

memory::desc Place::vector() const { return {{columns_}, type_, {1}}; }

Program::Program(const ki_kernel_case& one)
    : stream_(engine()), threads_(static_cast<int>(one.threads)) {
  omp_set_num_threads(threads_);  // primitives are made for as many as they run on
  for (std::uint32_t i = 0; i < one.inputs_count; ++i) {
    inputs_.push_back(tensor(one.inputs[i], Place::From::input, i));
  }
  for (std::uint32_t i = 0; i < one.outputs_count; ++i) {
    outputs_.push_back(tensor(one.outputs[i], Place::From::output, i));
  }
}

memory::desc Place::batched(std::int64_t batch, Turn turn) const {
  const std::int64_t rows = rows_ / batch;
  const memory::dims strides = {rows * row_stride_, row_stride_, column_stride_};
  if (turn == Turn::none) return {{batch, rows, columns_}, type_, strides};
  return {{batch, columns_, rows}, type_, {strides[0], strides[2], strides[1]}};
}

Place Program::tensor(const ki_kernel_tensor& tensor, Place::From from, std::size_t index) const {
  const Rows rows = rows_of(tensor);
  Place place;
  place.from_ = from;
  place.index_ = index;
  place.rows_ = rows.count;
  place.columns_ = rows.width;
  place.row_stride_ = rows.stride;
  // What no primitive is given may be of any type.
  place.type_ = tensor.dtype == KI_KERNEL_INT64 ? memory::data_type::undef : type_of(tensor.dtype);
  return place;
}

Place Program::input(std::size_t index) const { return inputs_.at(index); }
Place Program::output(std::size_t index) const { return outputs_.at(index); }

Place Program::scratch(std::int64_t rows, std::int64_t columns, Type type) {
  Place place;
  place.from_ = Place::From::scratch;
  place.index_ = scratch_bytes_;
  place.rows_ = rows;
  place.columns_ = columns;
  place.row_stride_ = columns;
  place.type_ = type;
  scratch_bytes_ += aligned(memory::desc({rows, columns}, type, {columns, 1}).get_size());
  return place;
}

dnnl::primitive_attr Program::attributes(const dnnl::post_ops& operations) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(operations);
  return attributes;
}

memory Program::bind(const Place& place, const memory::desc& description) {
  memory one(description, engine(), DNNL_MEMORY_NONE);
  bound_.push_back({one, place});
  return one;
}

void Program::add(const dnnl::primitive& primitive, const memory::desc& scratchpad,
                  const std::vector<Argument>& arguments) {
  Step step;
  step.primitive = primitive;
  for (const auto& [which, argument] : arguments) {
    step.arguments.emplace(which, bind(argument.first, argument.second));
  }
  if (scratchpad.get_size() > 0) {
    memory one(scratchpad, engine(), DNNL_MEMORY_NONE);
    scratchpads_.push_back(one);
    scratchpad_bytes_ = std::max<std::uint64_t>(scratchpad_bytes_, aligned(scratchpad.get_size()));
    step.arguments.emplace(DNNL_ARG_SCRATCHPAD, one);
  }
  steps_.push_back(std::move(step));
}

namespace {

std::vector<Program::Argument> operands_of(const Program::After& after) {
  std::vector<Program::Argument> arguments;
  for (const auto& [index, place] : after.operands) {
    arguments.push_back(
        {DNNL_ARG_ATTR_MULTIPLE_POST_OP(index) | DNNL_ARG_SRC_1, {place, place.description()}});
  }
  return arguments;
}

}  // namespace

void Program::multiply(const Place& a, const Place& b, const Place& c, bool is_added,
                       const After& after) {
  dnnl::post_ops operations = after.operations;
  if (is_added) operations.append_sum(1.0F);
  const dnnl::matmul::primitive_desc made(
      dnnl::matmul::desc(a.description(), b.description(), c.description()), attributes(operations),
      engine());
  std::vector<Argument> arguments = operands_of(after);
  arguments.push_back({DNNL_ARG_SRC, {a, a.description()}});
  arguments.push_back({DNNL_ARG_WEIGHTS, {b, b.description()}});
  arguments.push_back({DNNL_ARG_DST, {c, c.description()}});
  add(dnnl::matmul(made), made.scratchpad_desc(), arguments);
}

void Program::multiply_batch(const Described& a, const Described& b, const Described& c,
                             float scale) {
  dnnl::primitive_attr scaled = attributes();
  if (scale != 1) scaled.set_output_scales(0, {scale});
  const dnnl::matmul::primitive_desc made(dnnl::matmul::desc(a.second, b.second, c.second), scaled,
                                          engine());
  add(dnnl::matmul(made), made.scratchpad_desc(),
      {{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
}

void Program::softmax(const Place& from, const Place& to) {
  const dnnl::softmax_v2_forward::primitive_desc made(
      dnnl::softmax_v2_forward::desc(dnnl::prop_kind::forward_inference,
                                     dnnl::algorithm::softmax_accurate, from.description(),
                                     to.description(), 1),
      attributes(), engine());
  add(dnnl::softmax_v2_forward(made), made.scratchpad_desc(),
      {{DNNL_ARG_SRC, {from, from.description()}}, {DNNL_ARG_DST, {to, to.description()}}});
}

void Program::activate(dnnl::algorithm activation, const Place& from, const Place& to,
                       const After& after) {
  const dnnl::eltwise_forward::primitive_desc made(
      dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_inference, activation,
                                  from.description(), 1.0F),
      attributes(after.operations), engine());
  std::vector<Argument> arguments = operands_of(after);
  arguments.push_back({DNNL_ARG_SRC, {from, from.description()}});
  arguments.push_back({DNNL_ARG_DST, {to, from.description()}});
  add(dnnl::eltwise_forward(made), made.scratchpad_desc(), arguments);
}

void Program::activate_back(dnnl::algorithm activation, const Place& from, const Place& given,
                            const Place& to) {
  const auto description = from.description();
  const dnnl::eltwise_forward::primitive_desc hint(
      dnnl::eltwise_forward::desc(dnnl::prop_kind::forward_training, activation, description, 1.0F),
      engine());
  const dnnl::eltwise_backward::primitive_desc made(
      dnnl::eltwise_backward::desc(activation, description, description, 1.0F), attributes(),
      engine(), hint);
  add(dnnl::eltwise_backward(made), made.scratchpad_desc(),
      {{DNNL_ARG_SRC, {from, description}},
       {DNNL_ARG_DIFF_DST, {given, description}},
       {DNNL_ARG_DIFF_SRC, {to, description}}});
}

void Program::multiply_each(const Place& a, const Place& b, const Place& to) {
  const dnnl::binary::primitive_desc made(
      dnnl::binary::desc(dnnl::algorithm::binary_mul, a.description(), b.description(),
                         to.description()),
      attributes(), engine());
  add(dnnl::binary(made), made.scratchpad_desc(),
      {{DNNL_ARG_SRC_0, {a, a.description()}},
       {DNNL_ARG_SRC_1, {b, b.description()}},
       {DNNL_ARG_DST, {to, to.description()}}});
}

void Program::convert(const Place& from, const Place& to) {
  const dnnl::reorder::primitive_desc made(engine(), from.description(), engine(), to.description(),
                                           attributes());
  add(dnnl::reorder(made), made.scratchpad_desc(),
      {{DNNL_ARG_FROM, {from, from.description()}}, {DNNL_ARG_TO, {to, to.description()}}});
}

void Program::run(const ki_kernel_launch& call) {
  omp_set_num_threads(threads_);
  auto* workspace = static_cast<unsigned char*>(call.workspace);
  for (Bound& one : bound_) {
    void* data = nullptr;
    switch (one.place.from_) {
      case Place::From::input:
        data = const_cast<void*>(call.inputs[one.place.index_]);  // primitives only read it
        break;
      case Place::From::output:
        data = call.outputs[one.place.index_];
        break;
      case Place::From::scratch:
        data = workspace + one.place.index_;
        break;
    }
    one.memory.set_data_handle(data);
  }
  for (memory& one : scratchpads_) one.set_data_handle(workspace + scratch_bytes_);
  for (const Step& step : steps_) step.primitive.execute(stream_, step.arguments);
  stream_.wait();
}

}  // namespace ki::providers::composed
