// Objects -> one relocatable file or one executable, with lld in this process.
#include "compiler/native/LinkExecutable.h"
#include "compiler/native/PrivateFolder.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <optional>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace {

/// Calls lld; its messages become the error's text, without the private folder's name.
Error callLinker(ArrayRef<std::string> arguments, const heddle::PrivateFolder &folder) {
  static std::mutex oneAtATime; // lld keeps its state in globals
  std::lock_guard<std::mutex> lock(oneAtATime);
  SmallVector<const char *> pointers(map_range(arguments, [](const std::string &argument) { return argument.c_str(); }));
  std::string messages;
  raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0 && result.canRunAgain)
    return Error::success();
  std::string place = folder.file("");
  for (size_t at; (at = messages.find(place)) != std::string::npos;)
    messages.erase(at, place.size());
  return createStringError("the linker failed: " + StringRef(messages).trim());
}

Error writeInputs(ArrayRef<heddle::LinkInput> inputs, const heddle::PrivateFolder &folder) {
  for (const heddle::LinkInput &input : inputs)
    if (Error error = folder.write(input.name, input.bytes))
      return error;
  return Error::success();
}

/// Where the system keeps the C library's start files.
std::optional<std::string> cLibraryFolder() {
  for (StringRef folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/lib64", "/usr/lib"})
    if (all_of(ArrayRef<StringRef>{"/Scrt1.o", "/crti.o", "/crtn.o"}, [&](StringRef name) { return sys::fs::exists(folder + name); }))
      return folder.str();
  return std::nullopt;
}

} // namespace

Expected<std::string> heddle::linkRelocatable(ArrayRef<LinkInput> inputs) {
  Expected<PrivateFolder> folder = PrivateFolder::create();
  if (!folder)
    return folder.takeError();
  if (Error error = writeInputs(inputs, *folder))
    return error;
  std::vector<std::string> arguments{"ld.lld", "-r", "--threads=1", "-o", folder->file("out")};
  for (const LinkInput &input : inputs)
    arguments.push_back(folder->file(input.name));
  if (Error error = callLinker(arguments, *folder))
    return error;
  return folder->read("out");
}

Expected<std::string> heddle::linkExecutable(ArrayRef<LinkInput> inputs, StringRef runtimeArchive) {
  std::optional<std::string> library = cLibraryFolder();
  if (!library)
    return createStringError(
        "cannot link: the C library's start files (Scrt1.o, crti.o, crtn.o) are not installed; on Debian: apt-get install libc6-dev");
  if (!sys::fs::exists(runtimeArchive))
    return createStringError("cannot link: the runtime is missing: '" + runtimeArchive + "'");
  Expected<PrivateFolder> folder = PrivateFolder::create();
  if (!folder)
    return folder.takeError();
  if (Error error = writeInputs(inputs, *folder))
    return error;
  std::vector<std::string> arguments{"ld.lld",
                                     "-pie",
                                     "--dynamic-linker",
                                     "/lib64/ld-linux-x86-64.so.2",
                                     "--hash-style=gnu",
                                     "--threads=1", //
                                     "-z",
                                     "now",
                                     "-z",
                                     "relro",
                                     "-z",
                                     "separate-code",
                                     "-z",
                                     "noexecstack", //
                                     "-z",
                                     "wxneeded",                             // the spare program header that AppendSection turns into the section's
                                     "--export-dynamic-symbol=heddle_model", // the table stays findable after strip
                                     "--gc-sections",
                                     "--build-id=sha1",
                                     "-o",
                                     folder->file("out"),
                                     *library + "/Scrt1.o",
                                     *library + "/crti.o"};
  for (const LinkInput &input : inputs)
    arguments.push_back(folder->file(input.name));
  for (std::string argument :
       {runtimeArchive.str(), "-L" + *library, std::string("--as-needed"), std::string("-lc"), std::string("-lm"), *library + "/crtn.o"})
    arguments.push_back(argument);
  if (Error error = callLinker(arguments, *folder))
    return error;
  return folder->read("out");
}
