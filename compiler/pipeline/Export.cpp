// What follows the stages: one object per CPU variant, the table, the link, the section of weights and tokenizers, the file.
#include "compiler/linalg/Passes.h"
#include "compiler/native/AppendSection.h"
#include "compiler/native/EmitObject.h"
#include "compiler/native/EmitTable.h"
#include "compiler/native/LinkExecutable.h"
#include "compiler/packing/Recipe.h"
#include "compiler/packing/Tokenizer.h"
#include "compiler/pipeline/CheckTokenizers.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/DescribeModel.h"
#include "compiler/pipeline/Room.h"
#include "compiler/pipeline/SectionWriter.h"
#include "compiler/pipeline/SelfTest.h"
#include "compiler/support/File.h"
#include "compiler/support/Shape.h"
#include "dialect/Heddle.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using heddle::Outcome;

Outcome heddle::Compilation::takeModelInfo(ArrayRef<ModuleOp> modules) {
  std::optional<ModelInfo> described = describeModel(modules);
  if (!described)
    return broken("the description of the model is lost");
  info = std::move(*described);
  return packTokenizers() ? Outcome::Good : Outcome::Refused;
}

Outcome heddle::Compilation::emitObjects(bool assembly) {
  TimingScope scope = begin("code generation");
  ObjectOptions common;
  common.assembly = assembly;
  for (const EntryInfo &entry : info.entries)
    common.exported.insert(entrySymbol(entry.name));
  for (const KernelInfo &kernel : info.kernels)
    common.exported.insert(kernel.name);
  std::vector<std::string> problems(variants.size());
  parallelFor(context.get(), 0, variants.size(), [&](size_t index) { // each in an LLVM context of its own
    ObjectOptions own = common;
    own.cpu = variants[index].target->cpu.str();
    own.suffix = variants[index].target->suffix.str();
    llvm::Expected<std::string> object = emitObject(*variants[index].module, own);
    if (object)
      variants[index].object = std::move(*object);
    else
      problems[index] = llvm::toString(object.takeError());
  });
  for (const std::string &problem : problems)
    if (!problem.empty())
      return broken(problem);
  if (assembly)
    for (const Variant &variant : variants)
      text += "# -----  " + variant.target->cpu.str() + "\n" + variant.object;
  return Outcome::Good;
}

/// The objects of the variants, which it takes, and the table.
llvm::Expected<std::vector<heddle::LinkInput>> heddle::Compilation::linkInputs() {
  std::vector<LinkInput> inputs;
  for (Variant &variant : variants)
    inputs.push_back({"code" + variant.target->suffix.str() + ".o", std::move(variant.object)});
  llvm::Expected<std::string> table = emitTable(info, options.targets, options.compilerVersion);
  if (!table)
    return table.takeError();
  inputs.push_back({"table.o", std::move(*table)});
  return inputs;
}

/// --emit=obj: all variants and the table in one relocatable file.
Outcome heddle::Compilation::joinObjects() {
  TimingScope scope = begin("link");
  llvm::Expected<std::vector<LinkInput>> given = linkInputs();
  if (!given)
    return broken(llvm::toString(given.takeError()));
  llvm::Expected<std::string> joined = linkRelocatable(*given);
  if (!joined) {
    diagnostics.error({}, llvm::toString(joined.takeError()));
    return Outcome::Refused;
  }
  text = std::move(*joined);
  return Outcome::Good;
}

static std::optional<heddle::TokenizerSource::Kind> tokenizerKind(StringRef word) {
  using Kind = heddle::TokenizerSource::Kind;
  return llvm::StringSwitch<std::optional<Kind>>(word)
      .Case("json", Kind::Json)
      .Case("words", Kind::Words)
      .Case("characters", Kind::Characters)
      .Default(std::nullopt);
}

/// Tokenizers follow the weights in the section.
bool heddle::Compilation::packTokenizers() {
  TimingScope scope = begin("tokenizers");
  for (TokenizerInfo &tokenizer : info.tokenizers) {
    std::optional<TokenizerSource::Kind> kind = tokenizerKind(tokenizer.kind);
    if (!kind) {
      diagnostics.error({}, "tokenizer kind '" + tokenizer.kind + "' is not built yet");
      return false;
    }
    std::optional<std::vector<char>> bytes = packTokenizer({*kind, tokenizer.path, tokenizer.unknown}, diagnostics);
    if (diagnostics.hasErrors())
      return false;
    tokenizerBytes.emplace_back(bytes ? std::string(bytes->begin(), bytes->end()) : std::string());
    tokenizer.offset = llvm::alignTo(info.sectionBytes, 64);
    tokenizer.bytes = tokenizerBytes.back().size();
    if (tokenizer.bytes)
      info.sectionBytes = tokenizer.offset + tokenizer.bytes;
  }
  return checkTokenizers(info, tokenizerBytes, diagnostics);
}

std::vector<heddle::TensorRead> heddle::Compilation::tensorsRead() const {
  std::map<std::string, TensorRead> read;
  for (const WeightInfo &weight : info.weights)
    if (Attribute recipe = parseAttribute(weight.recipe, context.get()))
      recipe.walk([&](TensorRecipeAttr tensor) {
        RankedTensorType type = tensor.getType();
        std::string name = tensor.getName().str(), element;
        llvm::raw_string_ostream(element) << type.getElementType();
        read[name] = {name, element, type.getShape().vec(), type.getElementTypeBitWidth() / 8};
      });
  std::vector<TensorRead> sorted;
  for (auto &[name, tensor] : read)
    sorted.push_back(std::move(tensor));
  return sorted;
}

/// Where a weight is made of tensors.
bool heddle::Compilation::openWeights() {
  bool readsTensors = llvm::any_of(info.weights, [](const WeightInfo &weight) { return StringRef(weight.recipe).contains("heddle.tensor<"); });
  return !readsTensors || (checkpoint = Checkpoint::open(weightsOf(options.source), diagnostics));
}

/// What the executable depends on beside the text and the files of its folders, none of whose places it knows.
static std::string describeOptions(const heddle::CompileOptions &options) {
  std::vector<std::string> parts;
  if (StringRef(options.source.weights).starts_with("seed:"))
    parts.push_back("weights " + options.source.weights);
  for (const std::string &setting : options.source.settings)
    parts.push_back("--set " + setting);
  for (const std::string &name : options.noFuse)
    parts.push_back("--no-fuse=" + name);
  return llvm::join(parts, ", ");
}

/// Checks follow the tokenizers in the section, and after all the checksum.
Outcome heddle::Compilation::makeSelfTest() {
  TimingScope scope = begin("self-test");
  for (const TensorRead &tensor : tensorsRead())
    info.parameters += byteCount(tensor.shape, 1).value_or(0);
  info.built = describeOptions(options);
  CheckMaker checks(checkpoint.get(), info, checkBytes);
  checks.addEntries(*imported);
  PassManager pm(context.get());
  buildKernels(pm);
  if (failed(pm.run(*graph)))
    return broken("the kernels of the self-test are lost");
  checks.addKernels(*graph);
  closeSection(info);
  return Outcome::Good;
}

Outcome heddle::Compilation::writeExecutable(const std::string &path) {
  if (!hasRoom(info, path, diagnostics) || !openWeights())
    return Outcome::Refused;
  if (Outcome outcome = makeSelfTest(); outcome != Outcome::Good)
    return outcome;
  std::string executable;
  {
    TimingScope scope = begin("link");
    llvm::Expected<std::vector<LinkInput>> given = linkInputs();
    if (!given)
      return broken(llvm::toString(given.takeError()));
    llvm::Expected<std::string> linked = linkExecutable(*given, options.runtimeArchive);
    if (!linked) {
      diagnostics.error({}, llvm::toString(linked.takeError()));
      return Outcome::Refused;
    }
    executable = std::move(*linked);
  }
  TimingScope scope = begin("weights");
  std::optional<OutputFile> file = OutputFile::create(path, /*executable=*/true, diagnostics);
  if (!file)
    return Outcome::Refused;
  auto write = [&](StringRef bytes) {
    file->write(bytes); // commit() reports a failure
    if (options.progress)
      options.progress->advance(file->size(), executable.size() + info.sectionBytes);
    return llvm::Error::success();
  };
  SectionWriter section(*context, info, tokenizerBytes, checkBytes, checkpoint.get(), diagnostics);
  llvm::Error error = appendSection(executable, weightsSection, info.sectionBytes, [&](WriteBytes to) { return section.write(to); }, write);
  if (error) {
    std::string message = llvm::toString(std::move(error));
    return diagnostics.hasErrors() ? Outcome::Refused : broken(message);
  }
  return file->commit(diagnostics) ? Outcome::Good : Outcome::Refused;
}
