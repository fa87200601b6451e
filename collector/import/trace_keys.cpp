#include "import/trace_keys.h"

#include <array>
#include <cstddef>
#include <utility>

namespace seam::collector {
namespace {

constexpr std::array<std::pair<std::string_view, Category>, 24> kCategories = {{
    {"cpu_op", Category::Op}, {"Operator", Category::Op},
    {"user_annotation", Category::Annotation}, {"gpu_user_annotation", Category::GpuAnnotation}, {"python_function", Category::Python},
    {"cuda_runtime", Category::Runtime}, {"Runtime", Category::Runtime}, {"hip_runtime", Category::Runtime}, {"privateuse1_runtime", Category::Runtime},
    {"cuda_driver", Category::Driver}, {"privateuse1_driver", Category::Driver},
    {"kernel", Category::Kernel}, {"Kernel", Category::Kernel},
    {"gpu_memcpy", Category::Memcpy}, {"Memcpy", Category::Memcpy},
    {"gpu_memset", Category::Memset}, {"Memset", Category::Memset},
    {"cuda_sync", Category::Sync}, {"overhead", Category::Overhead}, {"Trace", Category::Profiler},
    {"ac2g", Category::LaunchFlow}, {"async_cpu_to_gpu", Category::LaunchFlow}, {"async_gpu", Category::LaunchFlow}, {"async", Category::LaunchFlow},
}};

constexpr std::array<std::pair<std::string_view, Key>, 71> kKeys = {{
    {"device", Key::Device}, {"context", Key::Context}, {"stream", Key::Stream}, {"correlation", Key::Correlation},
    {"External id", Key::External}, {"external id", Key::External},
    {"grid", Key::Grid}, {"block", Key::Block}, {"registers per thread", Key::Registers}, {"shared memory", Key::SharedMemory},
    {"graph id", Key::GraphId}, {"graph node id", Key::GraphNode}, {"queued", Key::Queued},
    {"bytes", Key::Bytes}, {"Bytes", Key::Bytes}, {"Addr", Key::Address}, {"Device Type", Key::DeviceType}, {"Device Id", Key::DeviceId},
    {"Total Allocated", Key::TotalAllocated}, {"Total Reserved", Key::TotalReserved},
    {"Record function id", Key::RecordFunction}, {"Sequence number", Key::Sequence}, {"Fwd thread id", Key::ForwardThread},
    {"Input Dims", Key::InputDims}, {"Input dims", Key::InputDims}, {"Input type", Key::InputTypes}, {"Input Strides", Key::InputStrides},
    {"Concrete Inputs", Key::InputValues},
    {"Python id", Key::PythonId}, {"Python parent id", Key::PythonParent},
    {"cuda_sync_kind", Key::SyncKind}, {"wait_on_stream", Key::WaitStream}, {"wait_on_cuda_event_record_corr_id", Key::WaitCorrelation},
    {"wait_on_cuda_event_id", Key::WaitEvent},
    {"Collective name", Key::CollectiveName}, {"In msg nelems", Key::ElementsIn}, {"Out msg nelems", Key::ElementsOut}, {"dtype", Key::ElementType},
    {"Process Group Name", Key::GroupName}, {"Group size", Key::GroupSize}, {"Process Group Ranks", Key::GroupRanks}, {"Seq", Key::CollectiveSequence},
    {"name", Key::Name}, {"labels", Key::Labels},
    {"kernel_details", Key::KernelDetails}, {"memcpy_details", Key::CopyDetails}, {"memset_details", Key::CopyDetails}, {"correlation_id", Key::Correlation},
    {"context_id", Key::Context}, {"step_num", Key::StepNumber},
    // The profiler's own order of events; ids of callbacks that the name says; what follows from the launch shape; bytes over time.
    {"Ev Idx", Key::Redundant}, {"Profiler Event Index", Key::Redundant}, {"cbid", Key::Redundant}, {"cid", Key::Redundant}, {"external ts", Key::Redundant},
    {"blocks per SM", Key::Redundant}, {"warps per SM", Key::Redundant}, {"est. achieved occupancy %", Key::Redundant}, {"memory bandwidth (GB/s)", Key::Redundant},
    {"finished", Key::Finished}, {"Trace name", Key::Redundant}, {"Trace iteration", Key::Redundant},
    // Empty in every file that has them.
    {"Input names", Key::Redundant}, {"Output names", Key::Redundant}, {"Output dims", Key::Redundant}, {"Output type", Key::Redundant},
    {"Extra arguments", Key::Redundant},
    {"sort_index", Key::Redundant},
    // What follows from the launch shape and the device.
    {"theoretical_occupancy_pct", Key::Redundant}, {"occupancy_min_grid_size", Key::Redundant}, {"occupancy_suggested_block_size", Key::Redundant},
}};

/// Perfect enough: length, first, middle and last character.
constexpr std::size_t kBuckets = 512;
constexpr std::size_t bucket(std::string_view text) {
  if (text.empty()) return 0;
  const auto at = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  return (text.size() * 31 + at(0) * 7 + at(text.size() / 2) * 13 + at(text.size() - 1) * 29 + (text.size() > 3 ? at(3) * 17 : 0)) % kBuckets;
}

template <class Value, std::size_t N>
struct Words {
  const std::array<std::pair<std::string_view, Value>, N>& entries;
  std::array<std::uint16_t, kBuckets> first{};  ///< index of an entry + 1; the ones that collide stand in `following`
  std::array<std::uint16_t, N> following{};

  constexpr explicit Words(const std::array<std::pair<std::string_view, Value>, N>& from) : entries(from) {
    for (std::size_t i = 0; i < N; ++i) {
      std::uint16_t& slot = first[bucket(entries[i].first)];
      following[i] = slot;
      slot = static_cast<std::uint16_t>(i + 1);
    }
  }
  [[nodiscard]] Value find(std::string_view text, Value otherwise) const {
    for (std::uint16_t i = first[bucket(text)]; i != 0; i = following[i - 1U])
      if (entries[i - 1U].first == text) return entries[i - 1U].second;
    return otherwise;
  }
};

constexpr Words kCategoryWords{kCategories};
constexpr Words kKeyWords{kKeys};

}  // namespace

Category category_of(std::string_view text) { return text.empty() ? Category::None : kCategoryWords.find(text, Category::Other); }
Key key_of(std::string_view text) { return kKeyWords.find(text, Key::Unknown); }

}  // namespace seam::collector
