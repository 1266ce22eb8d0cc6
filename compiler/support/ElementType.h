// The element types of weight files and arrays. Which of them a stage can compute with is that stage's business.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle {

enum class ElementType { Bool, U8, I8, F8E4M3, F8E5M2, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64 };

/// Bytes of one element.
unsigned bytesOf(ElementType element);

/// Names as in the header of a safetensors file: `F32`, `BF16`, `I64`, `BOOL`.
std::string_view nameOf(ElementType element);
std::optional<ElementType> elementNamed(std::string_view name);

} // namespace heddle
