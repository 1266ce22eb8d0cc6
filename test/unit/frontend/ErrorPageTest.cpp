// Section 10 of language.md, line by line: each error and note there is what a text gets, and where.
#include "test/unit/frontend/Import.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace heddle::test;
using testing::Contains;

namespace {
namespace fs = std::filesystem;

/// A model that must be refused, and lines of what it is told; the folder of the model is 'models/x'.
struct Refused {
  Model model;
  std::vector<std::string> said;
};

Model entry(const std::string &body, const std::string &functions = "", const std::string &result = "f32[batch, sequence..., n_embd]") {
  return {entryText(body, functions, result), "", {}};
}
/// A model of these items, which gets an entry where they have none.
Model text(const std::string &items, const std::string &config = "") {
  bool hasEntry = items.find("entry ") != items.npos;
  return {"heddle 1\nmodel x {\n" + items + (hasEntry ? "" : "\n  entry any(x: f32[batch]) -> f32[batch] = x") + "\n}\n", config, {}};
}

Model layers() {
  return {"heddle 1\nmodel x {\n  prefix \"transformer.\", \"\"\n  config n_layer: int = 5\n  config n_embd: int = 64\n"
          "  fn norm(x, w) = x * weight(\"{w}.weight\", [n_embd])\n"
          "  entry forward(x: f32[batch, sequence..., n_embd]) -> f32[batch, sequence..., n_embd] {\n"
          "    for i in 0..n_layer { x = norm(x, \"h.{i}.ln_1\") }\n    return x\n  }\n}\n",
          "",
          {{"transformer.h.0.ln_1.weight", {64}},
           {"transformer.h.1.ln_1.weight", {64}},
           {"transformer.h.2.ln_1.weight", {64}},
           {"transformer.h.3.ln_1.weight", {64}}}};
}

std::vector<Refused> refusals() {
  const std::string rope = "  config rope_scaling.rope_type: string\n  let f = match rope_scaling.rope_type { \"default\" => 1, \"linear\" => 2, "
                           "\"llama3\" => 3, \"yarn\" => 4 }";
  Model positions = text("  config n_positions: int = 1024\n  config n_embd: int = 64\n  entry e(p: i32[batch, s...]) -> f32[batch, s..., n_embd] =\n"
                         "    weight(\"transformer.wpe.weight\", [n_positions, n_embd])[p]");
  positions.tensors = {{"transformer.wpe.weight", {512, 64}}};
  return {
      {entry("    return x + weight(\"w\", [n_inner])"),
       {"x.heddle:9:14: error: cannot add f32[batch, sequence..., n_embd 64] and f32[n_inner 256]: n_embd 64 meets n_inner 256"}},
      {entry("    return x @ weight(\"w\", [n_inner, n_embd])"),
       {"x.heddle:9:14: error: cannot multiply f32[batch, sequence..., n_embd 64] @ f32[n_inner 256, n_embd 64]: n_embd 64 meets n_inner 256",
        "x.heddle:9:14: note: the matrix is stored [out, in]: write '@ transpose(...)'"}},
      {text("  config n_embd: int = 64\n  entry e(a: f32[batch, n_embd], b: f32[batch, 1, n_embd]) -> f32[batch, 1, n_embd] = a + b"),
       {"x.heddle:4:89: error: f32[batch, n_embd 64] would widen f32[batch, 1, n_embd 64]: batch meets a unit axis",
        "x.heddle:4:89: note: give both the same number of axes: rearrange(x, [b, d] -> [b, 1, d])"}},
      {text("  config hidden_size, num_attention_heads: int\n  config head_dim: int = hidden_size / num_attention_heads",
            R"({"hidden_size": 770, "num_attention_heads": 12})"),
       {"x.heddle:4:26: error: hidden_size 770 is not divisible by num_attention_heads 12",
        "x.heddle:4:26: note: choose a multiple of 12, or set head_dim"}},
      {text("  config d_model: int = 64\n  entry e(a: f32[batch, source..., d_model], b: f32[batch, target..., d_model]) -> f32[batch, source..., "
            "d_model] =\n    a + b"),
       {"x.heddle:5:7: error: cannot add f32[batch, source..., d_model 64] and f32[batch, target..., d_model 64]: 'source' meets 'target'"}},
      {entry("    p = softmax(x @ transpose(x), over=sequence)\n    return x"),
       {"x.heddle:9:40: error: 'sequence' names two axes of f32[batch, sequence..., sequence...]",
        "x.heddle:9:40: note: without over= the last axis is taken; for the other, transpose first"}},
      {entry("    return x - mean(x, over=batch)"),
       {"x.heddle:9:16: error: a mean over 'batch' would mix rows; a row's result may depend on that row only"}},
      {text("  config n_layer: int = 1\n\n  config n_head: int = 4\n  let d = 64 / n_heads"),
       {"x.heddle:6:16: error: unknown name 'n_heads'", "x.heddle:6:16: note: did you mean 'n_head' (configuration key, line 5)?"}},
      {text("  config n_embd: int", "{}"),
       {"x.heddle:3:10: error: configuration key 'n_embd' has no value and no default",
        "x.heddle:3:10: note: it is not in 'models/x/config.json'; give --set n_embd=N"}},
      {text("  config n_layer: int", "{\n  \"n_layer\": \"twelve\"\n}"),
       {"models/x/config.json:2:14: error: 'n_layer': expected int, got \"twelve\""}},
      {text(rope, R"({"rope_scaling": {"rope_type": "dynamic"}})"),
       {"x.heddle:4:11: error: rope_scaling.rope_type is \"dynamic\"; this text knows \"default\", \"linear\", \"llama3\", \"yarn\""}},
      {text("  config d: int = 64\n  entry e(x: f32[batch, sequence..., d]) -> f32[batch, sequence..., d] {\n    if x { x = -x }\n    return x\n  }"),
       {"x.heddle:5:8: error: a condition is decided when compiling, got f32[batch, sequence..., d 64]",
        "x.heddle:5:8: note: write where(condition, a, b)"}},
      {entry("    return x", "  fn softmax(x) = x"), {"x.heddle:7:6: error: 'softmax' is a built-in; choose another name"}},
      {entry("    return f(x)", "  fn f(x) = g(x)\n  fn g(x) = f(x)"),
       {"x.heddle:7:6: error: function 'f' calls itself: f (line 7) -> g (line 8) -> f"}},
      {entry("    return rearrange(x, [b, s, p * p] -> [b, s, p])"),
       {"x.heddle:9:36: error: rearrange: axis 'p' twice on one side; give the second a name of its own (q = p)"}},
      {entry("    return rearrange(x, [b, s * 2, d] -> [b, s, 2, d])"),
       {"x.heddle:9:29: error: rearrange: 'sequence' is ragged and cannot be cut or merged"}},
      {entry("    a, b = split(x, [16, 16, 32])\n    return x"), {"x.heddle:9:5: error: 3 values for 2 names"}},
      {text("  entry e(x: f32[batch, sequence..., 8]) -> f32[batch, sequence..., 8] = rotary(x, frequencies(8))"),
       {"x.heddle:3:74: error: 'rotary' needs a bound on 'sequence': write 'sequence... <= max_position_embeddings' in the signature"}},
      {text("  entry e(a: f32[batch, sequence..., 8], b: f32[batch, sequence, 8]) -> f32[batch, sequence..., 8] = a"),
       {"x.heddle:3:56: error: 'sequence' is ragged: write 'sequence...' at every mention in a signature"}},
      {entry("    return x", "  config vocab_size: int = 53", "f32[batch, sequence..., vocab_size]"),
       {"x.heddle:9:12: error: entry 'forward' returns f32[batch, sequence..., n_embd 64], its signature says f32[batch, sequence..., vocab_size "
        "53]"}},
      {layers(),
       {"x.heddle:6:23: error: tensor 'h.4.ln_1.weight' is missing: neither 'transformer.h.4.ln_1.weight' nor 'h.4.ln_1.weight' is in "
        "'model.safetensors'",
        "x.heddle:6:23: note: the file has 'transformer.h.0.ln_1.weight' to 'transformer.h.3.ln_1.weight'; n_layer is 5",
        "x.heddle:8:31: note: in 'norm', called with x: f32[batch, sequence..., n_embd 64], w: \"h.4.ln_1\""}},
      {positions, {"x.heddle:6:5: error: tensor 'transformer.wpe.weight': expected [n_positions 1024, n_embd 64], got [512, 64]"}},
      {text("  config scaled: bool = true\n  require not scaled, \"scaled rotations are in llama.heddle, not in this text\""),
       {"x.heddle:4:3: error: scaled rotations are in llama.heddle, not in this text (require)"}},
      {entry("    return f(x}"), {"x.heddle:9:15: error: expected ')', got '}'"}},
  };
}

/// The lines of a model's messages, its folder called as the page calls it.
std::vector<std::string> linesOf(const Model &model) {
  std::istringstream lines(refusal(model));
  std::vector<std::string> result;
  for (std::string line; std::getline(lines, line);) {
    for (size_t at; (at = line.find(fs::temp_directory_path().string())) != line.npos;) {
      size_t name = line.find("heddle-frontend-", at), end = line.find('/', name);
      line.replace(at, end - at, "models/x");
    }
    result.push_back(line.starts_with("models/x/x.heddle") ? line.substr(9) : line);
  }
  return result;
}

/// "x.heddle:9:14: error: what" -> "error: what"
std::string withoutPlace(const std::string &line) {
  size_t at = std::min(line.find(": error: "), line.find(": note: "));
  return at == line.npos ? "" : line.substr(at + 2);
}

/// The lines of section 10, without their places.
std::vector<std::string> pageLines() {
  std::ifstream page(fs::path(HEDDLE_SOURCE_DIR) / "compiler/frontend/language.md");
  std::vector<std::string> result;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## "))
      inside = line.starts_with("## 10.");
    if (inside && line.starts_with("    ") && !withoutPlace(line).empty())
      result.push_back(withoutPlace(line));
  }
  return result;
}
} // namespace

TEST(ErrorPage, eachLineIsSaid) {
  std::set<std::string> all;
  for (const Refused &refused : refusals()) {
    SCOPED_TRACE(refused.model.text);
    std::vector<std::string> lines = linesOf(refused.model);
    for (const std::string &line : refused.said) {
      EXPECT_THAT(lines, Contains(line));
      all.insert(withoutPlace(line));
    }
  }
  std::vector<std::string> page = pageLines();
  EXPECT_GE(page.size(), 33u);
  for (const std::string &line : page)
    if (!line.starts_with("error: @fused: ")) // the graph stage says it: test/tools/explain.test
      EXPECT_TRUE(all.contains(line)) << "no test says: " << line;
}

TEST(ErrorPage, fusedMarksAFormula) {
  EXPECT_THAT(linesOf(entry("    return @fused x")),
              Contains("x.heddle:9:12: error: '@fused' marks a formula of tensors, got f32[batch, sequence..., n_embd 64]"));
}
