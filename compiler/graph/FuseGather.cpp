// One-hot rows times a table pick rows of the table: they become a gather, which reads one row instead of all. Runs before FuseLinear, which would
// make a product of them.
#include "compiler/graph/Formula.h"
#include "compiler/graph/Fusion.h"
#include "compiler/graph/Passes.h"
#include "compiler/graph/WeightTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <fmt/format.h>

namespace heddle {
#define GEN_PASS_DEF_FUSEGATHER
#include "compiler/graph/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {

class GatherFuser {
public:
  explicit GatherFuser(MatmulOp root) : root(root), formula(root.getLhs()), b(root) {}

  /// f32(ids == iota) @ table
  LogicalResult run() {
    auto compare = oneHot();
    if (!compare)
      return failure();
    Term left = formula.operand(formula.root, compare->getOperand(0)), right = formula.operand(formula.root, compare->getOperand(1));
    auto known = numbersOf(right);
    Term picked = left;
    if (!known)
      known = numbersOf(left), picked = right;
    if (!known)
      return failure(); // of something else than constants
    auto convert = picked.op<arith::SIToFPOp>();
    if (!convert)
      return missed("what is compared is no tensor of ints");
    for (auto [i, number] : llvm::enumerate(*known))
      if (number != static_cast<double>(i))
        return missed(fmt::format("ids are compared with {} at place {}, not with the place itself", number, i));
    if (!root.getRhs().getDefiningOp<UseOp>() || dimsOf(root.getRhs()).getRank() != 2)
      return missed("the table is no weight");
    if (known->size() > 1 << 24)
      return missed("ids beyond 2^24 are no f32");
    Term ids = formula.operand(picked, convert.getIn());
    DimsAttr rows = dimsOf(root.getType()).dropBack();
    bool own = ids.view.map == AffineMap::getMultiDimIdentityMap(rows.getRank() + 1, b.getContext()).dropResult(rows.getRank());
    if (!own || dimsOf(ids.view.base) != rows)
      return missed("the ids are rearranged before they are compared");
    return make(ids.view.base, known->size());
  }

private:
  MatmulOp root;
  Formula formula; // of the one-hot rows
  OpBuilder b;

  LogicalResult missed(const std::string &reason) { return reportMissed(root, "gather", reason, "write table[ids]"); }

  /// The comparison whose truth is 1.
  arith::CmpFOp oneHot() {
    Operation *op = formula.root.view.base.getDefiningOp();
    if (!op || !formula.root.view.map.isIdentity())
      return {};
    arith::CmpFOp compare;
    if (auto convert = dyn_cast<arith::UIToFPOp>(op))
      compare = formula.operand(formula.root, convert.getIn()).op<arith::CmpFOp>();
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      auto yes = formula.number(formula.operand(formula.root, select.getTrueValue()));
      auto no = formula.number(formula.operand(formula.root, select.getFalseValue()));
      if (yes == 1.0 && no == 0.0)
        compare = formula.operand(formula.root, select.getCondition()).op<arith::CmpFOp>();
    }
    return compare && compare.getPredicate() == arith::CmpFPredicate::OEQ ? compare : arith::CmpFOp();
  }
  /// Constants along the columns.
  std::optional<SmallVector<double>> numbersOf(const Term &term) {
    Value vector = formula.vector(term);
    auto use = vector ? vector.getDefiningOp<UseOp>() : UseOp();
    return use ? numbersOfText(SymbolTable::lookupNearestSymbolFrom<WeightOp>(use, use.getWeightAttr()).getRecipe()) : std::nullopt;
  }

  Value number(Value like, int64_t value) {
    auto type = cast<RankedTensorType>(like.getType());
    bool isInt = type.getElementType().isInteger(32);
    TypedAttr attribute = isInt ? TypedAttr(b.getI32IntegerAttr(value)) : TypedAttr(b.getF64FloatAttr(static_cast<double>(value)));
    Value one = arith::ConstantOp::create(b, root.getLoc(), attribute);
    return BroadcastOp::create(b, root.getLoc(), type, one, ArrayRef<int64_t>());
  }
  /// A row whose id is not in the table is 0, as its one-hot row is. A gather of ids that an argument gives would refuse such an id instead.
  LogicalResult make(Value ids, int64_t rows) {
    Location place = root.getLoc();
    Value first = arith::MaxSIOp::create(b, place, ids, number(ids, 0));
    Value inside = arith::MinSIOp::create(b, place, first, number(ids, rows - 1));
    auto made = GatherOp::create(b, place, root.getType(), root.getRhs(), inside);
    Value same = arith::CmpIOp::create(b, place, arith::CmpIPredicate::eq, ids, inside);
    auto axes = llvm::to_vector(llvm::seq<int64_t>(0, dimsOf(ids).getRank()));
    Value known = BroadcastOp::create(b, place, dimsOf(root.getType()).tensorOf(b.getI1Type()), same, axes);
    Value result = arith::SelectOp::create(b, place, known, made, number(made, 0));
    return replaceFused(root, made, result);
  }
};

struct FuseGather : heddle::impl::FuseGatherBase<FuseGather> {
  void runOnOperation() override {
    SmallVector<MatmulOp> roots;
    getOperation().walk([&](MatmulOp op) { roots.push_back(op); });
    for (MatmulOp root : roots)
      if (succeeded(GatherFuser(root).run()))
        ++fused;
    if (failed(finishFusion(getOperation())))
      signalPassFailure();
  }
};
} // namespace
