// From objects to an executable that runs, finds its section, survives strip, and is built as a hardened program is.
#include "compiler/native/AppendSection.h"
#include "compiler/native/EmitTable.h"
#include "compiler/native/LinkExecutable.h"
#include "test/unit/native/NativeModule.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "gmock/gmock.h"
#include <cstdlib>

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSubsetOf;

namespace {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

std::vector<heddle::LinkInput> linkInputs() {
  NativeModule model;
  std::vector<const heddle::Target *> targets{heddle::findTarget("x86-64-v3"), heddle::findTarget("x86-64-v4")};
  std::vector<heddle::LinkInput> inputs;
  for (const heddle::Target *target : targets)
    inputs.push_back({"code" + target->suffix.str() + ".o", model.emit(target->cpu, target->suffix)});
  inputs.push_back({"table.o", llvm::cantFail(heddle::emitTable(model.info(), targets, "heddle test"))});
  return inputs;
}

std::string linked() {
  auto executable = heddle::linkExecutable(linkInputs(), TINY_RUNTIME);
  EXPECT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
  return executable ? *executable : "";
}

/// The whole executable with a section of 8192 bytes, written in two pieces.
std::string complete() {
  std::string whole;
  auto fill = [](heddle::WriteBytes write) -> llvm::Error {
    std::string first = "weights of tiny!", rest(8192 - first.size(), 'w');
    if (llvm::Error error = write(first))
      return error;
    return write(rest);
  };
  llvm::Error error = heddle::appendSection(linked(), ".heddle_weights", 8192, fill, [&](llvm::StringRef bytes) {
    whole += bytes;
    return llvm::Error::success();
  });
  EXPECT_FALSE(bool(error)) << llvm::toString(std::move(error));
  return whole;
}

struct Folder {
  Folder() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("heddle-test", path)); }
  ~Folder() { llvm::sys::fs::remove_directories(path); }
  std::string file(llvm::StringRef name) { return (path + "/" + name).str(); }
  llvm::SmallString<128> path;
};

void writeProgram(const std::string &path, llvm::StringRef bytes) {
  std::error_code code;
  {
    llvm::raw_fd_ostream stream(path, code);
    stream << bytes;
  }
  EXPECT_FALSE(code);
  EXPECT_FALSE(llvm::sys::fs::setPermissions(path, llvm::sys::fs::owner_all));
}

std::string run(Folder &folder, const std::string &program, llvm::StringRef argument) {
  std::string out = folder.file("stdout");
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, llvm::StringRef(out), std::nullopt};
  EXPECT_EQ(llvm::sys::ExecuteAndWait(program, {program, argument}, std::nullopt, redirects), 0);
  return (*llvm::MemoryBuffer::getFile(out))->getBuffer().str();
}

constexpr const char *expected = "tiny x x86-64-v3: 0 2 4032, 1 regions\n.heddle_weights at page offset 0: weights of tiny!\n";

TEST(LinkExecutable, RunsAndFindsItsSection) {
  Folder folder;
  writeProgram(folder.file("tiny"), complete());
  EXPECT_EQ(run(folder, folder.file("tiny"), "0"), expected);
}

TEST(LinkExecutable, StripKeepsTheSection) {
  std::string whole = complete();
  for (llvm::StringRef tool : {"strip", "objcopy", "llvm-strip", "llvm-objcopy"}) {
    llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(tool, tool.starts_with("llvm") ? llvm::ArrayRef<llvm::StringRef>{LLVM_TOOLS}
                                                                                                     : llvm::ArrayRef<llvm::StringRef>{});
    ASSERT_TRUE(bool(program)) << tool.str();
    Folder folder;
    std::string file = folder.file("tiny");
    writeProgram(file, whole);
    std::vector<llvm::StringRef> arguments{*program, file};
    if (tool.contains("objcopy"))
      arguments = {*program, "--strip-all", file};
    EXPECT_EQ(llvm::sys::ExecuteAndWait(*program, arguments), 0) << tool.str();
    EXPECT_EQ(run(folder, file, "0"), expected) << tool.str();
  }
}

TEST(LinkExecutable, IsHardened) {
  std::string whole = complete();
  Elf file = llvm::cantFail(Elf::create(whole));
  EXPECT_EQ(file.getHeader().e_type, llvm::ELF::ET_DYN); // position independent
  EXPECT_EQ(file.getHeader().e_shoff + file.getHeader().e_shnum * sizeof(llvm::ELF::Elf64_Shdr), whole.size()) << "the section headers end the file";
  bool relro = false, ours = false, stack = false;
  for (const auto &segment : llvm::cantFail(file.program_headers())) {
    EXPECT_FALSE(segment.p_type == llvm::ELF::PT_LOAD && (segment.p_flags & llvm::ELF::PF_W) && (segment.p_flags & llvm::ELF::PF_X));
    relro |= segment.p_type == llvm::ELF::PT_GNU_RELRO;
    ours |= segment.p_type == heddle::sectionSegmentType && segment.p_filesz == 8192 && segment.p_memsz == 0;
    stack |= segment.p_type == llvm::ELF::PT_GNU_STACK && !(segment.p_flags & llvm::ELF::PF_X);
  }
  EXPECT_TRUE(relro && ours && stack);
  uint64_t flags = 0;
  unsigned needed = 0;
  for (const auto &entry : llvm::cantFail(file.dynamicEntries())) {
    flags |= entry.getTag() == llvm::ELF::DT_FLAGS ? entry.getVal() : 0;
    needed += entry.getTag() == llvm::ELF::DT_NEEDED;
  }
  EXPECT_TRUE(flags & llvm::ELF::DF_BIND_NOW);
  EXPECT_EQ(needed, 1u); // libc; libm only where something of it is used
}

TEST(LinkExecutable, ExportsTheTable) {
  std::string whole = complete();
  Elf file = llvm::cantFail(Elf::create(whole));
  std::vector<std::string> defined;
  for (const auto &section : llvm::cantFail(file.sections())) {
    if (section.sh_type != llvm::ELF::SHT_DYNSYM)
      continue;
    llvm::StringRef names = llvm::cantFail(file.getStringTableForSymtab(section));
    for (const auto &symbol : llvm::cantFail(file.symbols(&section)))
      if (symbol.isDefined())
        defined.push_back(llvm::cantFail(symbol.getName(names)).str());
  }
  EXPECT_THAT(defined, ElementsAre("heddle_model"));
}

TEST(LinkExecutable, IsTheSameEveryTime) { EXPECT_EQ(complete(), complete()); }

TEST(LinkExecutable, NamesAMissingRuntime) {
  auto executable = heddle::linkExecutable({}, "/nowhere/libheddle-runtime.a");
  ASSERT_FALSE(bool(executable));
  EXPECT_EQ(llvm::toString(executable.takeError()), "cannot link: the runtime is missing: '/nowhere/libheddle-runtime.a'");
}

TEST(LinkExecutable, ReportsWhatTheLinkerSays) {
  std::vector<heddle::LinkInput> inputs = linkInputs();
  inputs.pop_back(); // no table
  auto executable = heddle::linkExecutable(inputs, TINY_RUNTIME);
  ASSERT_FALSE(bool(executable));
  EXPECT_THAT(llvm::toString(executable.takeError()), HasSubstr("undefined symbol: heddle_model"));
  EXPECT_FALSE(linked().empty()) << "the linker works again after a failure";
}

TEST(LinkRelocatable, HoldsAllVariantsAndTheTable) {
  auto object = heddle::linkRelocatable(linkInputs());
  ASSERT_TRUE(bool(object));
  auto executable = heddle::linkExecutable({{"model.o", *object}}, TINY_RUNTIME);
  ASSERT_TRUE(bool(executable)) << llvm::toString(executable.takeError());
}

llvm::Error discard(llvm::StringRef) { return llvm::Error::success(); }

TEST(AppendSection, RefusesABrokenPromise) {
  std::string executable = linked();
  auto two = [](heddle::WriteBytes write) { return write("ab"); };
  EXPECT_THAT(llvm::toString(heddle::appendSection(executable, ".s", 3, two, discard)), HasSubstr("2 bytes for the section, expected 3"));
  EXPECT_THAT(llvm::toString(heddle::appendSection(executable, ".s", 1, two, discard)), HasSubstr("more bytes for the section than the 1 promised"));
}

TEST(AppendSection, RefusesWhatIsNoExecutable) {
  auto nothing = [](heddle::WriteBytes) { return llvm::Error::success(); };
  EXPECT_THAT(llvm::toString(heddle::appendSection("#!/bin/sh", ".s", 0, nothing, discard)), HasSubstr("shorter than an ELF header"));
  std::string cut = linked();
  cut.resize(cut.size() / 2);
  EXPECT_THAT(llvm::toString(heddle::appendSection(cut, ".s", 0, nothing, discard)), HasSubstr("has no usable section headers"));
}

} // namespace
