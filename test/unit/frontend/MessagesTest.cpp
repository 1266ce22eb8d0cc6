// The messages of language.md, section 10, about types, extents and axes: wording, place, remedy.
#include "test/unit/frontend/Import.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle::test;
using testing::HasSubstr;
using testing::Not;

namespace {
std::string said(const std::string &body, const std::string &functions = "", const std::string &result = "f32[batch, sequence..., n_embd]") {
  return refusal({entryText(body, functions, result), "", {}});
}
constexpr const char *xType = "f32[batch, sequence..., n_embd 64]";
} // namespace

TEST(Messages, axesThatDoNotMeet) {
  EXPECT_THAT(said("    return x + weight(\"w\", [n_inner])"),
              HasSubstr("x.heddle:9:14: error: cannot add f32[batch, sequence..., n_embd 64] and f32[n_inner 256]: n_embd 64 meets n_inner 256"));
  EXPECT_THAT(said("    return x - weight(\"w\", [3])"), HasSubstr(std::string("cannot subtract f32[3] from ") + xType + ": n_embd 64 meets 3"));
  std::string message = said("    return x @ weight(\"w\", [n_inner, n_embd])");
  EXPECT_THAT(message, HasSubstr("x.heddle:9:14: error: cannot multiply f32[batch, sequence..., n_embd 64] @ f32[n_inner 256, n_embd 64]: n_embd 64 "
                                 "meets n_inner 256"));
  EXPECT_THAT(message, HasSubstr("x.heddle:9:14: note: the matrix is stored [out, in]: write '@ transpose(...)'"));
}

TEST(Messages, dimensionsThatDoNotMeet) {
  Model model{"heddle 1\nmodel x {\n  config d_model: int = 64\n  entry e(a: f32[batch, source..., d_model], b: f32[batch, target..., d_model]) -> "
              "f32[batch, source..., d_model] =\n    a + b\n}\n",
              "",
              {}};
  EXPECT_THAT(refusal(model), HasSubstr("x.heddle:5:7: error: cannot add f32[batch, source..., d_model 64] and f32[batch, target..., d_model 64]: "
                                        "'source' meets 'target'"));
}

TEST(Messages, fewerAxesNeverWiden) {
  Model model{"heddle 1\nmodel x {\n  config n_embd: int = 64\n  entry e(a: f32[batch, n_embd], b: f32[batch, 1, n_embd]) -> f32[batch, 1, n_embd] "
              "=\n    a + b\n}\n",
              "",
              {}};
  std::string message = refusal(model);
  EXPECT_THAT(message, HasSubstr("x.heddle:5:7: error: f32[batch, n_embd 64] would widen f32[batch, 1, n_embd 64]: batch meets a unit axis"));
  EXPECT_THAT(message, HasSubstr("x.heddle:5:7: note: give both the same number of axes: rearrange(x, [b, d] -> [b, 1, d])"));
}

TEST(Messages, axesNamedByOver) {
  EXPECT_THAT(said("    return x - mean(x, over=batch)"),
              HasSubstr("x.heddle:9:16: error: a mean over 'batch' would mix rows; a row's result may depend on that row only"));
  EXPECT_THAT(said("    return x - mean(x, over=n_head)"), HasSubstr(std::string("x.heddle:9:29: error: 'n_head' names no axis of ") + xType));
  std::string message = said("    y = softmax(mask_values(none, x, x), over=sequence)\n    return x");
  EXPECT_THAT(message, HasSubstr("'softmax' takes a tensor of numbers with an axis, got bool[batch, sequence..., sequence...]"));
  message = said("    s = rearrange(weight(\"w\", [n_embd, n_embd]), [a, b] -> [b, a])\n    return x * sum(s, over=n_embd)");
  EXPECT_THAT(message, HasSubstr("x.heddle:10:28: error: 'n_embd' names two axes of f32[n_embd 64, n_embd 64]"));
  EXPECT_THAT(message, HasSubstr("x.heddle:10:28: note: without over= the last axis is taken; for the other, transpose first"));
}

TEST(Messages, conditionsAreDecidedWhenCompiling) {
  std::string message = said("    if x { x = x + 1 }\n    return x");
  EXPECT_THAT(message, HasSubstr("x.heddle:9:8: error: a condition is decided when compiling, got f32[batch, sequence..., n_embd 64]"));
  EXPECT_THAT(message, HasSubstr("x.heddle:9:8: note: write where(condition, a, b)"));
}

TEST(Messages, severalValues) {
  EXPECT_THAT(said("    a, b = split(x, 4)\n    return x"), HasSubstr("x.heddle:9:5: error: 4 values for 2 names"));
  EXPECT_THAT(said("    return x + split(x, 2)"), HasSubstr("9:16: error: 2 values where one is needed"));
  EXPECT_THAT(said("    a, b = split(x, 3)\n    return x"), HasSubstr("n_embd 64 does not split into 3 equal parts"));
  EXPECT_THAT(said("    a, b = split(x, [60, 5])\n    return x"), HasSubstr("the sizes of the split add up to 65, the axis is n_embd 64"));
}

TEST(Messages, sinusoidsNeedABound) {
  Model model{"heddle 1\nmodel x {\n  entry e(tokens: i32[batch, sequence...]) -> f32[batch, sequence..., 8] =\n    sinusoidal(positions(tokens), "
              "frequencies(8))\n}\n",
              "",
              {}};
  EXPECT_THAT(refusal(model),
              HasSubstr("x.heddle:4:5: error: 'sinusoidal' needs a bound on 'sequence': write 'sequence... <= max_position_embeddings' in the "
                        "signature"));
}

TEST(Messages, rotationsNeedABound) {
  auto turned = [](const std::string &sequence, const std::string &call) {
    return refusal(
        {"heddle 1\nmodel x {\n  entry e(x: f32[batch, " + sequence + ", 8]) -> f32[batch, sequence..., 8] =\n    " + call + "\n}\n", "", {}});
  };
  EXPECT_THAT(
      turned("sequence...", "rotary(x, frequencies(8))"),
      HasSubstr("x.heddle:4:5: error: 'rotary' needs a bound on 'sequence': write 'sequence... <= max_position_embeddings' in the signature"));
  EXPECT_THAT(turned("sequence... <= 4", "rotary(x, frequencies(10))"), HasSubstr("4:15: error: 5 frequencies turn 10 channels, x has 8"));
  EXPECT_THAT(turned("sequence... <= 4", "rotary(x, x)"),
              HasSubstr("4:15: error: 'rotary' takes a constant vector of frequencies, got f32[batch, sequence..., 8]"));
  EXPECT_THAT(turned("sequence... <= 4", "rotary(x, frequencies(8), layout=\"thirds\")"),
              HasSubstr("expected \"interleaved\" or \"halves\", got \"thirds\""));
}

TEST(Messages, aRaggedAxisThatStandsTwice) {
  std::string message = said("    p = softmax(x @ transpose(x), over=sequence)\n    return x");
  EXPECT_THAT(message, HasSubstr("x.heddle:9:40: error: 'sequence' names two axes of f32[batch, sequence..., sequence...]"));
  EXPECT_THAT(message, HasSubstr("x.heddle:9:40: note: without over= the last axis is taken; for the other, transpose first"));
}

TEST(Messages, tokensOfARaggedAxis) {
  EXPECT_THAT(said("    return x + x[sequence = 1]"), HasSubstr("of the ragged 'sequence' a row's first token (0) and its last can be taken, got 1"));
  EXPECT_THAT(said("    return x[sequence = 0..1]"), HasSubstr("'sequence' is ragged and cannot be cut or merged"));
  EXPECT_THAT(said("    y = windows(x, 3, over=sequence)\n    return x"), HasSubstr("windows: 'sequence' is ragged and cannot be cut or merged"));
}

TEST(Messages, windowsOfAnAxis) {
  EXPECT_THAT(said("    y = windows(x, 3)\n    return x"), HasSubstr("9:9: error: 'windows' needs 'over', the one axis it cuts"));
  EXPECT_THAT(said("    y = windows(x, 65, over=n_embd)\n    return x"), HasSubstr("windows of 65 do not fit into n_embd 64 with padding 0"));
  EXPECT_THAT(said("    y = windows(x, 3, stride=0, over=n_embd)\n    return x"),
              HasSubstr("'stride' of 'windows': expected an int from 1 to 16777216, got 0"));
}

TEST(Messages, masksAndBiases) {
  const std::string table = "  let t = weight(\"t\", [8, 4])";
  EXPECT_THAT(said("    return attention(x, x, x, mask=window(0))"),
              HasSubstr("'left' of 'window': expected an int of at least 1, or infinity, got 0"));
  EXPECT_THAT(said("    return attention(x, x, x, softcap=0.0)"), HasSubstr("'softcap' of 'attention': expected a number above 0, got 0.0"));
  EXPECT_THAT(said("    return attention(x, x, x, mask=x)"), HasSubstr("expected a mask (causal, a bool tensor, ...), got f32"));
  EXPECT_THAT(said("    return attention(x, x, x, bias=causal)"),
              HasSubstr("expected a bias (relative(...), alibi(...), an f32 tensor), got a mask"));
  EXPECT_THAT(said("    return attention(x, x, x, bias=relative(x, true, 16))"),
              HasSubstr("'relative' takes a weight [buckets, heads], got f32[batch"));
  EXPECT_THAT(said("    return attention(x, x, x, bias=relative(t, true, 2))", table),
              HasSubstr("'max_distance' of 'relative': expected an int from 3 to 65536, got 2"));
  EXPECT_THAT(said("    return attention(x, x, x, bias=relative(t, true, 16))", table),
              HasSubstr("a relative bias of 4 heads does not fit scores of f32[batch, "
                        "sequence..., sequence...]"));
  EXPECT_THAT(said("    return attention(x, x, x, bias=alibi(t))", table), HasSubstr("'slopes' of 'alibi': expected f32[heads], got f32["));
  EXPECT_THAT(said("    return attention(x, x, x, bias=alibi(tensor([1, 2])))"),
              HasSubstr("a bias 'alibi' of 2 heads does not fit scores of f32[batch, "));
  EXPECT_THAT(said("    return attention(x, x, x, mask=prefix(tokens))"), HasSubstr("'lengths' of 'prefix': expected i32[batch], got i32[batch, "));
  EXPECT_THAT(said("    return attention(x, x, x, mask=segments(tokens, 1))"), HasSubstr("'keys' of 'segments': expected i32[batch, key], got "));
  EXPECT_THAT(said("    return attention(x, x, x, mask=causal or causal)"), HasSubstr("masks are joined by 'and'"));
  EXPECT_THAT(said("    return attention(x, x, x, bias=x)"),
              HasSubstr("a bias of f32[batch, sequence..., n_embd 64] does not fit scores of f32[batch, sequence..., "
                        "sequence...]: n_embd 64 meets 'sequence'"));
}

TEST(Messages, raggedAtEveryMention) {
  Model model{
      "heddle 1\nmodel x {\n  entry e(a: f32[batch, sequence..., 8], b: f32[batch, sequence, 8]) -> f32[batch, sequence..., 8] = a\n}\n", "", {}};
  EXPECT_THAT(refusal(model), HasSubstr("x.heddle:3:56: error: 'sequence' is ragged: write 'sequence...' at every mention in a signature"));
  model.text = "heddle 1\nmodel x {\n  entry e(a: f32[batch, sequence..., 8]) -> f32[batch, sequence, 8] = a\n}\n";
  EXPECT_THAT(refusal(model), HasSubstr("x.heddle:3:56: error: 'sequence' is ragged"));
  model.text = "heddle 1\nmodel x {\n  entry e(a: f32[sequence..., 8]) -> f32[sequence..., 8] = a\n}\n";
  EXPECT_THAT(refusal(model), HasSubstr("'sequence' is ragged and stands first; a ragged dimension needs a batch before it"));
  model.text = "heddle 1\nmodel x {\n  entry e(a: f32[batch, s..., t...]) -> f32[batch, s..., t...] = a\n}\n";
  EXPECT_THAT(refusal(model), HasSubstr("one ragged dimension a parameter, got 's' and 't'"));
}

TEST(Messages, boundsAndTablesStayInReach) {
  auto bounded = [](const std::string &bound, const std::string &width) {
    return Model{"heddle 1\nmodel x {\n  entry e(t: i32[b, s... <= " + bound + "]) -> f32[b, s..., " + width +
                     "] =\n    sinusoidal(positions(t), frequencies(" + width + "))\n}\n",
                 "",
                 {}};
  };
  EXPECT_THAT(refusal(bounded("0", "8")), HasSubstr("x.heddle:3:29: error: the bound of 's' is 1 to 16777216, got 0"));
  EXPECT_THAT(refusal(bounded("9223372036854775807", "8")), HasSubstr("the bound of 's' is 1 to 16777216"));
  EXPECT_THAT(refusal(bounded("16777216", "1024")), HasSubstr("a table of 16777216 positions of width 1024 is too large"));
}

TEST(Messages, defaultsOfEntries) {
  auto withDefault = [](const std::string &type, const std::string &value) {
    return Model{"heddle 1\nmodel x {\n  entry e(t: f32[b], d: " + type + "[b] = " + value + ") -> f32[b] = t\n}\n", "", {}};
  };
  EXPECT_THAT(refusal(withDefault("i32", "1.5")), HasSubstr("the default of 'd' has element i32, got 1.5"));
  EXPECT_THAT(refusal(withDefault("bool", "1")), HasSubstr("the default of 'd' has element bool, got 1"));
  EXPECT_THAT(refusal(withDefault("i32", "4294967296")), HasSubstr("the default of 'd' has element i32"));
}

TEST(Messages, resultsKeepTheirSignature) {
  EXPECT_THAT(said("    return x", "", "f32[batch, sequence..., n_inner]"),
              HasSubstr("x.heddle:9:12: error: entry 'forward' returns f32[batch, sequence..., n_embd 64], its signature says f32[batch, "
                        "sequence..., n_inner 256]"));
  EXPECT_THAT(said("    a = x", "", "(a: f32[batch, sequence..., n_embd], b: f32[batch, sequence..., n_embd])"),
              HasSubstr("result 'b' has no value at the end of entry 'forward'"));
  EXPECT_THAT(said("    return x", "", "f32[batch, other, n_embd]"), HasSubstr("unknown dimension 'other'"));
}

TEST(Messages, elements) {
  EXPECT_THAT(said("    return x + mask_values(none, x, x)"), HasSubstr("bool is no number here"));
  EXPECT_THAT(said("    return relu(not x)"), HasSubstr("'not' takes a bool or a bool tensor, got f32"));
  EXPECT_THAT(said("    return x and x"), HasSubstr("expected bools, bool tensors or masks"));
  EXPECT_THAT(said("    return x[tokens]"), HasSubstr("the rows of a table are known when compiling"));
  EXPECT_THAT(said("    return x[0]"), HasSubstr("note: name the axis: x[axis = i]"));
}

TEST(Messages, statedTypes) {
  const std::string f = "  fn f(x: f32[.., n], m: int) {\n    y: f32[.., m] = x\n    return y\n  }";
  EXPECT_THAT(said("    return f(x, 3)", f), HasSubstr("x.heddle:8:5: error: 'y': expected f32[.., 3], got f32[batch, sequence..., n_embd 64]"));
  EXPECT_THAT(said("    return f(tokens, 3)", f), HasSubstr("7:8: error: 'x': expected f32[.., n], got i32[batch, sequence...]"));
  EXPECT_THAT(said("    return f(x, x)", f), HasSubstr("'m': expected int, got f32"));
}

TEST(Messages, callsOnTheWayAreNoted) {
  std::string message = said("    return g(x, 3)", "  fn f(x, w) = x + weight(w, [n_inner])\n  fn g(x, i) = f(x, \"h.{i}\")");
  EXPECT_THAT(message, HasSubstr("x.heddle:7:18: error: cannot add"));
  EXPECT_THAT(message, HasSubstr("x.heddle:8:16: note: in 'f', called with x: f32[batch, sequence..., n_embd 64], w: \"h.3\""));
  EXPECT_THAT(message, HasSubstr("x.heddle:10:12: note: in 'g', called with x: f32[batch, sequence..., n_embd 64], i: 3"));
}

TEST(Messages, errorsOfThePreludeStandAtTheCall) {
  std::string message = said("    return heads(x, 5)");
  EXPECT_THAT(message, HasSubstr("x.heddle:9:12: error: n_embd 64 is not divisible by 5"));
  EXPECT_THAT(message, Not(HasSubstr("prelude")));
}

TEST(Messages, whatRepeatsInALoopIsSaidOnce) {
  std::string message = said("    for i in 0..n_layer { x = x + weight(\"h.{i}\", [n_inner]) }\n    return x");
  EXPECT_EQ(message.find("cannot add"), message.rfind("cannot add"));
}

TEST(Messages, hostileTexts) {
  EXPECT_THAT(said("    for i in 0..20000 { y = i }\n    return x"), HasSubstr("9:17: error: a loop runs at most 10000 times"));
  EXPECT_THAT(said("    for i in 0..-1 { y = i }\n    return x"), HasSubstr("9:17: error: a loop counts up, got 0..-1"));
  EXPECT_THAT(said("    for i in 0..10000 { for j in 0..10000 { for k in 0..10000 { y = k } } }\n    return x"), HasSubstr("steps to expand"));
  EXPECT_THAT(said("    w = \"a\"\n    for i in 0..30 { w = \"{w}{w}\" }\n    return x"), HasSubstr("a string of more than 65536 bytes"));
  EXPECT_THAT(said("    return x[n_embd = 64]"), HasSubstr("9:23: error: 64 is not within n_embd 64"));
  EXPECT_THAT(said("    return x[n_embd = 3..3]"), HasSubstr("3..3 is not within n_embd 64"));
  EXPECT_THAT(said("    return x + weight(\"\", [n_embd])"), HasSubstr("'' is no name of a weight"));
  EXPECT_THAT(said("    return x + weight(\"w\", [0])"), HasSubstr("the extent of a weight is an int of at least 1, got 0"));
  EXPECT_THAT(said("    return x + weight(\"w\", [4294967296, 4294967296, n_embd])"), HasSubstr("does not fit into 64 bits"));
  EXPECT_THAT(said("    return x + weight(\"w\", [1, 1, 1, 1, 1, 1, 1, 1, n_embd])"), HasSubstr("at most 8 axes"));
  std::string chain;
  for (int i = 0; i < 80; ++i)
    chain += "  fn step" + std::to_string(i) + "(x) = step" + std::to_string(i + 1) + "(x)\n";
  EXPECT_THAT(said("    return step0(x)", chain + "  fn step80(x) = x"), HasSubstr("calls are nested more than 64 deep"));
}

TEST(Messages, whatIsNotBuiltYet) {
  for (const char *call : {"dropout(x, 0.1)", "keep_top(x, 2)", "cross_entropy(x, tokens)"}) {
    std::string name = std::string(call).substr(0, std::string(call).find('('));
    EXPECT_THAT(said(std::string("    return ") + call), HasSubstr("x.heddle:9:12: error: '" + name + "' is not built yet"));
  }
  EXPECT_THAT(said("    return x ^ 0.3"), HasSubstr("not built yet"));
}
