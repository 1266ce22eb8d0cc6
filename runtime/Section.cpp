#include "runtime/Section.h"
#include "runtime/heddle_model.h"
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace heddle::runtime;

alignas(64) const char Section::empty[64] = {};

namespace {

/// A file and its size; reads outside of it fail.
struct ElfFile {
  int descriptor = -1;
  uint64_t size = 0;
  ~ElfFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
  bool holds(uint64_t offset, uint64_t bytes) const { return offset <= size && bytes <= size - offset; }
  bool read(void *to, uint64_t bytes, uint64_t offset) const {
    if (!holds(offset, bytes))
      return false;
    char *next = static_cast<char *>(to);
    while (bytes > 0) {
      ssize_t got = pread(descriptor, next, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return false;
      next += got, offset += static_cast<uint64_t>(got), bytes -= static_cast<uint64_t>(got);
    }
    return true;
  }
};

/// Where the named section lies; null: found, else what is wrong with the file.
const char *findSection(const ElfFile &file, const char *name, Elf64_Shdr &found) {
  Elf64_Ehdr header;
  if (!file.read(&header, sizeof header, 0) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return "is no 64-bit ELF file";
  if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum)
    return "has no usable section headers";
  if (!file.holds(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
    return "is cut short: its section headers lie beyond its end";
  Elf64_Shdr names;
  uint64_t length = std::strlen(name) + 1;
  char text[64];
  if (length > sizeof text || !file.read(&names, sizeof names, header.e_shoff + header.e_shstrndx * sizeof names) ||
      !file.holds(names.sh_offset, names.sh_size))
    return "has no usable section names";
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    if (!file.read(&found, sizeof found, header.e_shoff + i * sizeof found))
      return "cannot be read";
    if (found.sh_name > names.sh_size || length > names.sh_size - found.sh_name)
      continue;
    if (!file.read(text, length, names.sh_offset + found.sh_name) || std::memcmp(text, name, length) != 0)
      continue;
    return found.sh_type == SHT_NOBITS ? "has lost the bytes of its weights" : nullptr;
  }
  return "has lost its weights: no section " HEDDLE_SECTION;
}

} // namespace

Section::~Section() {
  if (mapping)
    munmap(mapping, mapped);
}

bool Section::map(const char *path, int64_t bytes, Failure &failure) {
  if (bytes == 0)
    return true;
  ElfFile file;
  file.descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file.descriptor < 0 || fstat(file.descriptor, &status) != 0)
    return failure.system("cannot open", path);
  file.size = status.st_size > 0 ? static_cast<uint64_t>(status.st_size) : 0;
  Elf64_Shdr section;
  if (const char *wrong = findSection(file, HEDDLE_SECTION, section))
    return failure.contents("the executable %s %s", Quoted(path).text(), wrong);
  if (section.sh_size != static_cast<uint64_t>(bytes))
    return failure.contents("the weights in %s are damaged: expected %lld bytes, got %llu", Quoted(path).text(), static_cast<long long>(bytes),
                            static_cast<unsigned long long>(section.sh_size));
  if (!file.holds(section.sh_offset, section.sh_size))
    return failure.contents("the executable %s is cut short: its weights lie beyond its end", Quoted(path).text());
  if (section.sh_offset % 64 != 0)
    return failure.contents("the weights in %s are not aligned: some tool has moved them", Quoted(path).text());
  length = bytes;
  return mapAt(file.descriptor, section.sh_offset, path, failure);
}

bool Section::mapAt(int file, uint64_t offset, const char *path, Failure &failure) {
  uint64_t skip = offset % static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); // the compiler aligns to pages; a tool may have moved the section
  mapped = static_cast<size_t>(length) + skip;
  // Pages come in by 64 KB of the page cache, or by what the system reads ahead of a file read in order. Asking for more gains nothing: of 42 MB read
  // by a first run, populating took 2.1 ms where the faults took 1.8 (warm), and 41 ms in all for 35 (cold), and tables are read by a few rows only.
  void *start = mmap(nullptr, mapped, PROT_READ, MAP_PRIVATE, file, static_cast<off_t>(offset - skip));
  if (start == MAP_FAILED)
    return failure.system("cannot map the weights", path);
  mapping = start;
  base = static_cast<const char *>(start) + skip;
  return true;
}
