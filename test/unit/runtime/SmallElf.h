// A file as the runtime maps its section from.
#pragma once
#include "runtime/heddle_model.h"
#include <cstring>
#include <elf.h>
#include <string>

/// The smallest file with a section of weights: header, the section at 4096, names, three section headers.
struct SmallElf {
  Elf64_Ehdr header = {};
  Elf64_Shdr sections[3] = {};
  std::string names = std::string("\0.shstrtab\0" HEDDLE_SECTION "\0", 28);
  std::string weights;
  size_t headersAt = (4096 + weights.size() + names.size() + 4095) / 4096 * 4096;

  explicit SmallElf(std::string bytes = std::string(100, 'w')) : weights(std::move(bytes)) {
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 1;
    header.e_shoff = headersAt;
    sections[1].sh_name = 1, sections[1].sh_type = SHT_STRTAB, sections[1].sh_offset = 4096 + weights.size(), sections[1].sh_size = names.size();
    sections[2].sh_name = 11, sections[2].sh_type = SHT_PROGBITS, sections[2].sh_offset = 4096, sections[2].sh_size = weights.size();
  }
  std::string bytes() const {
    std::string file(headersAt, '\0');
    std::memcpy(file.data(), &header, sizeof header);
    file.replace(4096, weights.size(), weights);
    file.replace(4096 + weights.size(), names.size(), names);
    file.append(reinterpret_cast<const char *>(sections), sizeof sections);
    return file;
  }
};
