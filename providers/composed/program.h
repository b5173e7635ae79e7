// A sequence of oneDNN primitives over the tensors of a case: built once, then run on any
// addresses. Its scratch memory, also that of the primitives, is the workspace, so that a run
// allocates nothing of size.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "common/kernel.h"

namespace ki::providers::composed {

dnnl::engine& engine();

// A matrix somewhere in the call: rows by columns at any two strides, in elements.
class Place {
 public:
  Place transposed() const;
  dnnl::memory::desc description() const;
  // The same numbers as one row, for a vector that a primitive takes as such.
  dnnl::memory::desc vector() const;
  // As a batch of that many matrices below each other, each turned round where asked for.
  enum class Turn { none, transposed };
  dnnl::memory::desc batched(std::int64_t batch, Turn turn = Turn::none) const;
  dnnl::memory::data_type type() const { return type_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }

 private:
  friend class Program;
  enum class From { input, output, scratch };
  From from_ = From::input;
  std::size_t index_ = 0;  // of the tensor, or bytes from the beginning of the workspace
  std::int64_t rows_ = 0, columns_ = 0, row_stride_ = 0, column_stride_ = 1;
  dnnl::memory::data_type type_ = dnnl::memory::data_type::f32;
};

class Program : public Work {
 public:
  using Type = dnnl::memory::data_type;

  explicit Program(const ki_kernel_case& one);

  // Tensors of the case, by their order; a tensor of one axis is a row.
  Place input(std::size_t index) const;
  Place output(std::size_t index) const;
  Place scratch(std::int64_t rows, std::int64_t columns, Type type);

  // c = a b, or c += a b; then what `after` names (post-operations with their second operand).
  struct After {
    dnnl::post_ops operations;
    std::vector<std::pair<int, Place>> operands;  // index of the operation, what it takes
  };
  void multiply(const Place& a, const Place& b, const Place& c, bool is_added = false,
                const After& after = {});
  // The same of each of a batch, with every product times `scale`.
  using Described = std::pair<Place, dnnl::memory::desc>;
  void multiply_batch(const Described& a, const Described& b, const Described& c, float scale = 1);
  // Every row of `to` becomes the softmax of that of `from`.
  void softmax(const Place& from, const Place& to);
  // to = activation(from), then `after`.
  void activate(dnnl::algorithm activation, const Place& from, const Place& to,
                const After& after = {});
  // to = given * activation'(from)
  void activate_back(dnnl::algorithm activation, const Place& from, const Place& given,
                     const Place& to);
  void multiply_each(const Place& a, const Place& b, const Place& to);
  void convert(const Place& from, const Place& to);
  // Any other primitive, by the arguments that oneDNN names.
  using Argument = std::pair<int, std::pair<Place, dnnl::memory::desc>>;
  void add(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
           const std::vector<Argument>& arguments);
  // What primitives are made with: their scratch memory is the caller's.
  static dnnl::primitive_attr attributes(const dnnl::post_ops& operations = {});

  void run(const ki_kernel_launch& call) override;
  std::uint64_t workspace_bytes() const override { return scratch_bytes_ + scratchpad_bytes_; }

 private:
  struct Bound {
    dnnl::memory memory;
    Place place;
  };
  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, dnnl::memory> arguments;
  };
  Place tensor(const ki_kernel_tensor& tensor, Place::From from, std::size_t index) const;
  dnnl::memory bind(const Place& place, const dnnl::memory::desc& description);

  std::vector<Place> inputs_, outputs_;
  std::vector<Bound> bound_;
  std::vector<dnnl::memory> scratchpads_;
  std::vector<Step> steps_;
  dnnl::stream stream_;
  std::uint64_t scratch_bytes_ = 0, scratchpad_bytes_ = 0;
  int threads_ = 1;
};

}  // namespace ki::providers::composed
