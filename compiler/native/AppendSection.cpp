// An executable + bytes -> the executable with one more section.
//
// The weights are no allocated section (one of 3 GB does not link) and no trailing data (strip drops it). GNU strip keeps a section without
// SHF_ALLOC; llvm-strip keeps it only if a segment covers it. `-z wxneeded` makes lld reserve one program header (PT_OPENBSD_WXNEEDED), which becomes
// a segment of our own type here. The file then is: the old bytes with a new header, the section, the names of sections, the section headers.
#include "compiler/native/AppendSection.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>
#include <string>
#include <vector>

using namespace llvm;
using namespace llvm::ELF;

namespace {

constexpr uint64_t page = 4096;

struct Layout {
  Elf64_Ehdr header;
  std::vector<Elf64_Shdr> sections;
  std::string names;
};

Error notAnExecutable(const Twine &what) { return createStringError("internal error: the linked file " + what); }

Expected<Layout> readLayout(StringRef file) {
  Layout layout;
  if (file.size() < sizeof layout.header)
    return notAnExecutable("is shorter than an ELF header");
  memcpy(&layout.header, file.data(), sizeof layout.header);
  const Elf64_Ehdr &header = layout.header;
  if (!header.checkMagic() || header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      header.e_phentsize != sizeof(Elf64_Phdr))
    return notAnExecutable("is no 64-bit ELF file");
  uint64_t bytes = uint64_t(header.e_shnum) * sizeof(Elf64_Shdr);
  if (header.e_shoff > file.size() || bytes > file.size() - header.e_shoff || header.e_shstrndx >= header.e_shnum ||
      header.e_shnum == SHN_LORESERVE - 1)
    return notAnExecutable("has no usable section headers");
  layout.sections.resize(header.e_shnum);
  memcpy(layout.sections.data(), file.data() + header.e_shoff, bytes);
  const Elf64_Shdr &names = layout.sections[header.e_shstrndx];
  if (names.sh_offset > file.size() || names.sh_size > file.size() - names.sh_offset)
    return notAnExecutable("has section names outside of it");
  layout.names = file.substr(names.sh_offset, names.sh_size).str();
  uint64_t segments = uint64_t(header.e_phnum) * sizeof(Elf64_Phdr);
  if (header.e_phoff > file.size() || segments > file.size() - header.e_phoff)
    return notAnExecutable("has program headers outside of it");
  return layout;
}

/// Turns the spare program header into the one of `section`.
Error claimSegment(std::string &file, const Elf64_Ehdr &header, const Elf64_Shdr &section) {
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    char *at = file.data() + header.e_phoff + i * sizeof(Elf64_Phdr);
    Elf64_Phdr segment;
    memcpy(&segment, at, sizeof segment);
    if (segment.p_type != PT_OPENBSD_WXNEEDED)
      continue;
    segment = {};
    segment.p_type = heddle::sectionSegmentType;
    segment.p_flags = PF_R;
    segment.p_offset = section.sh_offset;
    segment.p_filesz = section.sh_size;
    segment.p_align = page;
    memcpy(at, &segment, sizeof segment);
    return Error::success();
  }
  return notAnExecutable("has no spare program header");
}

/// Fills the section through `write`, counting: a section of another size than its header says would be a broken executable.
Error fillExactly(uint64_t size, heddle::FillSection fill, heddle::WriteBytes write) {
  uint64_t written = 0;
  Error error = fill([&](StringRef bytes) -> Error {
    if (bytes.size() > size - written)
      return createStringError("internal error: more bytes for the section than the " + Twine(size) + " promised");
    written += bytes.size();
    return write(bytes);
  });
  if (!error && written != size)
    return createStringError("internal error: " + Twine(written) + " bytes for the section, expected " + Twine(size));
  return error;
}

} // namespace

Error heddle::appendSection(StringRef executable, StringRef name, uint64_t size, FillSection fill, WriteBytes write) {
  Expected<Layout> read = readLayout(executable);
  if (!read)
    return read.takeError();
  Layout &layout = *read;
  Elf64_Shdr section{};
  section.sh_name = layout.names.size();
  section.sh_type = SHT_PROGBITS;
  section.sh_addralign = page;
  section.sh_offset = alignTo(executable.size(), page);
  section.sh_size = size;
  layout.names += name.str() + '\0';

  uint64_t namesOffset = section.sh_offset + size;
  layout.sections[layout.header.e_shstrndx].sh_offset = namesOffset;
  layout.sections[layout.header.e_shstrndx].sh_size = layout.names.size();
  layout.header.e_shoff = alignTo(namesOffset + layout.names.size(), 8);
  layout.sections.push_back(section);
  layout.header.e_shnum = layout.sections.size();

  std::string front = executable.str();
  if (Error error = claimSegment(front, layout.header, section))
    return error;
  memcpy(front.data(), &layout.header, sizeof layout.header);
  front.resize(section.sh_offset);
  if (Error error = write(front))
    return error;
  if (Error error = fillExactly(size, fill, write))
    return error;
  layout.names.resize(layout.header.e_shoff - namesOffset);
  if (Error error = write(layout.names))
    return error;
  return write(StringRef(reinterpret_cast<const char *>(layout.sections.data()), layout.sections.size() * sizeof(Elf64_Shdr)));
}
