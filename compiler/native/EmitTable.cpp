// What is known of a model beside its code -> an object with the constant `heddle_model`. One function a struct of runtime/heddle_model.h, fields in
// order.
#include "compiler/native/EmitTable.h"
#include "compiler/native/TableBuilder.h"
#include "compiler/native/TargetMachine.h"
#include "runtime/heddle_model.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

// The enumerations of ModelInfo.h are those of the table.
static_assert(int64_t(heddle::Element::F32) == HEDDLE_F32 && int64_t(heddle::Element::I32) == HEDDLE_I32 &&
              int64_t(heddle::Element::Bool) == HEDDLE_BOOL);
static_assert(int64_t(heddle::DimensionKind::Plain) == HEDDLE_PLAIN && int64_t(heddle::DimensionKind::Ragged) == HEDDLE_RAGGED &&
              int64_t(heddle::DimensionKind::Tokens) == HEDDLE_TOKENS);
static_assert(std::string_view(heddle::weightsSection.data()) == HEDDLE_SECTION);
static_assert(std::string_view(heddle::checkPrefix.data()) == HEDDLE_CHECK_PREFIX);

std::string heddle::entrySymbol(StringRef entry) { return ("entry." + entry).str(); }

namespace {

using heddle::TableBuilder;
using Fields = TableBuilder::Fields;

class Table {
public:
  Table(Module &module, const heddle::ModelInfo &info) : builder(module), info(info) {
    for (auto [index, kernel] : enumerate(info.kernels))
      kernels[kernel.name] = index;
  }

  Error define(ArrayRef<const heddle::Target *> targets, StringRef compilerVersion);

private:
  /// A count and a pointer to that many records.
  template <typename List, typename Make> void list(Fields &fields, const List &items, Make make) {
    fields.push_back(builder.integer(items.size()));
    fields.push_back(array(items, make));
  }
  template <typename List, typename Make> Constant *array(const List &items, Make make) { return builder.array(Fields(map_range(items, make))); }

  Constant *term(const heddle::FormTerm &term);
  void form(Fields &fields, const heddle::Form &form);
  Constant *extent(const heddle::Form &extent);
  Constant *dimension(const heddle::DimensionInfo &dimension);
  Constant *value(const heddle::ValueInfo &value);
  Constant *work(const heddle::WorkInfo &work);
  Constant *call(const heddle::CallInfo &call);
  Constant *entry(const heddle::EntryInfo &entry);
  Constant *kernel(const heddle::KernelInfo &kernel);
  Constant *variant(const heddle::Target &target);
  Constant *weight(const heddle::WeightInfo &weight);
  Constant *tokenizer(const heddle::TokenizerInfo &tokenizer);
  Constant *task(const heddle::TaskInfo &task);
  int64_t entryIndex(const std::string &name, const char *user);

  /// Keeps the first problem; the caller reports it once the table is built.
  void problem(const Twine &text) {
    if (firstProblem.empty())
      firstProblem = text.str();
  }

  TableBuilder builder;
  const heddle::ModelInfo &info;
  StringMap<int64_t> kernels; // name -> index
  std::string firstProblem;
};

Constant *Table::term(const heddle::FormTerm &term) {
  constexpr size_t places = std::extent_v<decltype(heddle_term::dimensions)>;
  if (term.dimensions.size() > places)
    problem("a product of " + Twine(term.dimensions.size()) + " dimensions, at most " + Twine(places) + " fit");
  Fields fields{builder.integer(term.coefficient)};
  for (size_t place = 0; place < places; ++place)
    fields.push_back(builder.integer(place < term.dimensions.size() ? term.dimensions[place] : -1));
  return builder.record<heddle_term>(fields);
}

void Table::form(Fields &fields, const heddle::Form &form) {
  list(fields, form, [&](const heddle::FormTerm &item) { return term(item); });
}

Constant *Table::extent(const heddle::Form &extent) {
  Fields fields;
  form(fields, extent);
  return builder.record<heddle_form>(fields);
}

Constant *Table::dimension(const heddle::DimensionInfo &dimension) {
  return builder.record<heddle_dimension>(
      {builder.string(dimension.name), builder.integer(int64_t(dimension.kind)), builder.integer(dimension.of), builder.integer(dimension.bound)});
}

Constant *Table::value(const heddle::ValueInfo &value) {
  return builder.record<heddle_value>({builder.string(value.name), builder.integer(int64_t(value.element)), builder.integer(value.extents.size()),
                                       array(value.extents, [&](const heddle::Form &item) { return extent(item); }), builder.integer(value.ragged),
                                       builder.integer(value.idBound), builder.integer(value.defaultValue.has_value()),
                                       builder.real(value.defaultValue.value_or(0))});
}

Constant *Table::work(const heddle::WorkInfo &work) {
  Fields fields;
  form(fields, work.flops);
  form(fields, work.bytes);
  for (int64_t number : {work.pairFlops, work.queries, work.keys, work.left, work.right})
    fields.push_back(builder.integer(number));
  return builder.record<heddle_work>(fields);
}

Constant *Table::call(const heddle::CallInfo &call) {
  auto known = kernels.find(call.kernel);
  if (known == kernels.end())
    problem("a call of the kernel '" + call.kernel + "', which the model has not");
  return builder.record<heddle_call>(
      {builder.integer(known == kernels.end() ? -1 : known->second), builder.string(call.place), builder.array({work(call.work)})});
}

Constant *Table::entry(const heddle::EntryInfo &entry) {
  Fields fields{builder.string(entry.name), builder.string(entry.documentation)};
  list(fields, entry.dimensions, [&](const heddle::DimensionInfo &item) { return dimension(item); });
  list(fields, entry.arguments, [&](const heddle::ValueInfo &item) { return value(item); });
  list(fields, entry.results, [&](const heddle::ValueInfo &item) { return value(item); });
  form(fields, entry.arena);
  form(fields, entry.bytes);
  list(fields, entry.calls, [&](const heddle::CallInfo &item) { return call(item); });
  return builder.record<heddle_entry>(fields);
}

Constant *Table::kernel(const heddle::KernelInfo &kernel) {
  return builder.record<heddle_kernel>({builder.string(kernel.name), builder.string(kernel.place)});
}

Constant *Table::variant(const heddle::Target &target) {
  auto symbol = [&](StringRef name) { return builder.function((name + target.suffix).str()); };
  return builder.record<heddle_variant>({builder.string(target.cpu), builder.integer(target.level),
                                         array(info.entries, [&](const heddle::EntryInfo &item) { return symbol(heddle::entrySymbol(item.name)); }),
                                         array(info.kernels, [&](const heddle::KernelInfo &item) { return symbol(item.name); })});
}

Constant *Table::weight(const heddle::WeightInfo &weight) {
  if (weight.offset % 64 || weight.offset < 0 || weight.bytes < 0 || weight.offset > info.sectionBytes - weight.bytes)
    problem("weight '" + weight.name + "' lies at " + Twine(weight.offset) + " with " + Twine(weight.bytes) + " bytes in a section of " +
            Twine(info.sectionBytes));
  return builder.record<heddle_weight>({builder.string(weight.name), builder.string(weight.recipe), builder.integer(int64_t(weight.element)),
                                        builder.integer(weight.storage), builder.integer(weight.cpuClass), builder.integer(weight.offset),
                                        builder.integer(weight.bytes)});
}

Constant *Table::tokenizer(const heddle::TokenizerInfo &tokenizer) {
  int64_t side = tokenizer.side == "source" ? HEDDLE_SOURCE : tokenizer.side == "target" ? HEDDLE_TARGET : HEDDLE_BOTH;
  return builder.record<heddle_tokenizer>({builder.integer(side), builder.integer(tokenizer.offset), builder.integer(tokenizer.bytes)});
}

int64_t Table::entryIndex(const std::string &name, const char *user) {
  auto found = find_if(info.entries, [&](const heddle::EntryInfo &entry) { return entry.name == name; });
  if (found == info.entries.end())
    problem(Twine("'") + user + "' uses the entry '" + name + "', which the model has not");
  return found - info.entries.begin();
}

Constant *Table::task(const heddle::TaskInfo &task) {
  Fields fields{builder.string(task.kind)};
  list(fields, task.entries, [&](const std::string &name) { return builder.integer(entryIndex(name, task.kind.c_str())); });
  list(fields, task.settings, [&](const std::pair<std::string, int64_t> &setting) {
    return builder.record<heddle_setting>({builder.string(setting.first), builder.integer(setting.second)});
  });
  list(fields, task.numbers, [&](const std::pair<std::string, std::vector<double>> &numbers) {
    Fields record{builder.string(numbers.first)};
    list(record, numbers.second, [&](double value) { return builder.real(value); });
    return builder.record<heddle_numbers>(record);
  });
  list(fields, task.labels, [&](const std::string &label) { return builder.string(label); });
  fields.push_back(task.numbers.empty() ? builder.array({}) : builder.function("heddle_read_picture"));
  return builder.record<heddle_task>(fields);
}

Error Table::define(ArrayRef<const heddle::Target *> targets, StringRef compilerVersion) {
  Fields fields{builder.integer(HEDDLE_MODEL_VERSION), builder.string(info.name),  builder.string(info.documentation),
                builder.string(compilerVersion),       builder.string(info.built), builder.integer(info.parameters),
                builder.integer(info.sectionBytes)};
  if (!std::is_partitioned(info.entries.begin(), info.entries.end(), [](const heddle::EntryInfo &item) { return !item.isCheck(); }))
    problem("an entry of the text stands behind one of the self-test");
  fields.push_back(builder.integer(count_if(info.entries, [](const heddle::EntryInfo &item) { return !item.isCheck(); })));
  fields.push_back(array(info.entries, [&](const heddle::EntryInfo &item) { return entry(item); }));
  list(fields, targets, [&](const heddle::Target *item) { return variant(*item); });
  list(fields, info.kernels, [&](const heddle::KernelInfo &item) { return kernel(item); });
  list(fields, info.weights, [&](const heddle::WeightInfo &item) { return weight(item); });
  // A tokenizer of a kind that is not built yet has no bytes; the executable then has its ids only.
  auto packed = make_filter_range(info.tokenizers, [](const heddle::TokenizerInfo &item) { return item.bytes > 0; });
  list(fields, std::vector<heddle::TokenizerInfo>(packed.begin(), packed.end()), [&](const heddle::TokenizerInfo &item) { return tokenizer(item); });
  list(fields, info.tasks, [&](const heddle::TaskInfo &item) { return task(item); });
  list(fields, info.checks, [&](const heddle::CheckInfo &check) {
    Fields record{builder.integer(entryIndex(check.entry, "the self-test")), builder.string(check.unchecked)};
    list(record, check.dimensions, [&](int64_t extent) { return builder.integer(extent); });
    record.append({builder.integer(check.seeds), builder.integer(check.offset), builder.integer(check.bytes)});
    return builder.record<heddle_check>(record);
  });
  if (!firstProblem.empty())
    return createStringError("internal error: the executable's table cannot hold the model: " + firstProblem);
  builder.define("heddle_model", builder.record<heddle_model_table>(fields));
  return Error::success();
}

} // namespace

Expected<std::string> heddle::emitTable(const ModelInfo &info, ArrayRef<const Target *> targets, StringRef compilerVersion) {
  LLVMContext context;
  Module module("heddle.table", context);
  Expected<std::unique_ptr<TargetMachine>> machine = createMachine("x86-64");
  if (!machine)
    return machine.takeError();
  adoptMachine(module, **machine);
  if (Error error = Table(module, info).define(targets, compilerVersion))
    return error;
  return generateCode(module, **machine, /*assembly=*/false);
}
