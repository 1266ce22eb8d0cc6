// Objects of a CPU variant: what they define, what they need, and that they are the same every time.
#include "compiler/native/EmitObject.h"
#include "compiler/native/EmitTable.h"
#include "test/unit/native/NativeModule.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gmock/gmock.h"

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

namespace {

struct Symbols {
  std::vector<std::string> exported, hidden, undefined;
};

Symbols symbolsOf(llvm::StringRef object) {
  Symbols symbols;
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "object"));
  EXPECT_TRUE(bool(file));
  for (const llvm::object::ELFSymbolRef symbol : llvm::cast<llvm::object::ELFObjectFileBase>(**file).symbols()) {
    uint32_t flags = llvm::cantFail(symbol.getFlags());
    std::string name = llvm::cantFail(symbol.getName()).str();
    if (flags & llvm::object::SymbolRef::SF_Undefined && !name.empty())
      symbols.undefined.push_back(name);
    else if (symbol.getBinding() == llvm::ELF::STB_GLOBAL)
      (symbol.getOther() == llvm::ELF::STV_HIDDEN ? symbols.hidden : symbols.exported).push_back(name);
  }
  return symbols;
}

TEST(EmitObject, ExportsWhatTheTableNamesAndNothingElse) {
  NativeModule model;
  Symbols symbols = symbolsOf(model.emit("x86-64-v3", ".v3"));
  EXPECT_THAT(symbols.hidden, UnorderedElementsAre("entry.memset.v3", "k0.v3"));
  EXPECT_THAT(symbols.exported, testing::IsEmpty());
  EXPECT_THAT(symbols.undefined, UnorderedElementsAre("heddle_parallel"));
}

TEST(EmitObject, IsTheSameEveryTime) {
  NativeModule first, second;
  EXPECT_EQ(first.emit("x86-64-v4", ".v4"), second.emit("x86-64-v4", ".v4"));
}

TEST(EmitObject, EachCpuGetsItsInstructions) {
  NativeModule model;
  std::string v3 = model.emit("x86-64-v3", ".v3", /*assembly=*/true), v4 = model.emit("x86-64-v4", ".v4", true);
  EXPECT_THAT(v3, HasSubstr("%ymm"));
  EXPECT_THAT(v3, Not(HasSubstr("%zmm")));
  EXPECT_THAT(v4, HasSubstr("%zmm"));
}

/// The contract: what the IR does not fuse is not fused.
TEST(EmitObject, MultiplyAndAddStayTwoRoundings) {
  NativeModule model;
  std::string assembly = model.emit("x86-64-v4", ".v4", true);
  EXPECT_THAT(assembly, HasSubstr("vmulps"));
  EXPECT_THAT(assembly, HasSubstr("vaddps"));
  EXPECT_THAT(assembly, Not(HasSubstr("vfmadd")));
}

TEST(EmitObject, RefusesWhatTheTableNamesAndTheModuleHasNot) {
  NativeModule model;
  heddle::ObjectOptions options;
  options.cpu = "x86-64-v3";
  options.suffix = ".v3";
  options.exported.insert("k9");
  auto object = heddle::emitObject(*model.module, options);
  ASSERT_FALSE(bool(object));
  EXPECT_THAT(llvm::toString(object.takeError()), HasSubstr("'k9' is named by the table and is not in the module"));
}

TEST(EmitObject, RefusesAnUnknownCpu) {
  NativeModule model;
  heddle::ObjectOptions options;
  options.cpu = "z80";
  auto object = heddle::emitObject(*model.module, options);
  ASSERT_FALSE(bool(object));
  EXPECT_THAT(llvm::toString(object.takeError()), HasSubstr("'z80' is no x86-64 CPU that LLVM knows"));
}

TEST(EmitTable, DefinesTheTableAlone) {
  NativeModule model;
  auto object = heddle::emitTable(model.info(), {heddle::findTarget("x86-64-v3")}, "heddle test");
  ASSERT_TRUE(bool(object));
  Symbols symbols = symbolsOf(*object);
  EXPECT_THAT(symbols.exported, UnorderedElementsAre("heddle_model"));
  EXPECT_THAT(symbols.undefined, UnorderedElementsAre("entry.memset.v3", "k0.v3"));
}

TEST(EmitTable, RefusesWhatItCannotHold) {
  NativeModule model;
  auto messageFor = [&](heddle::ModelInfo info) {
    auto object = heddle::emitTable(info, {heddle::findTarget("x86-64-v3")}, "heddle test");
    return object ? std::string("no error") : llvm::toString(object.takeError());
  };
  heddle::ModelInfo product = model.info();
  product.entries[0].arena = {{1, {0, 0, 0, 0, 0}}};
  EXPECT_THAT(messageFor(product), HasSubstr("a product of 5 dimensions, at most 4 fit"));
  heddle::ModelInfo weight = model.info();
  weight.weights[0].offset = 8192;
  EXPECT_THAT(messageFor(weight), HasSubstr("weight 'w' lies at 8192 with 4096 bytes in a section of 8192"));
  heddle::ModelInfo task = model.info();
  task.tasks[0].entries = {"decode"};
  EXPECT_THAT(messageFor(task), HasSubstr("uses the entry 'decode', which the model has not"));
}

} // namespace
