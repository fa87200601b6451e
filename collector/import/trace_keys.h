#pragma once
/// Words of Chrome-format traces of every vintage, as numbers: categories of events and keys of their arguments.
#include <cstdint>
#include <string_view>

namespace seam::collector {

enum class Category : std::uint8_t { None, Op, Annotation, GpuAnnotation, Python, Runtime, Driver, Kernel, Memcpy, Memset, Sync, Overhead, Profiler, LaunchFlow, Other };
[[nodiscard]] Category category_of(std::string_view text);

enum class Key : std::uint8_t {
  Unknown,
  Redundant,  ///< repeats what another column or the order of rows says; docs/traces.md lists them
  Device, Context, Stream, Correlation, External,
  Grid, Block, Registers, SharedMemory, GraphId, GraphNode, Queued,
  Bytes, Address, DeviceType, DeviceId, TotalAllocated, TotalReserved,
  RecordFunction, Sequence, ForwardThread, InputDims, InputTypes, InputStrides, InputValues,
  PythonId, PythonParent, Finished,
  SyncKind, WaitStream, WaitCorrelation, WaitEvent,
  CollectiveName, ElementsIn, ElementsOut, ElementType, GroupName, GroupSize, GroupRanks, CollectiveSequence,
  Name, Labels,
  KernelDetails, CopyDetails, StepNumber,  ///< of TensorFlow and JAX
};
[[nodiscard]] Key key_of(std::string_view text);

}  // namespace seam::collector
