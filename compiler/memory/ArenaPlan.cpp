// Greedy placement: one buffer after the other takes the place at which the arena grows least. The places tried are the start of the arena and the
// ends of buffers that live at the same time, so a large place, once its owner is dead, is shared out among several smaller buffers.
#include "compiler/memory/ArenaPlan.h"
#include <algorithm>
#include <numeric>
#include <tuple>

using namespace heddle;

std::optional<Polynomial> heddle::endOf(const ArenaBuffer &buffer, int64_t alignment) {
  int64_t rounding = buffer.offset.isMultipleOf(alignment) ? 0 : alignment - 1;
  std::optional<Polynomial> end = buffer.offset.plus(buffer.bytes);
  return end ? end->plus(Polynomial::constant(rounding)) : std::nullopt;
}

namespace {

struct Placement {
  std::vector<ArenaBuffer> buffers;
  Polynomial total;
};

class Planner {
public:
  Planner(std::vector<ArenaBuffer> buffers, const std::vector<double> &usual, int64_t alignment)
      : buffers(std::move(buffers)), usual(usual), alignment(alignment), ends(this->buffers.size()) {}

  std::optional<Placement> run(const std::vector<size_t> &order) {
    for (size_t index : order)
      if (!place(index))
        return std::nullopt;
    return Placement{std::move(buffers), std::move(total)};
  }

private:
  struct Choice {
    Polynomial offset, end;
    double arena, start;
  };

  bool place(size_t index) {
    std::vector<size_t> neighbours = livingBeside(index);
    std::vector<Polynomial> candidates{Polynomial()};
    Polynomial beyondAll; // always free, if it does not overflow
    for (size_t neighbour : neighbours) {
      candidates.push_back(*ends[neighbour]);
      beyondAll = beyondAll.maximum(*ends[neighbour]);
    }
    candidates.push_back(beyondAll);
    std::optional<Choice> best;
    for (const Polynomial &candidate : candidates)
      consider(index, candidate, neighbours, best);
    if (!best)
      return false;
    buffers[index].offset = best->offset;
    total = total.maximum(best->end);
    ends[index] = best->end;
    return true;
  }

  /// The buffers placed already that live at some moment of this one.
  std::vector<size_t> livingBeside(size_t index) const {
    std::vector<size_t> result;
    for (size_t other = 0; other < buffers.size(); ++other)
      if (ends[other] && buffers[other].first <= buffers[index].last && buffers[index].first <= buffers[other].last)
        result.push_back(other);
    return result;
  }

  void consider(size_t index, const Polynomial &offset, const std::vector<size_t> &neighbours, std::optional<Choice> &best) const {
    ArenaBuffer buffer = buffers[index];
    buffer.offset = offset;
    std::optional<Polynomial> end = endOf(buffer, alignment);
    if (!end)
      return;
    for (size_t neighbour : neighbours)
      if (!end->atMost(buffers[neighbour].offset) && !ends[neighbour]->atMost(offset))
        return;
    Choice choice{offset, *end, total.maximum(*end).evaluate(usual), offset.evaluate(usual)};
    if (!best || choice.arena < best->arena || (choice.arena == best->arena && choice.start < best->start))
      best = std::move(choice);
  }

  std::vector<ArenaBuffer> buffers;
  const std::vector<double> &usual;
  const int64_t alignment;
  std::vector<std::optional<Polynomial>> ends; // of the buffers placed so far
  Polynomial total;
};

} // namespace

std::optional<Polynomial> heddle::planArena(std::vector<ArenaBuffer> &buffers, const std::vector<double> &usual, int64_t alignment) {
  std::vector<size_t> byUse(buffers.size());
  std::iota(byUse.begin(), byUse.end(), 0);
  std::vector<size_t> bySize = byUse;
  std::sort(byUse.begin(), byUse.end(), [&](size_t a, size_t b) { return std::pair(buffers[a].first, a) < std::pair(buffers[b].first, b); });
  std::sort(bySize.begin(), bySize.end(), [&](size_t a, size_t b) {
    return std::tuple(-buffers[a].bytes.evaluate(usual), buffers[a].first, a) < std::tuple(-buffers[b].bytes.evaluate(usual), buffers[b].first, b);
  });
  std::optional<Placement> best; // large ones first is better as a rule, in order of use for chains of equal ones
  for (const std::vector<size_t> &order : {bySize, byUse}) {
    std::optional<Placement> plan = Planner(buffers, usual, alignment).run(order);
    if (plan && (!best || plan->total.evaluate(usual) < best->total.evaluate(usual)))
      best = std::move(plan);
  }
  if (!best)
    return std::nullopt;
  buffers = std::move(best->buffers);
  return best->total;
}
