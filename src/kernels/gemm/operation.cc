#include <algorithm>

#include "kernels/folders.h"
#include "kernels/product.h"

namespace ki::kernels::gemm {

namespace {

// a b -> c; dc a b -> da db.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto m = static_cast<std::size_t>(context.axes["m"]);
  const auto n = static_cast<std::size_t>(context.axes["n"]);
  const auto k = static_cast<std::size_t>(context.axes["k"]);
  if (pass == Pass::forward) {
    out.sizes[0] = multiply({in[0], k, 1}, {in[1], n, 1}, m, n, k, out.values[0]);
    return;
  }
  out.sizes[0] = multiply({in[0], n, 1}, {in[2], 1, n}, m, k, n, out.values[0]);
  out.sizes[1] = multiply({in[1], 1, k}, {in[0], n, 1}, k, n, m, out.values[1]);
}

// The same for each of a batch, whose sizes are the largest of all.
void batched_reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const std::int64_t batch = context.axes["batch"];
  const auto part_of = [&](const std::vector<double>& all, std::int64_t index) {
    const auto each = static_cast<std::ptrdiff_t>(all.size()) / batch;
    return std::vector<double>(all.begin() + index * each, all.begin() + (index + 1) * each);
  };
  for (std::int64_t index = 0; index < batch; ++index) {
    Values inputs;
    Expected one;
    for (const auto& all : in) inputs.push_back(part_of(all, index));
    for (const auto& all : out.values) one.values.push_back(part_of(all, index));
    one.sizes.resize(out.sizes.size());
    reference(context, pass, inputs, one);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      const auto each = static_cast<std::ptrdiff_t>(one.values[i].size());
      std::copy(one.values[i].begin(), one.values[i].end(), out.values[i].begin() + index * each);
      out.sizes[i] = std::max(out.sizes[i], one.sizes[i]);
    }
  }
}

double flops(const Axes& axes, Pass pass) {
  const double products = static_cast<double>(axes["m"]) * static_cast<double>(axes["n"]) *
                          static_cast<double>(axes["k"]);
  return products * (pass == Pass::forward ? 2 : 4);
}

}  // namespace

Operation floating() {
  Operation made = read_operation({
      .slug = "gemm",
      .family = "gemm",
      .title = "Matrix product",
      .expression = "c[i, j] = sum over p of a[i, p] b[p, j]",
      .inputs = "a:*[m,k] b:*[k,n]",
      .outputs = "c:*[m,n]",
      .back_inputs = "dc:*[m,n] a b",
      .back_outputs = "da:*[m,k] db:*[k,n]",
      .fills = "b scaled k",
      .cases = "square-1k fp32 m=1024 n=1024 k=1024; mlp bf16 m=2048 n=4096 k=2048; "
               "mlp-fp32 fp32 m=2048 n=4096 k=2048",
  });
  made.reference = reference;
  made.flops = flops;
  return made;
}

// Sums of products of two int8 fit int32 for k up to 2^17, so that every order of adding is exact.
Operation int8() {
  Operation made = read_operation({
      .slug = "gemm-int8",
      .family = "gemm",
      .title = "Matrix product of int8",
      .expression = "c[i, j] = sum over p of a[i, p] b[p, j], exactly",
      .dtypes = "int8",
      .inputs = "a:int8[m,k] b:int8[k,n]",
      .outputs = "c:int32[m,n]",
      .cases = "square-1k int8 m=1024 n=1024 k=1024; mlp int8 m=2048 n=4096 k=2048",
  });
  made.reference = reference;
  made.flops = flops;
  made.problem = [](const Axes& axes) -> std::string {
    return axes["k"] <= 131072 ? "" : "k must be at most 131072, so that sums fit int32";
  };
  return made;
}

Operation batched() {
  Operation made = read_operation({
      .slug = "batched-gemm",
      .family = "gemm",
      .title = "Batched matrix product",
      .expression = "c[s, i, j] = sum over p of a[s, i, p] b[s, p, j], for each s of the batch",
      .inputs = "a:*[batch,m,k] b:*[batch,k,n]",
      .outputs = "c:*[batch,m,n]",
      .back_inputs = "dc:*[batch,m,n] a b",
      .back_outputs = "da:*[batch,m,k] db:*[batch,k,n]",
      .fills = "b scaled k",
      .cases = "small fp32 batch=1024 m=64 n=64 k=64; scores bf16 batch=96 m=512 n=512 k=64; "
               "square-512 fp32 batch=16 m=512 n=512 k=512",
  });
  made.reference = batched_reference;
  made.flops = [](const Axes& axes, Pass pass) {
    return static_cast<double>(axes["batch"]) * flops(axes, pass);
  };
  return made;
}

}  // namespace ki::kernels::gemm
