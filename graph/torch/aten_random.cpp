/// Random tensors: Philox 4x32-10 (Salmon et al., SC 2011) of a seed and the element's number, as Triton and Inductor compute it, so that the
/// same seed gives the same numbers. Every random operator takes one seed; seeds are the graph's last parameter.
#include <fmt/core.h>

#include <numbers>

#include "torch/call.h"

namespace seam::graph::torch {
namespace {

constexpr std::uint32_t kRoundA = 0xD2511F53, kRoundB = 0xCD9E8D57, kKeyA = 0x9E3779B9, kKeyB = 0xBB67AE85;
constexpr int kRounds = 10;

/// u32 words: first result of Philox for counter (element, 0, 0, 0) under the key (low, high).
class PhiloxBody {
 public:
  explicit PhiloxBody(const std::string& name) { body_.name = name; }

  Computation made() {
    const Id<Op> counter = parameter("counter"), low = parameter("key_low"), high = parameter("key_high");
    const Id<Op> zero = constant(0);
    Id<Op> c0 = counter, c1 = zero, c2 = zero, c3 = zero, k0 = low, k1 = high;
    for (int round = 0; round < kRounds; ++round) {
      const Id<Op> was0 = c0, was2 = c2;
      c0 = binary(Opcode::Xor, binary(Opcode::Xor, high_product(kRoundB, was2), c1), k0);
      c2 = binary(Opcode::Xor, binary(Opcode::Xor, high_product(kRoundA, was0), c3), k1);
      c1 = binary(Opcode::Multiply, constant(kRoundB), was2);
      c3 = binary(Opcode::Multiply, constant(kRoundA), was0);
      k0 = binary(Opcode::Add, k0, constant(kKeyA));
      k1 = binary(Opcode::Add, k1, constant(kKeyB));
    }
    body_.root = c0;
    return std::move(body_);
  }

 private:
  Id<Op> add(Opcode opcode, std::vector<Id<Op>> operands) {
    Op op;
    op.name = fmt::format("p{}", body_.ops.size());
    op.opcode = opcode;
    op.opcode_text = std::string(graph::name(opcode));
    op.shape.dtype = DType::U32;
    op.operands = std::move(operands);
    return body_.ops.push_back(std::move(op));
  }
  Id<Op> parameter(const char* name) {
    const Id<Op> id = add(Opcode::Parameter, {});
    body_.ops[id].name = name;
    body_.ops[id].attributes.index = static_cast<std::int64_t>(body_.parameters.size());
    body_.parameters.push_back(id);
    return id;
  }
  Id<Op> constant(std::uint32_t value) {
    Array array = make_array(DType::U32, {});
    std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof value, array.data.data());
    const Id<Op> id = add(Opcode::Constant, {});
    body_.ops[id].attributes.literal.value = std::move(array);
    return id;
  }
  Id<Op> binary(Opcode opcode, Id<Op> a, Id<Op> b) { return add(opcode, {a, b}); }
  Id<Op> high_product(std::uint32_t factor, Id<Op> word) { return binary(Opcode::MulHi, constant(factor), word); }

  Computation body_;
};

Tensor word_of(Builder& b, const Tensor& seed, bool high) {
  const Tensor bits = b.ordered(b.add(Opcode::BitcastConvert, [&] {
                                  Shape shape = b.op(seed.value).shape;
                                  shape.dtype = DType::U64;
                                  return shape;
                                }(), {seed.value}), {});
  return b.converted(high ? b.binary(Opcode::ShiftRightLogical, bits, b.integer(DType::U64, 32)) : bits, DType::U32);
}

/// u32 bits per element of `dims`.
Tensor random_bits(Builder& b, const Tensor& seed, const Dims& dims, std::int64_t offset = 0) {
  const Id<Computation> philox = b.function("philox", [](const std::string& name) { return PhiloxBody(name).made(); });
  const std::int64_t count = product(dims);
  Tensor counter = b.iota(DType::U32, {count}, 0);
  if (offset != 0) counter = b.binary(Opcode::Add, counter, b.integer(DType::U32, offset));
  // One scalar computation over all elements: `map`.
  Attributes attributes;
  attributes.calls = {philox};
  attributes.dimensions = {0};
  const auto spread = [&](const Tensor& scalar) { return b.expanded(scalar, {count}).value; };
  const Id<Op> words = b.add(Opcode::Map, b.op(counter.value).shape, {counter.value, spread(word_of(b, seed, false)), spread(word_of(b, seed, true))}, std::move(attributes));
  return b.reshaped(b.dense(words), dims);
}

/// Triton's uint_to_uniform_float: [0, 1).
Tensor uniform_of(Builder& b, const Tensor& bits) {
  Shape shape = b.op(bits.value).shape;
  shape.dtype = DType::S32;
  const Tensor word = b.ordered(b.add(Opcode::BitcastConvert, shape, {bits.value}), bits.order);
  const Tensor positive = b.select(b.compare(Direction::LT, word, b.integer(DType::S32, 0)), b.unary(Opcode::Not, word), word);  // -x - 1
  return scaled(b, b.converted(positive, DType::F32), 4.6566127342e-10);
}

Tensor uniform(Builder& b, const Tensor& seed, const Dims& dims) { return uniform_of(b, random_bits(b, seed, dims)); }

/// Box and Muller, of two uniform numbers under one seed.
Tensor normal(Builder& b, const Tensor& seed, const Dims& dims) {
  const Tensor u = b.binary(Opcode::Maximum, uniform(b, seed, dims), b.constant(DType::F32, 1e-7));
  const Tensor v = uniform_of(b, random_bits(b, seed, dims, product(dims)));
  const Tensor radius = b.unary(Opcode::Sqrt, scaled(b, b.unary(Opcode::Log, u), -2));
  return b.binary(Opcode::Multiply, radius, b.unary(Opcode::Cosine, scaled(b, v, 2 * std::numbers::pi)));
}

Value rand(Call& call) {
  const bool like = call.name.ends_with("_like");
  Dims dims = like ? call.b.dims(call.tensor(0, "self")) : call.ints(0, "size");
  const DType type = call.dtype(SIZE_MAX, "dtype", like ? call.b.dtype(call.tensor(0, "self")) : DType::F32);
  if (call.b.refused()) return {};
  const Tensor seed = call.b.seed();
  return call.b.converted(call.name.starts_with("randn") ? normal(call.b, seed, dims) : uniform(call.b, seed, dims), type);
}

/// inductor_random(size, seed, "rand" | "randn")
Value inductor_random(Call& call) {
  const Dims dims = call.ints(0, "size");
  const Tensor seed = call.tensor(1, "seed");
  if (call.b.refused()) return {};
  return call.text(2, "mode") == "randn" ? normal(call.b, seed, dims) : uniform(call.b, seed, dims);
}
Value inductor_seeds(Call& call) {
  const std::int64_t count = call.integer(0, "count", 1);
  if (count < 1 || count > 1'000'000) call.b.refuse("no number of seeds");
  if (call.b.refused()) return {};
  Tensor seeds = call.b.unsqueezed(call.b.seed(), 0);
  if (count == 1) return seeds;
  std::vector<Tensor> all = {seeds};
  for (std::int64_t k = 1; k < count; ++k) all.push_back(call.b.unsqueezed(call.b.seed(), 0));
  return call.b.concatenated(all, 0);
}
Value inductor_lookup_seed(Call& call) { return call.b.selected(call.tensor(0, "seeds"), 0, call.integer(1, "index", 0)); }

/// Kept with probability 1 - p.
Tensor kept(Builder& b, const Dims& dims, double p) { return b.compare(Direction::GT, uniform(b, b.seed(), dims), b.constant(DType::F32, p)); }

Tensor masked(Builder& b, const Tensor& a, const Tensor& mask, double scale) {
  const Tensor wide = b.converted(a, Call::computing(b.dtype(a)));
  const Tensor part = b.binary(Opcode::Multiply, b.converted(mask, b.dtype(wide)), wide);
  return b.converted(scaled(b, part, scale), b.dtype(a));
}

/// native_dropout(input, p, train) -> (out, mask); dropout(input, p, training)
Value dropout(Call& call) {
  const Tensor a = call.tensor(0, "input");
  Builder& b = call.b;
  const double p = call.number(1, "p", 0.5);
  const bool training = call.flag(2, "training", true);
  const bool native = call.name == "native_dropout";
  if (!training || p == 0) return native ? Value::list({a, b.filled(DType::Pred, b.dims(a), 1)}) : Value(a);
  const Tensor mask = kept(b, b.dims(a), p);
  const Tensor out = masked(b, a, mask, p < 1 ? 1 / (1 - p) : 0);
  return native ? Value::list({out, mask}) : Value(out);
}

/// native_dropout_backward(grad_output, mask, scale)
Value dropout_backward(Call& call) { return masked(call.b, call.tensor(0, "grad_output"), call.tensor(1, "mask"), call.number(2, "scale", 1)); }

Value bernoulli(Call& call) {
  const Tensor a = call.tensor(0, "self");
  Builder& b = call.b;
  const Tensor drawn = uniform(b, b.seed(), b.dims(a));
  const Tensor p = call.has(1, "p") ? call.as(call.value(1, "p"), DType::F32) : b.converted(a, DType::F32);
  return b.converted(b.compare(Direction::LT, drawn, p), b.dtype(a));
}

constexpr Operator kOperators[] = {
    {"rand", rand}, {"rand_like", rand}, {"randn", rand}, {"randn_like", rand}, {"inductor_random", inductor_random}, {"inductor_seeds", inductor_seeds},
    {"inductor_lookup_seed", inductor_lookup_seed}, {"native_dropout", dropout}, {"dropout", dropout}, {"native_dropout_backward", dropout_backward}, {"bernoulli", bernoulli},
};

}  // namespace

std::span<const Operator> random_operators() { return kOperators; }

}  // namespace seam::graph::torch
