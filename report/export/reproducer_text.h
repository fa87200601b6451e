#pragma once
/// The fixed text of a reproducer, in four pieces. Its generator must give the same bytes as codegen/inputs.h: tests/report runs both.
#include <string_view>

namespace seam::report {

/// fmt: {kernel} {tool} {module} {device} {compute} {sha256}
inline constexpr std::string_view kReproducerHead = R"TEXT(// {kernel}: a kernel that {tool} wrote for module {module}, alone, on a real GPU.
// Planned for {device}; runs on GPUs of compute capability {compute} and later.
//
//   g++ -std=c++17 -O2 -I/usr/local/cuda/include {kernel}.repro.cpp -lcuda -o {kernel} && ./{kernel} [runs]
//
// Prints a checksum and the first values of every output, beside those of the simulated GPU (exit code 1 if they differ), and the time of a launch:
// the median of [runs] (default 20) after a warm-up.
// Inputs come from the seeds of the proof's first input set. SHA-256 of the PTX: {sha256}
#include <cuda.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

)TEXT";

inline constexpr std::string_view kReproducerGenerator = R"TEXT(enum class Role { Input, Output, Updated, Workspace };
enum class Kind { F64, F32, F16, BF16, Pred, Integer, Zeros };

struct Argument {
  const char* name;
  const char* type;
  Role role;
  Kind kind;
  int width;               // bytes of an element
  long long elements;
  unsigned long long seed; // of its contents at the start; 0 = none
  const unsigned char* stated;  // what it holds, if the graph says so: a constant
};

// First elements of an output as the simulated GPU left them; a real one may be `allowed` off.
struct Expected {
  int argument, count;
  double values[4], allowed;
};

// SplitMix64.
static std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

static double unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// Sum of four uniforms: about N(0, 1).
static double about_normal(std::uint64_t at) {
  double sum = 0;
  for (std::uint64_t k = 0; k < 4; ++k) sum += unit(mix(at * 4 + k));
  return (sum - 2.0) * 1.7320508075688772;
}

// A number of moderate size in a format of 16 bits: round to nearest, ties to even.
static std::uint16_t half(double value, int mantissa, int bias) {
  const int sign = std::signbit(value) ? 1 : 0;
  value = std::fabs(value);
  int exponent = 0;
  if (value != 0) std::frexp(value, &exponent);
  const int lowest = 1 - bias;                                  // exponent of subnormals
  const int scale = (value == 0 ? lowest : std::max(exponent - 1, lowest)) - mantissa;
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(value, -scale)));
  const std::uint32_t biased = units < (1u << mantissa) ? 0 : static_cast<std::uint32_t>(scale + mantissa + bias);
  // A carry out of the mantissa walks into the exponent, as it should.
  const std::uint32_t bits = biased == 0 ? units : (biased << mantissa) + units - (1u << mantissa);
  return static_cast<std::uint16_t>((static_cast<std::uint32_t>(sign) << 15) | bits);
}

static double from_half(std::uint16_t bits, int mantissa, int bias) {
  const int field = (bits & 0x7fff) >> mantissa;
  const int fraction = bits & ((1 << mantissa) - 1);
  const int top = (1 << (15 - mantissa)) - 1;
  double value = field == 0 ? std::ldexp(fraction, 1 - bias - mantissa) : std::ldexp(fraction + (1 << mantissa), field - bias - mantissa);
  if (field == top) value = fraction != 0 ? NAN : INFINITY;
  return (bits & 0x8000) != 0 ? -value : value;
}

static void store(const Argument& a, std::uint8_t* at, double value) {
  const float single = static_cast<float>(value);
  const std::int64_t whole = static_cast<std::int64_t>(value);
  std::uint16_t bits = 0;
  switch (a.kind) {
    case Kind::F64: std::memcpy(at, &value, 8); break;
    case Kind::F32: std::memcpy(at, &single, 4); break;
    case Kind::F16: bits = half(value, 10, 15); std::memcpy(at, &bits, 2); break;
    case Kind::BF16: bits = half(value, 7, 127); std::memcpy(at, &bits, 2); break;
    case Kind::Pred: *at = value != 0 ? 1 : 0; break;
    case Kind::Integer: std::memcpy(at, &whole, static_cast<std::size_t>(a.width)); break;  // little-endian
    case Kind::Zeros: break;
  }
}

static double load(const Argument& a, const std::uint8_t* at) {
  float single = 0;
  double value = 0;
  std::int64_t whole = 0;
  std::uint16_t bits = 0;
  switch (a.kind) {
    case Kind::F64: std::memcpy(&value, at, 8); return value;
    case Kind::F32: std::memcpy(&single, at, 4); return single;
    case Kind::F16: std::memcpy(&bits, at, 2); return from_half(bits, 10, 15);
    case Kind::BF16: std::memcpy(&bits, at, 2); return from_half(bits, 7, 127);
    default:
      std::memcpy(&whole, at, static_cast<std::size_t>(a.width));
      return static_cast<double>(whole);
  }
}

// Integers are uniform in [low, high]; large tensors repeat a block of 65,537 elements.
static std::vector<std::uint8_t> contents(const Argument& a, long long low, long long high) {
  std::vector<std::uint8_t> data(static_cast<std::size_t>(a.elements) * static_cast<std::size_t>(a.width));
  if (a.stated != nullptr) std::memcpy(data.data(), a.stated, data.size());
  if (a.seed == 0 || a.stated != nullptr) return data;
  const long long period = 65537;
  const std::uint64_t base = mix(a.seed) << 20;
  for (long long i = 0; i < std::min(a.elements, period); ++i) {
    const std::uint64_t at = base + static_cast<std::uint64_t>(i);
    double value = about_normal(at);
    if (a.kind == Kind::Pred) value = static_cast<double>(mix(at) >> 63);
    if (a.kind == Kind::Integer) value = static_cast<double>(low) + static_cast<double>(mix(at) % static_cast<std::uint64_t>(high - low + 1));
    store(a, &data[static_cast<std::size_t>(i) * static_cast<std::size_t>(a.width)], value);
  }
  const std::size_t head = static_cast<std::size_t>(period) * static_cast<std::size_t>(a.width);
  for (std::size_t i = head; i < data.size(); ++i) data[i] = data[i - head];
  return data;
}

// FNV-1a.
static std::uint64_t checksum(const std::vector<std::uint8_t>& data) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const std::uint8_t byte : data) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

static void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what, text != nullptr ? text : "unknown error");
  std::exit(1);
}
#define CHECK(call) check(call, #call)

)TEXT";

/// fmt: {kernel} {grid} {block} {shared} {low} {high} {arguments} {expected}
inline constexpr std::string_view kReproducerData = R"TEXT(const char* const kName = "{kernel}";
const unsigned kGrid = {grid}, kBlock = {block}, kShared = {shared};
const long long kLow = {low}, kHigh = {high};  // integer inputs
const Argument kArguments[] = {{
{arguments}}};
const Expected kExpected[] = {{
{expected}    {{-1, 0, {{0, 0, 0, 0}}, 0}}}};
)TEXT";

inline constexpr std::string_view kReproducerMain = R"TEXT(
int main(int argc, char** argv) {
  const int runs = std::max(1, argc > 1 ? std::atoi(argv[1]) : 20);
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&function, module, kName));
  if (kShared > 48 * 1024) CHECK(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(kShared)));

  std::vector<std::vector<std::uint8_t>> start;
  std::vector<CUdeviceptr> addresses;
  for (const Argument& a : kArguments) {
    start.push_back(contents(a, kLow, kHigh));
    if (a.role == Role::Output) std::fill(start.back().begin(), start.back().end(), std::uint8_t{0xff});  // poison: what is not written shows
    CUdeviceptr address = 0;
    CHECK(cuMemAlloc(&address, std::max<std::size_t>(1, start.back().size())));
    addresses.push_back(address);
  }
  std::vector<void*> parameters;
  for (CUdeviceptr& address : addresses) parameters.push_back(&address);
  const auto reset = [&] {
    for (std::size_t i = 0; i < addresses.size(); ++i) CHECK(cuMemcpyHtoD(addresses[i], start[i].data(), start[i].size()));
  };
  const auto launch = [&] { CHECK(cuLaunchKernel(function, kGrid, 1, 1, kBlock, 1, 1, kShared, nullptr, parameters.data(), nullptr)); };

  reset();
  launch();
  CHECK(cuCtxSynchronize());
  bool agrees = true;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const Argument& a = kArguments[i];
    std::vector<std::uint8_t> data = start[i];
    if (a.role == Role::Input) {
      std::printf("input   %-40s %-20s checksum %016llx\n", a.name, a.type, static_cast<unsigned long long>(checksum(data)));
      continue;
    }
    if (a.role == Role::Workspace) continue;
    CHECK(cuMemcpyDtoH(data.data(), addresses[i], data.size()));
    std::printf("output  %-40s %-20s checksum %016llx  first", a.name, a.type, static_cast<unsigned long long>(checksum(data)));
    for (long long e = 0; e < std::min<long long>(4, a.elements); ++e) std::printf(" %.9g", load(a, &data[static_cast<std::size_t>(e * a.width)]));
    std::printf("\n");
    for (const Expected& x : kExpected) {
      if (x.argument != static_cast<int>(i)) continue;
      bool same = true;
      for (int e = 0; e < x.count; ++e) {
        const double got = load(a, &data[static_cast<std::size_t>(e) * static_cast<std::size_t>(a.width)]);
        const double want = x.values[e];
        same = same && (std::isnan(want) ? std::isnan(got) : got == want || std::fabs(got - want) <= x.allowed);
      }
      std::printf("        %s the simulated GPU:", same ? "agrees with" : "DIFFERS from");
      for (int e = 0; e < x.count; ++e) std::printf(" %.9g", x.values[e]);
      std::printf(", allowed difference %.3g\n", x.allowed);
      agrees = agrees && same;
    }
  }

  CUevent before = nullptr, after = nullptr;
  CHECK(cuEventCreate(&before, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&after, CU_EVENT_DEFAULT));
  std::vector<float> times;
  for (int run = 0; run < runs; ++run) {
    CHECK(cuEventRecord(before, nullptr));
    launch();
    CHECK(cuEventRecord(after, nullptr));
    CHECK(cuEventSynchronize(after));
    float milliseconds = 0;
    CHECK(cuEventElapsedTime(&milliseconds, before, after));
    times.push_back(milliseconds);
  }
  std::sort(times.begin(), times.end());
  std::printf("time    %.2f us (median of %d launches, inputs not restored between them, caches warm; fastest %.2f us)\n", 1e3 * times[times.size() / 2], runs,
              1e3 * times[0]);
  return agrees ? 0 : 1;
}
)TEXT";

}  // namespace seam::report
