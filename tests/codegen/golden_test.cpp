// Golden kernels: *.group, then dashes, then the kernel IR and the CUDA text made of it.
#include "golden.h"
#include "group_file.h"
#include "support.h"

namespace seam::test {
namespace {

std::string run(std::string_view input) {
  const GroupFile file = read_group(input, "golden");
  const codegen::Kernel kernel = kernel_of(*file.graph, file.group);
  return codegen::print(kernel) + "\n" + codegen::emit(kernel).cuda;
}

const GoldenSuite kSuite(".group", run);

}  // namespace
}  // namespace seam::test
