// The rule of elementwise axes and its messages.
#include "compiler/frontend/Broadcasting.h"
#include <algorithm>
#include <fmt/format.h>

namespace heddle::frontend {

static std::string printSide(const Extent &extent) { return extent.isStatic() ? extent.print() : "'" + extent.form() + "'"; }

std::string printMeeting(const Extent &left, const Extent &right) { return fmt::format("{} meets {}", printSide(left), printSide(right)); }

/// How to give an operand of `fewer` axes as many as the other has: `rearrange(x, [b, d] -> [b, 1, d])`.
static std::string rearrangeRemedy(size_t fewer, size_t more) {
  static constexpr const char *names[] = {"b", "n", "s", "e", "f", "g", "h", "d"};
  std::string left, right;
  for (size_t i = 0; i < fewer; ++i) {
    std::string name = i + 1 == fewer ? "d" : names[std::min<size_t>(i, 6)];
    left += (i ? ", " : "") + name;
    right += (i ? ", " : "") + name;
    if (i == 0)
      for (size_t k = fewer; k < more; ++k)
        right += ", 1";
  }
  return fmt::format("give both the same number of axes: rearrange(x, [{}] -> [{}])", left, right);
}

Joined joinAxes(const Axes &left, const Axes &right, const std::string &leftType, const std::string &rightType) {
  Joined result;
  const Axes &more = left.size() >= right.size() ? left : right, &fewer = left.size() >= right.size() ? right : left;
  bool fewerIsLeft = &fewer == &left;
  result.axes = more;
  for (size_t i = 1; i <= fewer.size(); ++i) {
    Axis &mine = result.axes[more.size() - i];
    const Axis &other = fewer[fewer.size() - i];
    if (other.unit)
      continue;
    if (mine.extent.agrees(other.extent)) {
      if (mine.unit) // an axis that happens to be 1 long is in the IR, a unit axis is not
        mine = other;
      continue;
    }
    if (!mine.unit) {
      result.problem = fewerIsLeft ? printMeeting(other.extent, mine.extent) : printMeeting(mine.extent, other.extent);
      return result;
    }
    if (more.size() != fewer.size()) {
      result.problem = fmt::format("{} would widen {}: {} meets a unit axis", fewerIsLeft ? leftType : rightType, fewerIsLeft ? rightType : leftType,
                                   other.extent.form());
      result.remedies.push_back(rearrangeRemedy(fewer.size(), more.size()));
      result.widens = true;
      return result;
    }
    mine = other;
  }
  return result;
}

} // namespace heddle::frontend
