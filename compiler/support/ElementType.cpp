// See ElementType.h.
#include "compiler/support/ElementType.h"
#include <algorithm>
#include <iterator>

namespace heddle {

namespace {
struct Row {
  ElementType element;
  unsigned bytes;
  std::string_view name;
};
// In the order of the enum.
constexpr Row rows[] = {
    {ElementType::Bool, 1, "BOOL"},      {ElementType::U8, 1, "U8"},   {ElementType::I8, 1, "I8"},   {ElementType::F8E4M3, 1, "F8_E4M3"},
    {ElementType::F8E5M2, 1, "F8_E5M2"}, {ElementType::U16, 2, "U16"}, {ElementType::I16, 2, "I16"}, {ElementType::F16, 2, "F16"},
    {ElementType::BF16, 2, "BF16"},      {ElementType::U32, 4, "U32"}, {ElementType::I32, 4, "I32"}, {ElementType::F32, 4, "F32"},
    {ElementType::U64, 8, "U64"},        {ElementType::I64, 8, "I64"}, {ElementType::F64, 8, "F64"},
};
} // namespace

unsigned bytesOf(ElementType element) { return rows[static_cast<int>(element)].bytes; }

std::string_view nameOf(ElementType element) { return rows[static_cast<int>(element)].name; }

std::optional<ElementType> elementNamed(std::string_view name) {
  auto row = std::find_if(std::begin(rows), std::end(rows), [&](const Row &row) { return row.name == name; });
  return row == std::end(rows) ? std::nullopt : std::optional(row->element);
}

} // namespace heddle
