// Names: what may be called what, and what is said otherwise (language.md, section 4).
#include "test/unit/frontend/Import.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle::test;
using testing::HasSubstr;

TEST(Names, unknownOnesGetANearOne) {
  std::string message = refusal({entryText("    return x * n_heads"), "", {}});
  EXPECT_THAT(message, HasSubstr("x.heddle:9:16: error: unknown name 'n_heads'"));
  EXPECT_THAT(message, HasSubstr("x.heddle:9:16: note: did you mean 'n_head' (configuration key, line 4)?"));
  message = refusal({entryText("    return sofmax(x)"), "", {}});
  EXPECT_THAT(message, HasSubstr("x.heddle:9:12: error: unknown function 'sofmax'"));
  EXPECT_THAT(message, HasSubstr("note: did you mean 'softmax'?"));
}

TEST(Names, whatWasNotAssignedOnTheWayTakenIsUnknown) {
  EXPECT_THAT(refusal({entryText("    if n_head == 5 { y = x }\n    return y"), "", {}}), HasSubstr("x.heddle:10:12: error: unknown name 'y'"));
}

TEST(Names, otherKindsOfNames) {
  EXPECT_THAT(refusal({entryText("    return x * sequence"), "", {}}), HasSubstr("'sequence' is a dimension; its size is known only when running"));
  EXPECT_THAT(refusal({entryText("    return x * relu"), "", {}}), HasSubstr("'relu' is a function; call it: relu(...)"));
  EXPECT_THAT(refusal({entryText("    return x", "  let a = b\n  let b = 1"), "", {}}), HasSubstr("'b' is used before it has a value (let, line 8)"));
}

TEST(Names, builtinsAndPreludeKeepTheirs) {
  EXPECT_THAT(refusal({entryText("    return x", "  fn softmax(x) = x"), "", {}}),
              HasSubstr("x.heddle:7:6: error: 'softmax' is a built-in; choose another name"));
  EXPECT_THAT(refusal({entryText("    return x", "  fn heads(x) = x"), "", {}}),
              HasSubstr("'heads' is a function of the prelude; choose another name"));
}

TEST(Names, noneTwice) {
  EXPECT_THAT(refusal({entryText("    return x", "  fn f(x) = x\n  fn f(y) = y"), "", {}}),
              HasSubstr("8:6: error: function 'f' has this name already in line 7"));
  EXPECT_THAT(refusal({entryText("    return x", "  config n_embd: int = 1"), "", {}}),
              HasSubstr("configuration key 'n_embd' has this name already in line 3"));
  EXPECT_THAT(refusal({entryText("    a = x", "", "(a: f32[batch], a: f32[batch])"), "", {}}), HasSubstr("result 'a' twice"));
  EXPECT_THAT(refusal({entryText("    return x", "  fn f(a, a) = a"), "", {}}), HasSubstr("parameter 'a' twice"));
}

TEST(Names, localsDoNotHideKeys) {
  EXPECT_THAT(refusal({entryText("    n_embd = 3\n    return x"), "", {}}),
              HasSubstr("9:5: error: 'n_embd' is the name of a configuration key, line 3"));
  EXPECT_THAT(refusal({entryText("    return x", "  fn f(n_head) = 1"), "", {}}),
              HasSubstr("7:8: error: 'n_head' is the name of a configuration key, line 4"));
}

TEST(Names, functionsDoNotCallThemselves) {
  EXPECT_THAT(refusal({entryText("    return f(x)", "  fn f(x) = g(x)\n  fn g(x) = [f(x)]"), "", {}}),
              HasSubstr("x.heddle:7:6: error: function 'f' calls itself: f (line 7) -> g (line 8) -> f"));
  EXPECT_THAT(refusal({entryText("    return f(x)", "  fn f(x) = f(x)"), "", {}}), HasSubstr("function 'f' calls itself: f (line 7) -> f"));
}

TEST(Names, returnStandsLast) {
  EXPECT_THAT(refusal({entryText("    if n_head == 4 { return x }\n    return x"), "", {}}),
              HasSubstr("9:22: error: 'return' stands last in a function"));
  EXPECT_THAT(refusal({entryText("    y = f(x)\n    return x", "  fn f(x) { y = x }"), "", {}}),
              HasSubstr("'f' returns nothing; end it with return"));
}

TEST(Names, loopVariablesEndWithTheirLoop) {
  EXPECT_THAT(refusal({entryText("    for i in 0..2 { x = x + i }\n    return x * i"), "", {}}), HasSubstr("10:16: error: unknown name 'i'"));
  EXPECT_THAT(accepted({entryText("    for i in 0..2 { y = x * i }\n    return y"), "", {}}), HasSubstr("arith.mulf")); // blocks open no scope
}

TEST(Names, argumentsFindTheirParameters) {
  const std::string f = "  fn f(x, scale: float = 1.0) = x * scale";
  EXPECT_THAT(refusal({entryText("    return f(x, scal=2.0)", f), "", {}}), HasSubstr("9:17: error: 'f' has no parameter 'scal'"));
  EXPECT_THAT(refusal({entryText("    return f()", f), "", {}}), HasSubstr("9:12: error: 'f' needs 'x'"));
  EXPECT_THAT(refusal({entryText("    return f(x, 1.0, 2.0)", f), "", {}}), HasSubstr("'f' takes 2 arguments, got 3"));
  EXPECT_THAT(refusal({entryText("    return f(x, 1.0, scale=2.0)", f), "", {}}), HasSubstr("parameter 'scale' of 'f' is given twice"));
  EXPECT_THAT(refusal({entryText("    return layer_norm(x)"), "", {}}), HasSubstr("'layer_norm' needs 'gain'"));
  EXPECT_THAT(accepted({entryText("    return f(x, none)", f), "", {}}), HasSubstr("arith.mulf")); // none equals leaving it out
  EXPECT_THAT(refusal({entryText("    return f(x, \"2\")", f), "", {}}), HasSubstr("'scale': expected float, got \"2\""));
}
