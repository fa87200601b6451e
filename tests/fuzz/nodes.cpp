#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/byte_source.h"
#include "import/chakra.h"
#include "import/execution_trace.h"

/// Execution traces of any bytes, in all three forms: read or refused, and what was read is a sound run file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seam;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const int form : {0, 1, 2}) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / ("seam_fuzz_nodes." + std::to_string(::getpid()) + ".seam");
    auto writer = db::Writer::create(file);
    if (!writer) return 0;
    ByteSource source = ByteSource::of(bytes);
    collector::NodeRows rows(*writer, false);
    if (form == 0) (void)collector::read_execution_trace(source, rows, "trace.", {});
    else (void)(form == 1 ? collector::read_chakra(source, rows, {}) : collector::read_chakra_json(source, rows, {}));
    collector::Imported imported;
    rows.finish(imported);
    writer->set_run({.kind = db::RunKind::Imported, .name = "fuzz", .command = {}, .tool = "fuzz", .policy = {}, .compiler = {}, .start_ns = {}, .end_ns = {}});
    if (!writer->finish()) __builtin_trap();
    std::filesystem::remove(file);
  }
  return 0;
}
