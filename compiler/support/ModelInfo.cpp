// heddle.model: structs to attributes and back. Each struct has one `fields` function that names its fields once; writing and reading both go through
// it.
#include "compiler/support/ModelInfo.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle;

namespace {

struct Writer {
  Builder b;
  NamedAttrList list;

  template <typename T> static Attribute write(Builder b, const T &value) {
    if constexpr (std::is_same_v<T, std::string>)
      return b.getStringAttr(value);
    else if constexpr (std::is_same_v<T, double>)
      return b.getF64FloatAttr(value);
    else if constexpr (std::is_same_v<T, int64_t> || std::is_enum_v<T>)
      return b.getI64IntegerAttr(static_cast<int64_t>(value));
    else {
      Writer writer{b, {}};
      fields(writer, const_cast<T &>(value));
      return writer.list.getDictionary(b.getContext());
    }
  }
  template <typename T> static Attribute write(Builder b, const std::vector<T> &values) {
    SmallVector<Attribute> all;
    for (const T &value : values)
      all.push_back(write(b, value));
    return b.getArrayAttr(all);
  }
  template <typename T> void operator()(StringRef name, T &value) { list.set(name, write(b, value)); }
  template <typename T> void operator()(StringRef name, std::optional<T> &value) {
    if (value)
      list.set(name, write(b, *value));
  }
};

struct Reader {
  DictionaryAttr dictionary;
  bool *ok;

  template <typename T> static void read(Attribute attribute, T &value, bool *ok) {
    if constexpr (std::is_same_v<T, std::string>) {
      auto text = dyn_cast_or_null<StringAttr>(attribute);
      *ok &= static_cast<bool>(text);
      if (text)
        value = text.str();
    } else if constexpr (std::is_same_v<T, double>) {
      auto number = dyn_cast_or_null<FloatAttr>(attribute);
      *ok &= static_cast<bool>(number);
      if (number)
        value = number.getValueAsDouble();
    } else if constexpr (std::is_same_v<T, int64_t> || std::is_enum_v<T>) {
      auto number = dyn_cast_or_null<IntegerAttr>(attribute);
      *ok &= static_cast<bool>(number);
      if (number)
        value = static_cast<T>(number.getInt());
    } else {
      auto inner = dyn_cast_or_null<DictionaryAttr>(attribute);
      *ok &= static_cast<bool>(inner);
      Reader reader{inner, ok};
      if (inner)
        fields(reader, value);
    }
  }
  template <typename T> static void read(Attribute attribute, std::vector<T> &values, bool *ok) {
    auto array = dyn_cast_or_null<ArrayAttr>(attribute);
    *ok &= static_cast<bool>(array);
    if (!array)
      return;
    for (Attribute element : array)
      read(element, values.emplace_back(), ok);
  }
  template <typename T> void operator()(StringRef name, T &value) { read(dictionary.get(name), value, ok); }
  template <typename T> void operator()(StringRef name, std::optional<T> &value) {
    if (Attribute attribute = dictionary.get(name))
      read(attribute, value.emplace(), ok);
  }
};

template <typename V> void fields(V &v, FormTerm &t) {
  v("coefficient", t.coefficient);
  v("dimensions", t.dimensions);
}
template <typename V> void fields(V &v, DimensionInfo &d) {
  v("name", d.name);
  v("kind", d.kind);
  v("of", d.of);
  v("bound", d.bound);
}
template <typename V> void fields(V &v, ValueInfo &x) {
  v("name", x.name);
  v("element", x.element);
  v("extents", x.extents);
  v("ragged", x.ragged);
  v("id_bound", x.idBound);
  v("default", x.defaultValue);
}
template <typename V> void fields(V &v, WorkInfo &w) {
  v("flops", w.flops);
  v("bytes", w.bytes);
  v("pair_flops", w.pairFlops);
  v("queries", w.queries);
  v("keys", w.keys);
  v("left", w.left);
  v("right", w.right);
}
template <typename V> void fields(V &v, CallInfo &c) {
  v("kernel", c.kernel);
  v("place", c.place);
  v("work", c.work);
}
template <typename V> void fields(V &v, EntryInfo &e) {
  v("name", e.name);
  v("documentation", e.documentation);
  v("dimensions", e.dimensions);
  v("arguments", e.arguments);
  v("results", e.results);
  v("arena", e.arena);
  v("bytes", e.bytes);
  v("calls", e.calls);
}
template <typename V> void fields(V &v, KernelInfo &k) {
  v("name", k.name);
  v("place", k.place);
}
template <typename V> void fields(V &v, WeightInfo &w) {
  v("name", w.name);
  v("recipe", w.recipe);
  v("element", w.element);
  v("storage", w.storage);
  v("cpu_class", w.cpuClass);
  v("offset", w.offset);
  v("bytes", w.bytes);
}
template <typename V> void fields(V &v, TokenizerInfo &t) {
  v("side", t.side);
  v("kind", t.kind);
  v("path", t.path);
  v("unknown", t.unknown);
  v("offset", t.offset);
  v("bytes", t.bytes);
}
template <typename V> void fields(V &v, std::pair<std::string, int64_t> &s) {
  v("name", s.first);
  v("value", s.second);
}
template <typename V> void fields(V &v, std::pair<std::string, std::vector<double>> &n) {
  v("name", n.first);
  v("values", n.second);
}
template <typename V> void fields(V &v, TaskInfo &t) {
  v("kind", t.kind);
  v("entries", t.entries);
  v("settings", t.settings);
  v("numbers", t.numbers);
  v("labels", t.labels);
}
template <typename V> void fields(V &v, ModelInfo &m) {
  v("name", m.name);
  v("documentation", m.documentation);
  v("section_bytes", m.sectionBytes);
  v("entries", m.entries);
  v("kernels", m.kernels);
  v("weights", m.weights);
  v("tokenizers", m.tokenizers);
  v("tasks", m.tasks);
}
} // namespace

void heddle::writeModelInfo(ModuleOp module, const ModelInfo &info) {
  module->setAttr(modelInfoAttr, Writer::write(Builder(module.getContext()), info));
}

std::optional<ModelInfo> heddle::readModelInfo(ModuleOp module) {
  ModelInfo info;
  bool ok = true;
  Reader::read(module->getAttr(modelInfoAttr), info, &ok);
  if (ok)
    return info;
  module.emitError("expected a whole attribute '") << modelInfoAttr << "'; the linalg stage writes it";
  return std::nullopt;
}
