#include "kernels/folders.h"

namespace ki::kernels::embedding {

namespace {

// input_ids weight -> y; dy input_ids -> dweight, 0 for what no position names.
void reference(const Context& context, Pass pass, const Values& in, Expected& out) {
  const auto hidden = static_cast<std::size_t>(context.axes["hidden"]);
  const bool is_forward = pass == Pass::forward;
  const std::vector<double>& ids = in[is_forward ? 0 : 1];
  std::vector<double> squares(is_forward ? 0 : out.values[0].size());
  for (std::size_t token = 0; token < ids.size(); ++token) {
    const std::size_t row = static_cast<std::size_t>(ids[token]) * hidden;
    for (std::size_t i = 0; i < hidden; ++i) {
      if (is_forward) {
        out.values[0][token * hidden + i] = in[1][row + i];
        continue;
      }
      const double given = in[0][token * hidden + i];
      out.values[0][row + i] += given;
      squares[row + i] += given * given;
    }
  }
  out.sizes[0] = largest_root(squares);
}

// Rows of the weight that several positions name may be read once, so none is counted: what must
// move is ids and results.
double bytes(const Axes& axes, Dtype dtype, Pass pass) {
  const auto tokens = static_cast<double>(axes["batch"] * axes["seq"]);
  const auto row = static_cast<double>(axes["hidden"] * size_bytes(dtype));
  const double of_weight = static_cast<double>(axes["vocab"]) * row;
  return tokens * (8 + row) + (pass == Pass::forward ? 0 : of_weight);
}

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "embedding",
      .family = "embedding",
      .title = "Embedding",
      .expression = "y[b, s] = weight[input_ids[b, s]]",
      .inputs = "input_ids:int64[batch,seq] weight:*[vocab,hidden]",
      .outputs = "y:*[batch,seq,hidden]",
      .back_inputs = "dy:*[batch,seq,hidden] input_ids",
      .back_outputs = "dweight:*[vocab,hidden]",
      .fills = "input_ids below vocab",
      .cases = "vocab-32k bf16 batch=8 seq=512 vocab=32768 hidden=768; "
               "llama-3 bf16 batch=2 seq=2048 vocab=128256 hidden=4096",
  });
  made.reference = reference;
  made.bytes = bytes;
  return made;
}

}  // namespace ki::kernels::embedding
