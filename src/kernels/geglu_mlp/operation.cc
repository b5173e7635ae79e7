#include <algorithm>

#include "kernels/activation.h"
#include "kernels/folders.h"
#include "kernels/product.h"

namespace ki::kernels::geglu_mlp {

namespace {

// x w_gate w_up w_down -> y; dy x w_gate w_up w_down -> dx dw_gate dw_up dw_down.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto tokens = static_cast<std::size_t>(context.axes["batch"] * context.axes["seq"]);
  const auto hidden = static_cast<std::size_t>(context.axes["hidden"]);
  const auto inner = static_cast<std::size_t>(context.axes["intermediate"]);
  const std::size_t first = pass == Pass::forward ? 0 : 1;  // of x
  const DenseMatrix x{in[first], hidden, 1};
  std::vector<double> gate(tokens * inner);
  std::vector<double> up(tokens * inner);
  multiply(x, {in[first + 1], 1, hidden}, tokens, inner, hidden, gate);
  multiply(x, {in[first + 2], 1, hidden}, tokens, inner, hidden, up);
  std::vector<double> active(tokens * inner);
  for (std::size_t i = 0; i < active.size(); ++i) active[i] = gelu_tanh(gate[i]).value * up[i];
  if (pass == Pass::forward) {
    out.sizes[0] =
        multiply({active, inner, 1}, {in[3], 1, inner}, tokens, hidden, inner, out.values[0]);
    return;
  }
  std::vector<double> given(tokens * inner);  // the gradient of `active`
  multiply({in[0], hidden, 1}, {in[4], inner, 1}, tokens, inner, hidden, given);
  std::vector<double> dgate(tokens * inner);
  std::vector<double> dup(tokens * inner);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Slope slope = gelu_tanh(gate[i]);
    dgate[i] = given[i] * up[i] * slope.derivative;
    dup[i] = given[i] * slope.value;
  }
  const double by_gate =
      multiply({dgate, inner, 1}, {in[2], hidden, 1}, tokens, hidden, inner, out.values[0]);
  const double by_up =
      multiply({dup, inner, 1}, {in[3], hidden, 1}, tokens, hidden, inner, out.values[0]);
  out.sizes[0] = std::max(by_gate, by_up);
  out.sizes[1] = multiply({dgate, 1, inner}, x, inner, hidden, tokens, out.values[1]);
  out.sizes[2] = multiply({dup, 1, inner}, x, inner, hidden, tokens, out.values[2]);
  out.sizes[3] =
      multiply({in[0], 1, hidden}, {active, inner, 1}, hidden, inner, tokens, out.values[3]);
}

// Three products forward. Backward two of them again, one for the gradient of the inner values, two
// for dx and three for the weights.
double flops(const Axes& axes, Pass pass) {
  const double product = 2 * static_cast<double>(axes["batch"] * axes["seq"]) *
                         static_cast<double>(axes["hidden"]) *
                         static_cast<double>(axes["intermediate"]);
  return product * (pass == Pass::forward ? 3 : 8);
}

// The two products that backward has to do again.
double recomputed(const Axes& axes) { return flops(axes, Pass::forward) / 3 * 2; }

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "geglu-mlp",
      .family = "geglu",
      .title = "GeGLU MLP",
      .expression = "y = (gelu(x w_gate^T) * (x w_up^T)) w_down^T with gelu(z) = "
                    "z/2 (1 + tanh(sqrt(2/pi) (z + 0.044715 z^3)))",
      .inputs = "x:*[batch,seq,hidden] w_gate:*[intermediate,hidden] "
                "w_up:*[intermediate,hidden] w_down:*[hidden,intermediate]",
      .outputs = "y:*[batch,seq,hidden]",
      .back_inputs = "dy:*[batch,seq,hidden] x w_gate w_up w_down",
      .back_outputs = "dx:*[batch,seq,hidden] dw_gate:*[intermediate,hidden] "
                      "dw_up:*[intermediate,hidden] dw_down:*[hidden,intermediate]",
      .fills = "w_gate scaled hidden; w_up scaled hidden; w_down scaled intermediate",
      .cases = "small bf16 batch=1 seq=512 hidden=1024 intermediate=2048; "
               "seed bf16 batch=2 seq=1024 hidden=2048 intermediate=4096; "
               "small-fp32 fp32 batch=1 seq=512 hidden=1024 intermediate=2048",
  });
  made.reference = reference;
  made.flops = flops;
  made.recomputed = recomputed;
  made.tolerance = chain_tolerance;
  return made;
}

}  // namespace ki::kernels::geglu_mlp
