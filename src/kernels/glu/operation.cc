#include "kernels/activation.h"
#include "kernels/folders.h"

namespace ki::kernels::glu {

namespace {

// gate up -> y; dy gate up -> dgate dup.
template <Slope (*kActivation)(double)>
void reference(const Context&, Pass pass, const Values& in, Expected& out) {
  const std::size_t count = in[0].size();
  for (std::size_t i = 0; i < count; ++i) {
    if (pass == Pass::forward) {
      out.values[0][i] = kActivation(in[0][i]).value * in[1][i];
      continue;
    }
    const Slope slope = kActivation(in[1][i]);
    out.values[0][i] = in[0][i] * in[2][i] * slope.derivative;
    out.values[1][i] = in[0][i] * slope.value;
  }
}

Operation describe(std::string_view slug, std::string_view title, std::string_view expression) {
  return read_operation({
      .slug = slug,
      .family = slug,
      .title = title,
      .expression = expression,
      .inputs = "gate:*[rows,intermediate] up:*[rows,intermediate]",
      .outputs = "y:*[rows,intermediate]",
      .back_inputs = "dy:*[rows,intermediate] gate up",
      .back_outputs = "dgate:*[rows,intermediate] dup:*[rows,intermediate]",
      .cases = "llama-8b bf16 rows=2048 intermediate=14336; small bf16 rows=2048 intermediate=4096",
  });
}

}  // namespace

Operation swiglu() {
  Operation made = describe("swiglu", "SwiGLU activation",
                            "y = silu(gate) * up with silu(z) = z / (1 + exp(-z))");
  made.reference = reference<silu>;
  return made;
}

Operation geglu() {
  Operation made = describe("geglu", "GeGLU activation",
                            "y = gelu(gate) * up with gelu(z) = z/2 (1 + tanh(sqrt(2/pi) "
                            "(z + 0.044715 z^3)))");
  made.reference = reference<gelu_tanh>;
  return made;
}

}  // namespace ki::kernels::glu
