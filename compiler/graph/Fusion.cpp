#include "compiler/graph/Fusion.h"
#include "compiler/graph/Rewrite.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

static remark::RemarkOpts options(StringRef name) { return remark::RemarkOpts::name(name).category("fusion"); }

LogicalResult heddle::replaceFormula(Operation *root, Value by) {
  root->getContext()->executeAction<ReplaceFormula>([&] { root->getResult(0).replaceAllUsesWith(by); }, {root, by}, root, by);
  return success();
}

LogicalResult heddle::replaceFused(Operation *root, Operation *made, Value by, StringRef what) {
  StringRef name = what.empty() ? made->getName().stripDialect() : what;
  if (isFusionOff(root, name))
    return reportMissed(root, name, "--no-fuse turns it off");
  remark::passed(root->getLoc(), options(name)) << remark::add("{0}", name.str());
  return replaceFormula(root, by ? by : made->getResult(0));
}

LogicalResult heddle::reportMissed(Operation *root, StringRef what, const std::string &reason, const std::string &remedy) {
  Builder b(root->getContext());
  std::string noted = "no " + what.str() + " was made: " + reason;
  root->setAttr(missedAttr, remedy.empty() ? b.getStrArrayAttr({noted}) : b.getStrArrayAttr({noted, remedy}));
  auto toldBefore = [&](Value operand) { // by a part of the formula
    auto told = operand.getDefiningOp() ? operand.getDefiningOp()->getAttrOfType<ArrayAttr>(missedAttr) : ArrayAttr();
    return told && cast<StringAttr>(told[0]).getValue() == noted;
  };
  if (llvm::any_of(root->getOperands(), toldBefore))
    return failure();
  auto said = remark::missed(root->getLoc(), options(what));
  said << remark::reason("{0}", reason);
  if (!remedy.empty())
    said << remark::suggest("{0}", remedy);
  return failure();
}

bool heddle::isFusionOff(Operation *op, StringRef what) {
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto off = module->getAttrOfType<ArrayAttr>(noFuseAttr);
  auto names = [&](StringRef name) { return llvm::is_contained(off.getAsValueRange<StringAttr>(), name); };
  return off && (names(what) || names("all"));
}

LogicalResult heddle::finishFusion(ModuleOp module) {
  for (auto entry : module.getOps<func::FuncOp>())
    for (Block &block : entry.getBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
  return success();
}
