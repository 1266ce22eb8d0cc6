// A number that computes: what compiler/loops/ElementaryFunctions.h needs of its type, on the machine's own numbers, one rounding an operation.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

template <typename T> struct MachineNumber {
  using Wrapping = std::conditional_t<std::is_same_v<T, int32_t>, uint32_t, std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>>;
  T value;
  // Not `MachineNumber(T)` implicitly: `2.0 * x` on f32 would be in doubles.
  static MachineNumber of(T value) { return {value}; }
  MachineNumber like(T other) const { return {other}; }

  friend MachineNumber operator+(MachineNumber x, MachineNumber y) { return {static_cast<T>(Wrapping(x.value) + Wrapping(y.value))}; }
  friend MachineNumber operator-(MachineNumber x, MachineNumber y) { return {static_cast<T>(Wrapping(x.value) - Wrapping(y.value))}; }
  friend MachineNumber operator*(MachineNumber x, MachineNumber y) { return {static_cast<T>(x.value * y.value)}; }
  friend MachineNumber operator/(MachineNumber x, MachineNumber y) { return {static_cast<T>(x.value / y.value)}; }
  friend MachineNumber operator+(MachineNumber x, T y) { return x + of(y); }
  friend MachineNumber operator-(MachineNumber x, T y) { return x - of(y); }
  friend MachineNumber operator*(MachineNumber x, T y) { return x * of(y); }
  friend MachineNumber operator+(T x, MachineNumber y) { return of(x) + y; }
  friend MachineNumber operator-(T x, MachineNumber y) { return of(x) - y; }
  friend MachineNumber operator/(T x, MachineNumber y) { return of(x) / y; }
  friend MachineNumber operator-(MachineNumber x) { return {-x.value}; }

  friend MachineNumber operator&(MachineNumber x, T y) { return {x.value & y}; }
  friend MachineNumber operator|(MachineNumber x, MachineNumber y) { return {x.value | y.value}; }
  friend MachineNumber operator^(MachineNumber x, MachineNumber y) { return {x.value ^ y.value}; }
  friend MachineNumber operator<<(MachineNumber x, T y) { return {x.value << y}; }
  friend MachineNumber operator>>(MachineNumber x, T y) { return {x.value >> y}; }

  friend bool operator<(MachineNumber x, T y) { return x.value < y; }
  friend bool operator>(MachineNumber x, T y) { return x.value > y; }
  friend bool operator==(MachineNumber x, T y) { return x.value == y; }
  friend MachineNumber select(bool condition, MachineNumber x, MachineNumber y) { return condition ? x : y; }

  friend MachineNumber fma(MachineNumber x, MachineNumber y, MachineNumber z) { return {std::fma(x.value, y.value, z.value)}; }
  friend MachineNumber fma(MachineNumber x, T y, MachineNumber z) { return {std::fma(x.value, y, z.value)}; }
  friend MachineNumber fma(MachineNumber x, MachineNumber y, T z) { return {std::fma(x.value, y.value, z)}; }

  friend MachineNumber sqrt(MachineNumber x) { return {std::sqrt(x.value)}; }

  /// The bits of a number as a whole number, and back.
  friend auto bits(MachineNumber x) {
    using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    return MachineNumber<Bits>{std::bit_cast<Bits>(x.value)};
  }
  friend auto number(MachineNumber x) {
    using Real = std::conditional_t<sizeof(T) == 4, float, double>;
    return MachineNumber<Real>{std::bit_cast<Real>(x.value)};
  }
  friend MachineNumber<float> toNumber(MachineNumber x) { return {static_cast<float>(x.value)}; }
  friend MachineNumber<double> widen(MachineNumber x) { return {static_cast<double>(x.value)}; }
  friend MachineNumber<float> narrow(MachineNumber x) { return {static_cast<float>(x.value)}; }
};
