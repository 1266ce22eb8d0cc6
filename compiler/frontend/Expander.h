// Expansion: functions, loops and choices disappear, what remains are ops. One walk over the tree evaluates what is known and emits what is not.
#pragma once
#include "compiler/frontend/Configuration.h"
#include "compiler/frontend/Elementwise.h"
#include "compiler/frontend/Emitter.h"
#include "compiler/frontend/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <deque>
#include <functional>
#include <map>

namespace heddle::frontend {

struct Arguments;
struct Builtin;

class Expander {
public:
  Expander(const Names &names, const Configuration &configuration, Weights &weights, Emitter &emitter, Trace &trace)
      : names(names), configuration(configuration), weights(weights), emitter(emitter), trace(trace), elementwise(emitter, trace) {}

  /// Whether everything that is set by hand is a key of the text; if not, nothing else is worth looking at.
  bool checkSettings();
  /// Configuration keys, lets and requirements, in the order of the text. False after an error that leaves nothing to expand.
  bool evaluateModel();
  /// One func.func for each entry whose condition holds.
  void expandEntries(mlir::ModuleOp module);
  /// Tasks and tokenizers, as attributes of the module. Comes after the entries.
  void describeTasks(mlir::ModuleOp module);

private:
  /// The names of one function, or of the model's own level.
  struct Frame {
    bool inPrelude = false;
    std::map<std::string, Value> values;
    std::map<std::string, Extent> extents; // bound by types
    std::vector<Value> returned;
    bool hasReturned = false;
  };
  /// Enters a frame while it lives.
  struct Inside {
    Inside(Expander &expander, Frame &frame) : expander(expander), before(expander.frame) { expander.frame = &frame; }
    ~Inside() { expander.frame = before; }
    Expander &expander;
    Frame *before;
  };

  // ExpandModel.cpp
  void evaluateKey(const syntax::Config &config, const syntax::ConfigKey &key);
  std::optional<Configuration::Found> findKey(const syntax::ConfigKey &key) const;
  Value fromJson(const Json &json, const syntax::ConfigType &type, const std::string &name, const Place &place);
  Value refuseJson(const Json &json, const syntax::ConfigType &type, const std::string &name, const Place &place);
  Value defaultOf(const syntax::Config &config, const syntax::ConfigKey &key);
  Value asConfigured(Value value, const syntax::ConfigType &type, const std::string &name, Position at);

  // Expander.cpp
  Value evaluate(const syntax::Expr &expr);
  std::vector<Value> evaluateMany(const syntax::Expr &expr);
  Value evaluateNode(const syntax::Expr &expr);
  std::optional<bool> decide(const syntax::Expr &condition);
  /// A value that must be an int known when compiling; none after an error.
  std::optional<Extent> evaluateInt(const syntax::Expr &expr, const std::string &what);
  Value evaluateString(const syntax::StringLiteral &literal);
  Value evaluatePath(const syntax::Expr &expr, const std::string &name);
  Value unknownName(Position at, const std::string &name);
  Value evaluateBinary(const syntax::Expr &expr, const syntax::Binary &node);
  Value evaluateLogical(const syntax::Expr &expr, const syntax::Binary &node);
  std::vector<Value> evaluateMatch(const syntax::Expr &expr, const syntax::Match &node);

  // ExpandStatements.cpp
  void run(const syntax::Block &block);
  void runStatement(const syntax::Statement &statement);
  void runAssign(const syntax::Statement &statement, const syntax::Assign &node);
  void runFor(const syntax::For &node);
  void assign(const syntax::Target &target, Value value);
  std::string loopNote() const;
  std::string choiceNote() const;

  // ExpandCalls.cpp
  std::vector<Value> evaluateCall(const syntax::Expr &expr, const syntax::Call &call);
  std::vector<Value> callFunction(Position at, const syntax::Function &function, const syntax::Entry *entry, const syntax::Call &call,
                                  bool inPrelude);
  bool bindArguments(Position at, const syntax::Function &function, const syntax::Call &call, Frame &callee,
                     std::vector<std::pair<std::string, Value>> &shown);
  std::vector<Value> callBuiltin(Position at, const Builtin &builtin, const syntax::Call &call);
  std::vector<Value> entryResults(const syntax::Entry &entry);

  // Tasks.cpp
  using TaskSettings = std::map<std::string, std::vector<int64_t>>;
  std::optional<int64_t> configuredInt(const std::string &key) const;
  mlir::Attribute describeTask(const syntax::Task &task, mlir::ModuleOp module);
  void readSetting(const syntax::Task &task, const syntax::Argument &argument, TaskSettings &settings);
  mlir::DictionaryAttr settingsAttribute(const syntax::Task &task, const TaskSettings &settings, mlir::Builder &builder);
  void checkIds(const syntax::Task &task, const TaskSettings &settings, mlir::func::FuncOp scoring);
  std::vector<std::string> labelsOf(const syntax::Task &task, mlir::func::FuncOp entry);
  double pictureFilter(mlir::ArrayRef<int64_t> shape) const;
  mlir::DictionaryAttr pictureNumbers(mlir::func::FuncOp entry);
  mlir::Attribute describeTokenizer(const syntax::Tokenizer &tokenizer, mlir::Builder &builder);

  // ExpandTypes.cpp
  /// Checks a value against a stated type and binds the names that the type is first to mention. The value may change (an int becomes a float).
  bool conform(Value &value, const syntax::TypeExpr &type, const std::string &what, Position at);
  bool conformTensor(const Value &value, const syntax::TypeExpr &type, const std::string &what, Position at);
  std::string printExpected(const syntax::TypeExpr &type);
  /// What stands at an axis's place: a dimension, or an int known when compiling.
  std::optional<Extent> evaluateExtent(const syntax::Expr &expr);
  const Extent *knownExtent(const std::string &name);
  std::optional<Extent> namedExtent(const std::string &name);
  /// Where in `axes` the axis of this extent stands; none (reported) if there is none or two.
  std::optional<size_t> findAxis(const Extent &extent, const Value &tensor, const std::string &named, Position at);
  bool isBatch(const Axis &axis) const { return axis.extent.isBatch(); }

  // Signatures.cpp
  void expandEntry(const syntax::Entry &entry, mlir::ModuleOp module);
  struct Signature;
  bool readSignature(const syntax::Entry &entry, Signature &signature, Frame &callee);
  bool readParameter(const syntax::Parameter &parameter, Signature &signature, Frame &callee);
  std::optional<Axes> readAxes(const std::vector<syntax::AxisExpr> &axes, Signature *declareIn, Frame &callee);
  ExtentName *declareDimension(const syntax::AxisExpr &axis, const std::string &name, Signature &signature, Frame &callee);
  std::optional<mlir::Value> result(const syntax::Entry &entry, const syntax::NamedResult &expected, const Value &value, Position at, Frame &callee);
  mlir::func::FuncOp makeFunction(const syntax::Entry &entry, Signature &signature, mlir::ModuleOp module);
  void finishFunction(mlir::func::FuncOp function, const Signature &signature, const syntax::Entry &entry, const std::vector<mlir::Value> &results);

  // Built-ins, by family; the table in Builtins.cpp names them.
  friend struct BuiltinTable;
  using Values = std::vector<Value>;
  Values builtinWeight(Arguments &arguments);
  Values builtinHasWeight(Arguments &arguments);
  Values builtinIota(Arguments &arguments);
  Values builtinTensor(Arguments &arguments);
  Values builtinLen(Arguments &arguments);
  Values builtinRound(Arguments &arguments);
  Values builtinElementwise(Arguments &arguments);
  Values builtinMaximum(Arguments &arguments);
  Values builtinWhere(Arguments &arguments);
  Values builtinConvert(Arguments &arguments);
  Values builtinReduce(Arguments &arguments);
  Values builtinSoftmax(Arguments &arguments);
  Values builtinLayerNorm(Arguments &arguments);
  Values builtinRmsNorm(Arguments &arguments);
  Values builtinSplit(Arguments &arguments);
  Values builtinConcat(Arguments &arguments);
  Values builtinPositions(Arguments &arguments);
  Values builtinSinusoidal(Arguments &arguments);
  Values builtinAttention(Arguments &arguments);
  Values builtinMask(Arguments &arguments);
  Values builtinMaskValues(Arguments &arguments);
  Values builtinWindow(Arguments &arguments);
  Values builtinPrefix(Arguments &arguments);
  Values builtinSegments(Arguments &arguments);
  Values builtinRelative(Arguments &arguments);
  Values builtinAlibi(Arguments &arguments);
  Values builtinRotary(Arguments &arguments);
  Values builtinWindows(Arguments &arguments);
  Values builtinNotBuilt(Arguments &arguments);

  // What the families share, each in the file of the family that is named first.
  /// The axes a reduction goes over, ascending; none after an error.
  std::optional<std::vector<size_t>> overAxes(const Arguments &arguments);
  Tensor reduce(const std::string &name, const Tensor &x, const std::vector<size_t> &places);
  std::optional<Tensor> normOperand(const Arguments &arguments, size_t place, const Extent *width);
  std::optional<double> knownNumber(const Arguments &arguments, size_t place);
  bool mayCut(const Axis &axis, const std::string &what, Position at);
  std::optional<Tensor> movable(const Value &value, const std::string &what, Position at);
  void boundIds(const Tensor &ids, int64_t rows, Position at);
  std::optional<PairLayout> pairLayout(const Arguments &arguments, size_t place, PairLayout fallback);
  mlir::Value sinusoids(const Arguments &arguments, mlir::Value positions, const Axes &axes, const ConstantTensor &frequencies, PairLayout layout,
                        int64_t shift);

  // BuiltinMovement.cpp, Rearrange.cpp, Product.cpp: syntax of its own
  Value evaluateIndex(const syntax::Expr &expr, const syntax::Index &node);
  Value gather(const Value &table, const Value &ids, Position at);
  Value evaluateCut(const syntax::Expr &expr, const syntax::Cut &node);
  Value slice(const Tensor &tensor, size_t axis, int64_t first, const Extent &size, bool drop);
  Value pickToken(const Tensor &tensor, size_t axis, bool last);
  Value evaluateRearrange(const syntax::Expr &expr, const syntax::Rearrange &node);
  Value evaluateFused(const syntax::Expr &expr, const syntax::Fused &node);
  template <typename Plan> Value emitArrangement(const Tensor &tensor, const Axes &leading, const Plan &plan);
  Value product(const Value &left, const Value &right, Position at);

  // BuiltinAttention.cpp
  struct AttentionOperand;
  std::optional<AttentionOperand> attentionOperand(const Arguments &arguments, size_t place);
  std::optional<mlir::Value> scoreChanges(const Arguments &arguments, const Axes &scores);

  // BuiltinMasks.cpp
  /// The IR of a mask or bias over scores of these axes ([.., query, key]); null after an error.
  mlir::Value emitMask(const Mask &mask, const Axes &scores, Position at);
  mlir::Value emitPrefix(const Mask &mask, const Axes &scores, Position at);
  mlir::Value emitSegments(const Mask &mask, const Axes &scores, Position at);
  mlir::Value emitBias(const Bias &bias, const Axes &scores, Position at);
  bool fitsHeads(const std::string &what, const Extent &heads, const Axes &scores, Position at);
  mlir::Value overPairs(const Tensor &tensor, const Axes &scores, const std::string &what, Position at);
  /// The bias that a value stands for: a bias, or an f32 tensor. Null after an error.
  std::shared_ptr<const Bias> biasOf(const Value &value, Position at);
  Value addBias(const Value &left, const Value &right, Position at);
  Value changeScores(const Tensor &scores, mlir::Value change, Position at);
  std::optional<Axis> tokenAxis(const Value &value, Position at);

  const Names &names;
  const Configuration &configuration;
  Weights &weights;
  Emitter &emitter;
  Trace &trace;
  Elementwise elementwise;

  std::deque<ExtentName> extentNames; // their addresses stay
  std::map<std::string, Value> modelValues;
  Frame modelFrame;
  Frame *frame = &modelFrame;
  std::string keyBeingDefaulted;
  unsigned depth = 0;
  struct Loop {
    std::string variable;
    Extent end;
  };
  std::vector<Loop> loops;
  std::vector<std::pair<const syntax::Expr *, bool>> choices; // conditions of the branches that are being read, and what they are
  std::set<std::string> expanded;                             // entries that are in the module
  std::vector<ExtentName *> entryDimensions;                  // of the entry that is being expanded
  std::map<void *, int64_t> idBounds;                         // of its arguments: ids are below
};

} // namespace heddle::frontend
