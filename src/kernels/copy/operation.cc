
#include "kernels/folders.h"

namespace ki::kernels::copy {

namespace {

// x -> y.
void reference(const Context&, Pass, const Values& in, Expected& out) { out.values[0] = in[0]; }

}  // namespace

Operation operation() {
  Operation made = read_operation({
      .slug = "copy",
      .family = "copy",
      .title = "Copy",
      .expression = "y = x",
      .dtypes = "fp32 bf16 int8",
      .inputs = "x:*[n]",
      .outputs = "y:*[n]",
      .cases = "large fp32 n=33554432; small fp32 n=65536",
  });
  made.reference = reference;
  return made;
}

}  // namespace ki::kernels::copy
