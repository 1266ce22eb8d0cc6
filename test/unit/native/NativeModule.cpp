#include "test/unit/native/NativeModule.h"
#include "compiler/native/EmitObject.h"
#include "compiler/native/EmitTable.h"
#include "compiler/native/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

static constexpr const char *text = R"mlir(
func.func private @k0_region0(%context: memref<1xi8>, %from: memref<1xi8>, %to: memref<1xi8>, %rows: index, %begin: index, %end: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %padding = ub.poison : f32
  %in = memref.view %from[%zero][%rows] : memref<1xi8> to memref<?x32xf32>
  %out = memref.view %to[%zero][%rows] : memref<1xi8> to memref<?x32xf32>
  scf.for %row = %begin to %end step %one {
    %x = vector.transfer_read %in[%row, %zero], %padding {in_bounds = [true]} : memref<?x32xf32>, vector<32xf32>
    %square = arith.mulf %x, %x : vector<32xf32>
    %y = arith.addf %square, %x : vector<32xf32>
    vector.transfer_write %y, %out[%row, %zero] {in_bounds = [true]} : vector<32xf32>, memref<?x32xf32>
  }
  return
}
func.func private @heddle_parallel.k0_region0(memref<1xi8>, memref<1xi8>, memref<1xi8>, index, index)
func.func private @k0(%context: memref<1xi8>, %from: memref<1xi8>, %to: memref<1xi8>, %rows: index) {
  call @heddle_parallel.k0_region0(%context, %from, %to, %rows, %rows) : (memref<1xi8>, memref<1xi8>, memref<1xi8>, index, index) -> ()
  return
}
func.func @memset(%context: memref<1xi8>, %x: memref<1xi8>, %result: memref<1xi8>, %section: memref<1xi8>, %arena: memref<1xi8>, %rows: index)
    attributes {heddle.entry} {
  call @k0(%context, %x, %result, %rows) : (memref<1xi8>, memref<1xi8>, memref<1xi8>, index) -> ()
  return
}
)mlir";

NativeModule::NativeModule() {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect, ub::UBDialect,
                  vector::VectorDialect>();
  heddle::registerTranslations(registry);
  context = std::make_unique<MLIRContext>(registry);
  module = parseSourceString<ModuleOp>(text, context.get());
  PassManager pm(context.get());
  heddle::buildNativeStage(pm);
  EXPECT_TRUE(module && succeeded(pm.run(*module)));
}

std::string NativeModule::emit(llvm::StringRef cpu, llvm::StringRef suffix, bool assembly) {
  heddle::ObjectOptions options;
  options.cpu = cpu.str();
  options.suffix = suffix.str();
  options.exported.insert(heddle::entrySymbol("memset")); // an entry may have any name
  options.exported.insert("k0");
  options.assembly = assembly;
  llvm::Expected<std::string> object = heddle::emitObject(*module, options);
  if (object)
    return *object;
  ADD_FAILURE() << llvm::toString(object.takeError());
  return "";
}

heddle::ModelInfo NativeModule::info() {
  heddle::ModelInfo info;
  info.name = "tiny";
  info.sectionBytes = 8192;
  heddle::EntryInfo entry;
  entry.name = "memset";
  entry.dimensions = {{"rows"}};
  heddle::Form rows{{1, {0}}}, width{{32, {}}};
  heddle::ValueInfo value;
  value.extents = {rows, width};
  value.name = "x";
  entry.arguments = {value};
  value.name = "result";
  entry.results = {value};
  entry.arena = {{64, {0}}};
  info.entries = {entry};
  info.kernels = {{"k0", "tiny.heddle:1:1"}};
  info.weights = {{"w", "#heddle.tensor<\"w\">", heddle::Element::F32, 0, 0, 4096, 4096}};
  info.tasks = {{"demonstrate", {"memset"}, {{"limit", 7}}}};
  return info;
}
