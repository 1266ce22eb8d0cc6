// An entry as people write it.
#include "tools/heddle/Signature.h"
#include <fmt/format.h>

using namespace heddle;

static std::string dimensionText(const DimensionInfo &dimension) { return dimension.name + (dimension.kind == DimensionKind::Ragged ? "..." : ""); }

static std::string extentText(const EntryInfo &entry, const Form &extent, bool withBound) {
  std::string text;
  for (const FormTerm &term : extent) {
    std::string product = term.coefficient == 1 && !term.dimensions.empty() ? "" : std::to_string(term.coefficient);
    for (int64_t dimension : term.dimensions)
      product += (product.empty() ? "" : " * ") + dimensionText(entry.dimensions[dimension]);
    text += (text.empty() ? "" : " + ") + product;
  }
  bool isSingle = extent.size() == 1 && extent[0].coefficient == 1 && extent[0].dimensions.size() == 1;
  int64_t bound = isSingle ? entry.dimensions[extent[0].dimensions[0]].bound : 0;
  return (text.empty() ? "0" : text) + (withBound && bound > 0 ? fmt::format(" <= {}", bound) : "");
}

static std::string typeText(const EntryInfo &entry, const ValueInfo &value, bool withBounds) {
  static constexpr const char *names[] = {"f32", "i32", "bool"};
  std::string extents;
  for (const Form &extent : value.extents)
    extents += (extents.empty() ? "" : ", ") + extentText(entry, extent, withBounds);
  return names[static_cast<int64_t>(value.element)] + (extents.empty() ? "" : "[" + extents + "]");
}

std::string heddle::signatureOf(const EntryInfo &entry) {
  std::string arguments, results;
  for (const ValueInfo &argument : entry.arguments) {
    arguments += fmt::format("{}{}: {}", arguments.empty() ? "" : ", ", argument.name, typeText(entry, argument, /*withBounds=*/true));
    if (argument.defaultValue && argument.element == Element::Bool)
      arguments += *argument.defaultValue != 0 ? " = true" : " = false";
    else if (argument.defaultValue)
      arguments += fmt::format(" = {:g}", *argument.defaultValue);
  }
  bool isSingle = entry.results.size() == 1 && entry.results[0].name == "result";
  for (const ValueInfo &result : entry.results)
    results += fmt::format("{}{}{}", results.empty() ? "" : ", ", isSingle ? "" : result.name + ": ", typeText(entry, result, /*withBounds=*/false));
  return fmt::format(fmt::runtime(isSingle ? "{}({}) -> {}" : "{}({}) -> ({})"), entry.name, arguments, results);
}
