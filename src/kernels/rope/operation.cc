
#include "kernels/folders.h"

namespace ki::kernels::rope {

namespace {

// q k cos sin -> q_out k_out; dq_out cos sin -> dq. With the halves (a, b) of a head's vector:
// (a, b) -> (a cos - b sin, b cos + a sin), the table's halves apart; backward is the transpose.
void rotate(const std::vector<double>& from, const std::vector<double>& cosine,
            const std::vector<double>& sine, std::size_t width, bool is_back,
            std::vector<double>& to) {
  const std::size_t half = width / 2;
  for (std::size_t begin = 0; begin < from.size(); begin += width) {
    const std::size_t table = begin % cosine.size();
    for (std::size_t i = 0; i < half; ++i) {
      const double a = from[begin + i];
      const double b = from[begin + half + i];
      const double upper = sine[table + i];
      const double lower = sine[table + half + i];
      to[begin + i] = a * cosine[table + i] + b * (is_back ? lower : -upper);
      to[begin + half + i] = b * cosine[table + half + i] + a * (is_back ? -upper : lower);
    }
  }
}

void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto width = static_cast<std::size_t>(context.axes["head_dim"]);
  if (pass == Pass::backward) return rotate(in[0], in[1], in[2], width, true, out.values[0]);
  rotate(in[0], in[2], in[3], width, false, out.values[0]);
  rotate(in[1], in[2], in[3], width, false, out.values[1]);
}

// Three for each element: two products and a sum.
double flops(const Axes& axes, Pass pass) {
  const std::int64_t heads =
      axes["q_heads"] + (pass == Pass::forward ? axes["kv_heads"] : std::int64_t{0});
  return 3 * static_cast<double>(heads * axes["head_dim"]) * static_cast<double>(axes["seq"]);
}

std::string problem(const Axes& axes) {
  return axes["head_dim"] % 2 == 0 ? "" : "head_dim = hidden / q_heads must be even";
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "rope",
      .family = "rope",
      .title = "Rotary position embedding",
      .expression = "half-split rotation: with the halves (a, b) of each head's vector in q and k, "
                    "out = (a cos - b sin, b cos + a sin), cos and sin given as tables over "
                    "position and channel; a backward pass starts from the gradient of q_out only",
      .inputs = "q:*[1,q_heads,seq,head_dim] k:*[1,kv_heads,seq,head_dim]",
      .outputs = "q_out:*[1,q_heads,seq,head_dim] "
                 "k_out:*[1,kv_heads,seq,head_dim]",
      .derived = "head_dim = hidden // q_heads",
      .tables = "cos:*[seq,head_dim] sin:*[seq,head_dim]",
      .back_inputs = "dq_out:*[1,q_heads,seq,head_dim] cos sin",
      .back_outputs = "dq:*[1,q_heads,seq,head_dim]",
      .fills = "cos cosine; sin sine",
      .cases = "seed bf16 q_heads=32 kv_heads=8 seq=16384 hidden=8192; "
               "small bf16 q_heads=32 kv_heads=8 seq=2048 hidden=4096",
  });
  made.reference = reference;
  made.flops = flops;
  made.problem = problem;
  return made;
}

}  // namespace ki::kernels::rope
