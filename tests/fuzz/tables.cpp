#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "base/byte_source.h"
#include "base/files.h"
#include "import/ncu_rows.h"
#include "import/rocprof_csv.h"
#include "import/rocprof_json.h"

/// Tables of Nsight Compute and rocprofv3, and rocprofv3's JSON, of any bytes: read or refused, and what was read is a sound run file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace seam;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const std::filesystem::path stem = std::filesystem::temp_directory_path() / ("seam_fuzz_tables." + std::to_string(::getpid()));
  const std::filesystem::path input = stem.string() + ".csv", output = stem.string() + ".seam";
  for (const int form : {0, 1, 2}) {
    auto writer = db::Writer::create(output);
    if (!writer) return 0;
    collector::Imported imported;
    if (form == 0) {
      ByteSource source = ByteSource::of(bytes);
      const auto table = collector::read_ncu_table(source);
      if (!table) continue;
      collector::add_ncu_run(*table, *writer, imported);
    } else {
      collector::RocmRows rows(*writer);
      if (form == 1 && (!write_file(input, bytes) || !collector::read_rocprof_tables(input, rows, {}))) continue;
      if (form == 2 && !collector::read_rocprof_json(bytes, rows)) continue;
      rows.finish(imported);
    }
    writer->set_run({.kind = db::RunKind::Imported, .name = "fuzz", .command = {}, .tool = "fuzz", .policy = {}, .compiler = {}, .start_ns = {}, .end_ns = {}});
    if (!writer->finish()) __builtin_trap();
  }
  std::filesystem::remove(input);
  std::filesystem::remove(output);
  return 0;
}
