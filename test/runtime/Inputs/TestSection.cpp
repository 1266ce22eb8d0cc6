// Writes the section of the test model: a table of weights, a tokenizer for each side. test-section SOURCE.json TARGET.json OUT.bin OUT.inc
#include "compiler/packing/Tokenizer.h"
#include <cstdio>
#include <fmt/format.h>
#include <fstream>

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  heddle::Diagnostics diagnostics;
  using Kind = heddle::TokenizerSource::Kind;
  auto source = heddle::packTokenizer({Kind::Json, argv[1], {}}, diagnostics),
       target = heddle::packTokenizer({Kind::Words, argv[2], {}}, diagnostics);
  if (!source || !target) {
    diagnostics.print(stderr);
    return 1;
  }
  std::string section;
  for (int id = 0; id < 7; ++id) {
    float row[4] = {static_cast<float>(id), 10.0F * static_cast<float>(id), 0.5F * static_cast<float>(id), -static_cast<float>(id)};
    section.append(reinterpret_cast<const char *>(row), sizeof row);
  }
  std::string constants = fmt::format("#define SECTION_FILE \"{}\"\n", argv[3]);
  for (auto [name, bytes] : {std::pair{"SOURCE", &*source}, {"TARGET", &*target}}) {
    section.resize((section.size() + 63) / 64 * 64);
    constants += fmt::format("#define {}_OFFSET {}\n#define {}_BYTES {}\n", name, section.size(), name, bytes->size());
    section.append(bytes->data(), bytes->size());
  }
  constants += fmt::format("#define SECTION_BYTES {}\n", section.size());
  std::ofstream(argv[3], std::ios::binary) << section;
  std::ofstream(argv[4]) << constants;
  return 0;
}
