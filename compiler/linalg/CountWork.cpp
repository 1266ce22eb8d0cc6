// What an entry and each of its calls cannot do without: operations of products and attention, and bytes, as forms over the entry's dimensions. A
// profile divides by them. Counted from heddle ops, between OutlineKernels and their lowering: what tiles and padding add is no needed work.
#include "compiler/linalg/EntryLowering.h"
#include "compiler/support/Location.h"

using namespace mlir;
using namespace heddle;

namespace {

constexpr size_t mostFactors = 4; // of a term (heddle_term)

/// A form, or nothing: an extent that is no sum of products, a product of too many dimensions.
using Count = std::optional<Form>;

Form normal(Form form) {
  Form sum;
  for (FormTerm &term : form) {
    llvm::sort(term.dimensions);
    auto same = llvm::find_if(sum, [&](const FormTerm &other) { return other.dimensions == term.dimensions; });
    if (same == sum.end())
      sum.push_back(std::move(term));
    else
      same->coefficient += term.coefficient;
  }
  llvm::erase_if(sum, [](const FormTerm &term) { return term.coefficient == 0; });
  return sum;
}

Count plus(Count a, const Count &b) {
  if (!a || !b)
    return std::nullopt;
  a->insert(a->end(), b->begin(), b->end());
  return normal(std::move(*a));
}

Count times(const Count &a, const Count &b) {
  if (!a || !b)
    return std::nullopt;
  Form product;
  for (const FormTerm &x : *a)
    for (const FormTerm &y : *b) {
      FormTerm term{x.coefficient * y.coefficient, x.dimensions};
      term.dimensions.insert(term.dimensions.end(), y.dimensions.begin(), y.dimensions.end());
      if (term.dimensions.size() > mostFactors)
        return std::nullopt;
      product.push_back(std::move(term));
    }
  return normal(std::move(product));
}

Count times(const Count &a, int64_t factor) { return times(a, Form{{factor, {}}}); }

class WorkCounter {
public:
  WorkCounter(func::FuncOp entry, EntryInfo &info) : entry(entry), info(info) {}

  void run() {
    auto module = entry->getParentOfType<ModuleOp>();
    for (auto call : entry.getOps<func::CallOp>())
      if (auto kernel = module.lookupSymbol<func::FuncOp>(call.getCallee()); kernel && !kernel.isExternal()) {
        info.calls.push_back({call.getCallee().str(), placeText(call.getLoc()), workOf(kernel)});
        addWeights(call, kernel);
      }
    Count all = Form();
    for (const auto &values : {info.arguments, info.results})
      for (const ValueInfo &value : values)
        all = plus(all, bytesOf(value));
    for (const auto &[weight, read] : weights)
      all = plus(all, read);
    info.bytes = all.value_or(Form());
  }

private:
  Count extent(DimsAttr dims, int64_t axis) {
    FailureOr<Form> form = formOf(dims, axis, info);
    return failed(form) ? Count() : Count(*form);
  }
  Count elements(DimsAttr dims) {
    Count product = Form{{1, {}}};
    for (int64_t axis = 0; axis < dims.getRank(); ++axis)
      product = times(product, extent(dims, axis));
    return product;
  }
  Count bytesOf(Type type) {
    DimsAttr dims = dimsOf(type);
    return dims ? times(elements(dims), llvm::divideCeil(getElementTypeOrSelf(type).getIntOrFloatBitWidth(), 8)) : Form();
  }
  static Count bytesOf(const ValueInfo &value) {
    Count product = Form{{value.element == Element::Bool ? 1 : 4, {}}};
    for (const Form &extent : value.extents)
      product = times(product, extent);
    return product;
  }

  /// Of a table that is only looked up, or a value of which only parts are read: what is found there.
  Count bytesRead(Value value) {
    bool parts = !value.use_empty() && llvm::all_of(value.getUses(), [](OpOperand &use) {
      return isa<SliceOp>(use.getOwner()) || (isa<GatherOp>(use.getOwner()) && use.getOperandNumber() == 0);
    });
    if (!parts)
      return bytesOf(value.getType());
    Count sum = Form();
    for (Operation *user : value.getUsers())
      sum = plus(sum, isa<SliceOp>(user) ? bytesRead(user->getResult(0)) : bytesOf(user->getResult(0).getType()));
    return sum;
  }

  WorkInfo workOf(func::FuncOp kernel) {
    WorkInfo work;
    Count flops = Form(), bytes = bytesOf(kernel.getResultTypes()[0]);
    for (BlockArgument argument : kernel.getArguments())
      bytes = plus(bytes, bytesRead(argument));
    kernel.walk([&](Operation *op) {
      if (auto linear = dyn_cast<LinearOp>(op))
        flops = plus(flops, productFlops(linear.getType(), linear.getX()));
      if (auto matmul = dyn_cast<MatmulOp>(op))
        flops = plus(flops, productFlops(matmul->getResult(0).getType(), matmul->getOperand(0)));
      if (auto attention = dyn_cast<AttentionOp>(op))
        flops = plus(flops, attentionFlops(attention, work));
    });
    work.flops = flops.value_or(Form());
    work.bytes = bytes.value_or(Form());
    return work;
  }

  /// 2 M N K
  Count productFlops(Type result, Value left) {
    DimsAttr dims = dimsOf(left);
    return times(times(elements(dimsOf(result)), extent(dims, dims.getRank() - 1)), 2);
  }

  /// 2 (d + e) for each head and each pair; of pairs between two ragged dimensions, which no form counts, `work` gets told.
  Count attentionFlops(AttentionOp op, WorkInfo &work) {
    DimsAttr query = dimsOf(op.getQuery()), key = dimsOf(op.getKey());
    int64_t ofPair = 2 * (query.shape().back() + dimsOf(op.getValue()).shape().back());
    if (op.hasQueryRows() && op.hasKeyRows()) {
      work.pairFlops = ofPair * op.heads();
      work.queries = raggedOf(query);
      work.keys = raggedOf(key);
      if (op.getMask())
        limit(op.getMask(), work);
      return Form();
    }
    // Axes of the side without rows have the batch in them; each token of a side with rows lies in one batch row.
    Count pairs = op.hasQueryRows() ? times(extent(query, 0), extent(key, op.tokenAxis(true)))
                  : op.hasKeyRows() ? times(extent(query, op.tokenAxis(false)), extent(key, 0))
                                    : times(times(elements(query.dropBack(3)), extent(query, op.tokenAxis(false))), extent(key, op.tokenAxis(true)));
    return times(pairs, ofPair * op.heads());
  }

  int64_t raggedOf(DimsAttr rows) {
    Count tokens = extent(rows, 0);
    bool one = tokens && tokens->size() == 1 && tokens->front().dimensions.size() == 1;
    return one ? info.dimensions[tokens->front().dimensions[0]].of : -1;
  }

  /// Masks that a position alone decides; others are taken to show everything.
  static void limit(Value mask, WorkInfo &work) {
    Operation *op = mask.getDefiningOp();
    if (isa_and_nonnull<MaskCausalOp>(op))
      work.right = std::min<int64_t>(work.right, 1);
    if (auto window = dyn_cast_or_null<MaskWindowOp>(op)) {
      work.left = std::min<int64_t>(work.left, window.getLeft().value_or(work.left));
      work.right = std::min<int64_t>(work.right, window.getRight().value_or(work.right));
    }
    if (isa_and_nonnull<MaskAndOp>(op))
      for (Value part : op->getOperands())
        limit(part, work);
  }

  /// A weight that several kernels read counts once, whole if one reads it whole.
  void addWeights(func::CallOp call, func::FuncOp kernel) {
    for (auto [operand, argument] : llvm::zip(call.getOperands(), kernel.getArguments())) {
      auto use = operand.getDefiningOp<UseOp>();
      if (!use)
        continue;
      Count bytes = bytesRead(argument);
      bool isWhole = bytes && llvm::all_of(*bytes, [](const FormTerm &term) { return term.dimensions.empty(); });
      auto [known, fresh] = weights.insert({use.getWeight(), bytes});
      if (!fresh && isWhole)
        known->second = bytes;
    }
  }

  func::FuncOp entry;
  EntryInfo &info;
  llvm::MapVector<StringRef, Count> weights; // what is read of each
};

} // namespace

void heddle::countWork(func::FuncOp entry, EntryInfo &info) { WorkCounter(entry, info).run(); }
