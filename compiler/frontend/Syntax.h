// The syntax tree of a model text, one struct per rule of the grammar (grammar.md). The parser makes it, expansion reads it.
#pragma once
#include "compiler/frontend/Token.h"
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace heddle::syntax {

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

// ---- types

/// One axis of a type or pattern: `..`, or an extent, perhaps ragged (`...`), perhaps bounded (`<= n`).
struct AxisExpr {
  Position at;
  bool leading = false; // `..`: any axes, first place only
  ExprPtr extent;       // null for `..`
  bool ragged = false;
  ExprPtr bound;
};

enum class TypeKind { F32, I32, BoolTensor, Int, Float, Bool, String, Mask, Bias };

struct TypeExpr {
  Position at;
  TypeKind kind;
  std::vector<AxisExpr> axes; // of the first three kinds
  bool isTensor() const { return kind <= TypeKind::BoolTensor; }
};

// ---- expressions

struct IntLiteral {
  int64_t value;
};
struct FloatLiteral {
  double value;
};
struct BoolLiteral {
  bool value;
};
struct NoneLiteral {};
struct StringLiteral {
  struct Part {
    std::string text;
    ExprPtr hole; // null for text
  };
  std::vector<Part> parts;
};
/// `name` or `rope_scaling.factor`.
struct Path {
  std::string name;
};
struct ListExpr {
  std::vector<ExprPtr> items;
};
struct Choice {
  ExprPtr condition, yes, no;
};
struct Match {
  struct Arm {
    std::vector<ExprPtr> values; // empty: else
    ExprPtr result;
  };
  ExprPtr subject;
  std::vector<Arm> arms;
};
struct Argument {
  Position at;
  std::string name; // empty: by place
  ExprPtr value;
};
struct Call {
  std::string name;
  std::vector<Argument> arguments;
};
struct Rearrange {
  ExprPtr source;
  std::vector<AxisExpr> left, right;
};
/// `list[i]`, `table[ids]`.
struct Index {
  ExprPtr base, index;
};
/// `x[axis = i]`, `x[axis = i..j]`, `x[axis = last]`.
struct Cut {
  ExprPtr base;
  std::string axis;
  Position axisAt;
  ExprPtr first; // null: last
  ExprPtr end;   // null: one index, the axis goes
};
enum class Operator { Add, Subtract, Multiply, Divide, Remainder, Product, Power, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, And, Or };
struct Binary {
  Operator op;
  Position opAt;
  ExprPtr left, right;
};
struct Negate {
  ExprPtr operand;
};
struct Not {
  ExprPtr operand;
};
/// `@fused e`
struct Fused {
  ExprPtr operand;
};

struct Expr {
  Position at;        // of its first word
  unsigned depth = 1; // of the tree below it, this node included
  std::variant<IntLiteral, FloatLiteral, BoolLiteral, NoneLiteral, StringLiteral, Path, ListExpr, Choice, Match, Call, Rearrange, Index, Cut, Binary,
               Negate, Not, Fused>
      node;
};

/// The spelling of an operator.
std::string_view spelling(Operator op);

// ---- statements

struct Statement;
using Block = std::vector<Statement>;

struct Target {
  Position at;
  std::string name; // "_" throws the value away
  std::optional<TypeExpr> type;
};
struct Assign {
  std::vector<Target> targets;
  ExprPtr value;
};
struct Return {
  std::vector<ExprPtr> values;
};
struct For {
  std::string variable;
  Position variableAt;
  ExprPtr first, end;
  Block body;
};
struct If {
  ExprPtr condition;
  Block yes, no;
};
struct Statement {
  Position at;
  std::variant<Assign, Return, For, If> node;
};

// ---- items

struct Parameter {
  Position at;
  std::string name;
  std::optional<TypeExpr> type;
  ExprPtr fallback; // its default
};

/// `fn`, and the common part of an entry.
struct Function {
  Position at, nameAt;
  std::string name, documentation;
  std::vector<Parameter> parameters;
  std::optional<TypeExpr> result;
  ExprPtr expression; // of `= expression`, null for a block
  Block block;
};

struct NamedResult {
  Position at;
  std::string name; // empty: the one result, called `result`
  TypeExpr type;
};

struct Entry {
  Function function; // its `result` is not used
  std::vector<NamedResult> results;
  bool namedResults = false;
  ExprPtr when;
};

enum class ConfigKind { Int, Float, Bool, String, List, Object };
struct ConfigType {
  ConfigKind kind;
  bool optional = false;
  std::unique_ptr<ConfigType> element; // of a list
};

/// One key of a `config` item. Its first path is its name, the others are where else it may stand.
struct ConfigKey {
  Position at;
  std::vector<std::string> paths;
  const std::string &name() const { return paths.front(); }
};
struct Config {
  Position at;
  std::string documentation;
  std::vector<ConfigKey> keys;
  ConfigType type;
  ExprPtr fallback;
};
struct Let {
  Position at, nameAt;
  std::string name, documentation;
  ExprPtr value;
};
struct Require {
  Position at;
  ExprPtr condition;
  std::string message;
};
struct Tokenizer {
  Position at;
  std::string side; // "source", "target" or "both"
  std::string kind; // "json", "words", "characters", or what else the text says
  std::string path;
};
struct Task {
  Position at;
  std::string name;
  std::vector<Argument> arguments;
};

struct Model {
  Position at;
  std::string documentation;
  std::vector<std::string> names;
  std::vector<Position> namesAt;
  std::vector<std::string> prefixes;
  std::vector<Config> configs;
  std::vector<Let> lets;
  std::vector<Require> requires_;
  std::vector<Function> functions;
  std::vector<Entry> entries;
  std::vector<Tokenizer> tokenizers;
  std::vector<Task> tasks;
};

/// A whole text: a model, or only functions (the prelude).
struct File {
  std::optional<Model> model;
  std::vector<Function> functions;
};

} // namespace heddle::syntax
