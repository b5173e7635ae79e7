#include <climits>

#include <cblas.h>

#include "composed/kernels.h"

namespace ki::providers::composed {

namespace {

// An index of this build of OpenBLAS.
blasint index_of(std::int64_t value) {
  if (value > INT_MAX) throw Unsupported("OpenBLAS counts to 2^31 here");
  return static_cast<blasint>(value);
}

struct Matrix {
  explicit Matrix(const ki_kernel_tensor& tensor)
      : rows(index_of(rows_of(tensor).count)),
        columns(index_of(rows_of(tensor).width)),
        stride(index_of(rows_of(tensor).stride)) {}
  blasint rows, columns, stride;
};

class Products : public Work {
 public:
  explicit Products(const ki_kernel_case& one)
      : is_forward_(is_forward(one)), threads_(static_cast<int>(one.threads)) {
    for (std::uint32_t i = 0; i < one.inputs_count; ++i) inputs_.emplace_back(one.inputs[i]);
    for (std::uint32_t i = 0; i < one.outputs_count; ++i) outputs_.emplace_back(one.outputs[i]);
  }

  void run(const ki_kernel_launch& call) override {
    openblas_set_num_threads(threads_);
    const auto in = [&](std::size_t i) { return static_cast<const float*>(call.inputs[i]); };
    const auto out = [&](std::size_t i) { return static_cast<float*>(call.outputs[i]); };
    if (is_forward_) {
      const Matrix& a = inputs_[0];
      const Matrix& b = inputs_[1];
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, a.rows, b.columns, a.columns, 1, in(0),
                  a.stride, in(1), b.stride, 0, out(0), outputs_[0].stride);
      return;
    }
    const Matrix& dc = inputs_[0];  // da = dc b^T, db = a^T dc
    const Matrix& a = inputs_[1];
    const Matrix& b = inputs_[2];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, a.rows, a.columns, dc.columns, 1, in(0),
                dc.stride, in(2), b.stride, 0, out(0), outputs_[0].stride);
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, b.rows, b.columns, dc.rows, 1, in(1),
                a.stride, in(0), dc.stride, 0, out(1), outputs_[1].stride);
  }

 private:
  std::vector<Matrix> inputs_, outputs_;
  bool is_forward_;
  int threads_;
};

std::unique_ptr<Work> products(const ki_kernel_case& one) {
  return std::make_unique<Products>(one);
}

}  // namespace

void add_blas(std::vector<ki_kernel>& kernels) {
  kernels.push_back(kernel_of<products>({kProvider, "openblas", "gemm", "forward", "fp32"}));
  kernels.push_back(kernel_of<products>({kProvider, "openblas", "gemm", "backward", "fp32"}));
}

}  // namespace ki::providers::composed
