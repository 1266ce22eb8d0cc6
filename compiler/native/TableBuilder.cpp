// Builds constant C structs in LLVM IR whose every field is 64 bits wide.
#include "compiler/native/TableBuilder.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Type.h"

using namespace llvm;

Constant *heddle::TableBuilder::integer(int64_t value) { return ConstantInt::getSigned(Type::getInt64Ty(module.getContext()), value); }

Constant *heddle::TableBuilder::real(double value) { return ConstantFP::get(Type::getDoubleTy(module.getContext()), value); }

Constant *heddle::TableBuilder::string(StringRef text) {
  Constant *&known = strings[text];
  if (!known)
    known = privateConstant(ConstantDataArray::getString(module.getContext(), text));
  return known;
}

Constant *heddle::TableBuilder::function(StringRef name) {
  if (Function *known = module.getFunction(name))
    return known;
  auto *type = FunctionType::get(Type::getVoidTy(module.getContext()), false);
  Function *declared = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  declared->setVisibility(GlobalValue::HiddenVisibility);
  return declared;
}

Constant *heddle::TableBuilder::array(const Fields &elements) {
  if (elements.empty())
    return ConstantPointerNull::get(PointerType::get(module.getContext(), 0));
  auto *type = ArrayType::get(elements.front()->getType(), elements.size());
  Constant *value = ConstantArray::get(type, elements);
  Constant *&known = arrays[value];
  return known ? known : known = privateConstant(value);
}

void heddle::TableBuilder::define(StringRef name, Constant *value) {
  auto *global = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::ExternalLinkage, value, name);
  global->setAlignment(Align(64));
}

Constant *heddle::TableBuilder::structure(const Fields &fields) { return ConstantStruct::getAnon(module.getContext(), fields); }

GlobalVariable *heddle::TableBuilder::privateConstant(Constant *value) {
  auto *global = new GlobalVariable(module, value->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, value);
  global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return global;
}
