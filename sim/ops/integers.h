#pragma once
/// Integer types as C++ types.
#include <cstdint>
#include <type_traits>

#include "decode/form.h"
#include "ops/isa.h"

namespace seam::sim {

/// The value's bits, at least 32 wide so that arithmetic on them wraps instead of overflowing an int.
template <class T>
SEAM_SIM_INLINE constexpr auto bits_of(T a) {
  using U = std::make_unsigned_t<T>;
  using Bits = std::conditional_t<sizeof(U) < 4, std::uint32_t, U>;
  return static_cast<Bits>(static_cast<U>(a));
}

template <class T>
struct Wider;
template <> struct Wider<std::uint16_t> { using type = std::uint32_t; };
template <> struct Wider<std::int16_t> { using type = std::int32_t; };
template <> struct Wider<std::uint32_t> { using type = std::uint64_t; };
template <> struct Wider<std::int32_t> { using type = std::int64_t; };
__extension__ typedef unsigned __int128 Wide128;
__extension__ typedef __int128 SignedWide128;
template <> struct Wider<std::uint64_t> { using type = Wide128; };
template <> struct Wider<std::int64_t> { using type = SignedWide128; };
template <class T>
using wider_t = typename Wider<T>::type;

[[nodiscard]] constexpr Type twice(Type type) {
  switch (type) {
    case Type::U16: return Type::U32;
    case Type::S16: return Type::S32;
    case Type::U32: return Type::U64;
    default: return Type::S64;
  }
}

/// make.operator()<T>() for the C++ type of u16 … s64; refuses other types.
template <class Make>
Handler by_integer(Form& form, Type type, Make make) {
  switch (type) {
    case Type::U16: return make.template operator()<std::uint16_t>();
    case Type::S16: return make.template operator()<std::int16_t>();
    case Type::U32: return make.template operator()<std::uint32_t>();
    case Type::S32: return make.template operator()<std::int32_t>();
    case Type::U64: return make.template operator()<std::uint64_t>();
    case Type::S64: return make.template operator()<std::int64_t>();
    default: form.refuse("the type is not an integer"); return nullptr;
  }
}

/// make.operator()<T>() for unsigned C++ type of b16, b32, b64.
template <class Make>
Handler by_width(Form& form, Type type, Make make) {
  switch (type) {
    case Type::B16: return make.template operator()<std::uint16_t>();
    case Type::B32: return make.template operator()<std::uint32_t>();
    case Type::B64: return make.template operator()<std::uint64_t>();
    default: form.refuse("the type must be .b16, .b32 or .b64"); return nullptr;
  }
}

void decode_carry(Form& form);

}  // namespace seam::sim
