// The section of the weights is found through the headers of a file that may have been cut or rewritten: every claim is checked before it is
// followed.
#include "runtime/Section.h"
#include "test/unit/runtime/SmallElf.h"
#include "test/unit/support/TemporaryFolder.h"
#include <functional>

using namespace heddle::runtime;

namespace {

class SectionTest : public testing::Test {
protected:
  std::string refusal(const std::string &bytes, int64_t expected = 100) {
    std::string path = folder.put("model", bytes);
    Section section;
    Failure failure;
    EXPECT_FALSE(section.map(path.c_str(), expected, failure));
    EXPECT_EQ(failure.code, 1);
    std::string text = failure.text, name = "'" + path + "'";
    size_t at = text.find(name);
    return at == text.npos ? text : text.replace(at, name.size(), "FILE");
  }
  std::string changed(const std::function<void(SmallElf &)> &change) {
    SmallElf elf;
    change(elf);
    return refusal(elf.bytes());
  }
  heddle::TemporaryFolder folder;
};

TEST_F(SectionTest, IsMappedWhereverToolsHaveMovedIt) {
  for (uint64_t offset : {4096, 4096 + 64}) {
    SmallElf elf;
    elf.sections[2].sh_offset = offset;
    elf.sections[2].sh_size = 30;
    Section section;
    Failure failure;
    ASSERT_TRUE(section.map(folder.put("model", elf.bytes()).c_str(), 30, failure)) << failure.text;
    EXPECT_EQ(std::string(section.data(), 30), std::string(30, 'w'));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(section.data()) % 64, 0U);
  }
}

TEST_F(SectionTest, MayBeEmpty) {
  Section section;
  Failure failure;
  EXPECT_TRUE(section.map("/nowhere", 0, failure));
  EXPECT_NE(section.data(), nullptr);
}

TEST_F(SectionTest, RefusesOtherFiles) {
  EXPECT_EQ(refusal(""), "the executable FILE is no 64-bit ELF file");
  EXPECT_EQ(refusal(std::string(1000, 'x')), "the executable FILE is no 64-bit ELF file");
  EXPECT_EQ(changed([](SmallElf &e) { e.header.e_ident[EI_CLASS] = ELFCLASS32; }), "the executable FILE is no 64-bit ELF file");
}

TEST_F(SectionTest, RefusesHeadersThatLeadOutside) {
  EXPECT_EQ(changed([](SmallElf &e) { e.header.e_shnum = 0; }), "the executable FILE has no usable section headers");
  EXPECT_EQ(changed([](SmallElf &e) { e.header.e_shentsize = 8; }), "the executable FILE has no usable section headers");
  EXPECT_EQ(changed([](SmallElf &e) { e.header.e_shstrndx = 3; }), "the executable FILE has no usable section headers");
  EXPECT_EQ(changed([](SmallElf &e) { e.header.e_shnum = 4; }), "the executable FILE is cut short: its section headers lie beyond its end");
  EXPECT_EQ(changed([](SmallElf &e) { e.header.e_shoff = UINT64_MAX - 8; }),
            "the executable FILE is cut short: its section headers lie beyond its end");
  EXPECT_EQ(changed([](SmallElf &e) { e.sections[1].sh_size = UINT64_MAX; }), "the executable FILE has no usable section names");
  EXPECT_EQ(changed([](SmallElf &e) { e.sections[1].sh_offset = UINT64_MAX; }), "the executable FILE has no usable section names");
  EXPECT_EQ(changed([](SmallElf &e) { e.sections[2].sh_name = UINT32_MAX; }), "the executable FILE has lost its weights: no section .heddle_weights");
  EXPECT_EQ(changed([](SmallElf &e) { e.sections[2].sh_name = 20; }), "the executable FILE has lost its weights: no section .heddle_weights");
  EXPECT_EQ(changed([](SmallElf &e) { e.sections[2].sh_type = SHT_NOBITS; }), "the executable FILE has lost the bytes of its weights");
  EXPECT_EQ(changed([](SmallElf &e) { e.sections[2].sh_size = 99; }), "the weights in FILE are damaged: expected 100 bytes, got 99");
  EXPECT_EQ(changed([](SmallElf &e) { e.sections[2].sh_offset = UINT64_MAX - 63; }),
            "the executable FILE is cut short: its weights lie beyond its end");
  EXPECT_EQ(changed([](SmallElf &e) { e.sections[2].sh_offset = 4097; }), "the weights in FILE are not aligned: some tool has moved them");
}

TEST_F(SectionTest, RefusesEveryCut) {
  std::string whole = SmallElf().bytes();
  for (size_t length = 0; length < whole.size(); length += length < 4000 || length > 8100 ? 7 : 512)
    EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
}

} // namespace
