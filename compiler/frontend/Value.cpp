// How values print in messages.
#include "compiler/frontend/Value.h"
#include <cmath>
#include <fmt/format.h>

namespace heddle::frontend {

std::string_view nameOf(Element element) {
  switch (element) {
  case Element::F32:
    return "f32";
  case Element::I32:
    return "i32";
  case Element::Bool:
    return "bool";
  }
  return "";
}

std::optional<double> Value::number() const {
  if (auto *integer = as<Extent>())
    return static_cast<double>(integer->staticValue());
  if (auto *real = as<double>())
    return *real;
  return std::nullopt;
}

const Axes *Value::axes() const {
  if (auto *tensor = as<Tensor>())
    return &tensor->axes;
  if (auto *constant = as<ConstantTensor>())
    return &constant->axes;
  return nullptr;
}

std::string printAxes(const Axes &axes) {
  std::string text;
  for (const Axis &axis : axes)
    text += (text.empty() ? "" : ", ") + axis.extent.print();
  return "[" + text + "]";
}

std::string printType(Element element, const Axes &axes) { return fmt::format("{}{}", nameOf(element), printAxes(axes)); }

std::string printNumber(double number) {
  if (std::isinf(number))
    return number > 0 ? "infinity" : "-infinity";
  std::string text = fmt::format("{}", number);
  return text.find_first_of(".en") == text.npos ? text + ".0" : text;
}

namespace {
/// Long strings are cut: a message names a value, it does not carry it.
std::string quoted(const std::string &text) {
  constexpr size_t longest = 80;
  if (text.size() <= longest)
    return "\"" + text + "\"";
  size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end; // not inside a character
  return "\"" + text.substr(0, end) + "...\"";
}

struct Describe {
  std::string operator()(const Failed &) const { return "nothing"; }
  std::string operator()(const None &) const { return "none"; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const Extent &value) const { return std::to_string(value.staticValue()); }
  std::string operator()(double value) const { return printNumber(value); }
  std::string operator()(const std::string &value) const { return quoted(value); }
  std::string operator()(const List &) const { return "a list"; }
  std::string operator()(const std::shared_ptr<const Mask> &) const { return "a mask"; }
  std::string operator()(const std::shared_ptr<const Bias> &) const { return "a bias"; }
  std::string operator()(const ConstantTensor &value) const { return printType(value.element, value.axes); }
  std::string operator()(const Tensor &value) const { return printType(value.element, value.axes); }
  std::string operator()(const Object &) const { return "an object"; }
  std::string operator()(const FunctionName &value) const { return fmt::format("the function '{}'", value.name); }
};
} // namespace

std::string Value::describe() const { return std::visit(Describe(), is); }

std::string Value::kind() const {
  if (as<bool>())
    return "bool";
  if (integer())
    return "int";
  if (as<double>())
    return "float";
  if (as<std::string>())
    return "string";
  return describe();
}

} // namespace heddle::frontend
