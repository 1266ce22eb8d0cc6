#include "compiler/pipeline/FusionNotes.h"
#include "compiler/support/Location.h"
#include "mlir/IR/Remarks.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace heddle;

namespace {

auto key(const FusionNote &note) { return std::tie(note.place.file, note.place.line, note.place.column, note.fusion, note.made, note.reason); }

class Collector : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::vector<FusionNote> &notes) : notes(notes) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    FusionNote note{placeOf(remark.getLocation()), remark.getRemarkName().str(), remark.getRemarkType() == llvm::remarks::Type::Passed, {}, {}, 1};
    for (const auto &argument : remark.getArgs()) {
      if (argument.key == "Reason")
        note.reason = argument.val;
      if (argument.key == "Suggestion")
        note.remedy = argument.val;
    }
    auto same = std::find_if(notes.begin(), notes.end(), [&](const FusionNote &other) { return key(other) == key(note); });
    if (same == notes.end())
      notes.push_back(note);
    else
      ++same->times;
  }

private:
  std::vector<FusionNote> &notes;
};

void sortByPlace(std::vector<FusionNote> &notes) {
  llvm::sort(notes, [](const FusionNote &a, const FusionNote &b) { return key(a) < key(b); });
}

std::string timesOf(const FusionNote &note) { return note.times > 1 ? fmt::format(" ({} times)", note.times) : ""; }

std::string describe(const FusionNote &note) { return note.made ? note.fusion : fmt::format("no {}: {}", note.fusion, note.reason); }
} // namespace

void heddle::collectFusionNotes(MLIRContext &context, std::vector<FusionNote> &notes) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = "fusion";
  (void)remark::enableOptimizationRemarks(context, std::make_unique<Collector>(notes), std::make_unique<remark::RemarkEmittingPolicyAll>(),
                                          categories);
}

std::string heddle::printFusionNotes(std::vector<FusionNote> notes) {
  sortByPlace(notes);
  std::string text;
  int made = 0, missed = 0;
  for (const FusionNote &note : notes) {
    (note.made ? made : missed) += note.times;
    text += fmt::format("{}:{}:{}: {}{}\n", note.place.file, note.place.line, note.place.column, describe(note), timesOf(note));
    if (!note.remedy.empty())
      text += fmt::format("    {}\n", note.remedy);
  }
  return text + fmt::format("{} fused, {} not\n", made, missed);
}

std::string heddle::printFusionNotesAsJson(std::vector<FusionNote> notes) {
  sortByPlace(notes);
  auto list = nlohmann::ordered_json::array();
  for (const FusionNote &note : notes) {
    nlohmann::ordered_json one{{"file", note.place.file}, {"line", note.place.line}, {"column", note.place.column},
                               {"fusion", note.fusion},   {"made", note.made},       {"times", note.times}};
    if (!note.made)
      one["reason"] = note.reason, one["remedy"] = note.remedy;
    list.push_back(one);
  }
  return nlohmann::ordered_json{{"fusions", list}}.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string heddle::printFusionDifference(const std::vector<FusionNote> &before, const std::vector<FusionNote> &after) {
  std::map<std::string, int> difference;
  for (const FusionNote &note : before)
    difference[describe(note)] -= note.times;
  for (const FusionNote &note : after)
    difference[describe(note)] += note.times;
  std::string text;
  for (const auto &[what, times] : difference)
    if (times)
      text += fmt::format("{} {}{}\n", times < 0 ? '-' : '+', what, std::abs(times) > 1 ? fmt::format(" ({} times)", std::abs(times)) : "");
  return text;
}
