// Which words begin a line, and how far to the right. Three steps: the breaks that the author made where a line may be broken, and those that must
// be; more of them until every line fits; then all is written.
#include "compiler/frontend/Format.h"
#include "compiler/frontend/Parser.h"
#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace heddle::syntax {
namespace {

constexpr size_t none = std::numeric_limits<size_t>::max();

/// Where a line is broken first: within the fewest brackets, there at the weakest binding; right behind an opening bracket last of all.
struct Strength {
  int depth;
  unsigned binding;
  friend auto operator<=>(Strength, Strength) = default;
};

enum Binding : unsigned { Body, Clause, Comma, Arrow, Else, Brace, Bar, Or, And, Compare, Sum, Product, Power, Bracket, Value, Unbreakable };

/// How strongly the operator at a word binds what stands around it. A line is broken before an operator.
Binding bindingOf(const Token &token, Role role) {
  static const std::map<std::string_view, Binding> table = {
      {"->", Arrow},   {"|", Bar}, {"or", Or}, {"and", And},   {"==", Compare}, {"!=", Compare}, {"<", Compare}, {"<=", Compare}, {">", Compare},
      {">=", Compare}, {"+", Sum}, {"-", Sum}, {"*", Product}, {"/", Product},  {"%", Product},  {"@", Product}, {"^", Power},
  };
  if (role == Role::Clause)
    return Clause;
  if (role == Role::Sign || (token.kind != TokenKind::Symbol && token.kind != TokenKind::Word))
    return Unbreakable;
  auto found = table.find(token.text);
  return found == table.end() ? Unbreakable : found->second;
}

unsigned widthOf(std::string_view text) {
  return static_cast<unsigned>(std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

class Formatter {
public:
  Formatter(const Words &words, const std::vector<Role> &roles) : tokens(words.tokens), comments(words.comments), roles(roles) {}

  std::string run() {
    pairBrackets();
    takeBreaks();
    while (breakLongLines()) {
    }
    write();
    return std::move(out);
  }

private:
  bool is(size_t at, std::string_view spelling) const { return at < tokens.size() && tokens[at].is(spelling); }
  bool isOpening(size_t at) const { return is(at, "(") || is(at, "["); }
  bool isClosing(size_t at) const { return is(at, ")") || is(at, "]"); }
  bool isStart(size_t at) const { return roles[at] == Role::Item || roles[at] == Role::Statement || roles[at] == Role::Arm; }
  bool commented(size_t at) const { return tokens[at].commentsBefore != (at ? tokens[at - 1].commentsBefore : 0); }
  /// A brace whose contents stand on lines of their own, or the one that closes it.
  bool isSpread(size_t brace) const { return spread[is(brace, "}") ? partner[brace] : brace]; }
  /// The `=` or `=>` before the body of an item, the value of a statement, the result of an arm.
  bool isBodySign(size_t at) const { return nesting[at] == 0 && ((is(at, "=") && roles[at] != Role::Attached) || is(at, "=>")); }

  /// Brackets and their partners, and around each word the brace and the number of other brackets since.
  void pairBrackets() {
    size_t count = tokens.size();
    partner.assign(count, none), group.assign(count, none), following = previous = partner;
    nesting.assign(count, 0), inner = nesting;
    breaks.assign(count, false), spread = breaks;
    std::vector<size_t> open;
    size_t brace = none;
    unsigned depth = 0;
    for (size_t at = 0; at < count; ++at) {
      if (is(at, "}") || isClosing(at)) {
        size_t opening = open.back();
        open.pop_back();
        partner[opening] = at, partner[at] = opening;
        brace = group[opening], depth = nesting[opening];
      }
      group[at] = brace, nesting[at] = depth;
      if (is(at, "{"))
        open.push_back(at), brace = at, depth = 0;
      else if (isOpening(at))
        open.push_back(at), ++depth;
    }
    linkChoices();
  }

  /// The sides of a choice are spread together: from each brace to the one behind its `else`.
  void linkChoices() {
    for (size_t at = 0; at + 1 < tokens.size(); ++at)
      if (is(at, "}") && is(at + 1, "else")) {
        size_t next = at + 2;
        while (!is(next, "{"))
          ++next;
        following[partner[at]] = next, previous[next] = partner[at];
      }
  }

  /// Whether a line may be broken before a word.
  bool mayBreak(size_t at) const {
    if (at == 0 || (isOpening(at - 1) && isClosing(at)))
      return false;
    return is(at - 1, ",") || isOpening(at - 1) || isBodySign(at - 1) || isClosing(at) || is(at, "else") ||
           bindingOf(tokens[at], roles[at]) != Unbreakable;
  }

  /// What the author broke stays broken, where a line may be. A break behind an operator moves before it.
  void takeBreaks() {
    for (size_t at = 1; at < tokens.size(); ++at) {
      bool broken = tokens[at].startsLine, behindOperator = bindingOf(tokens[at - 1], roles[at - 1]) != Unbreakable;
      if (commented(at) || roles[at] == Role::Item || tokens[at].kind == TokenKind::End)
        breaks[at] = true;
      else if (broken && behindOperator && !breaks[at - 1])
        breaks[at - 1] = mayBreak(at - 1);
      else if (broken && !breaks[at])
        breaks[at] = mayBreak(at);
    }
    std::map<size_t, unsigned> statements;
    for (size_t at = 0; at < tokens.size(); ++at) {
      if (is(at, "{") && tokens[at].at.line != tokens[partner[at]].at.line)
        spreadOut(at);
      bool several = roles[at] == Role::Statement && ++statements[group[at]] > 1;
      if (group[at] != none && (several || roles[at] == Role::Item))
        spreadOut(group[at]);
    }
  }

  /// Puts the contents of a brace on lines of their own.
  void spreadOut(size_t brace) {
    size_t close = partner[brace];
    if (spread[brace] || (close == brace + 1 && !commented(close)))
      return;
    spread[brace] = true;
    breaks[brace + 1] = breaks[close] = true;
    for (size_t at = brace + 1; at < close; at = is(at, "{") ? partner[at] : at + 1)
      if (isStart(at))
        breaks[at] = true;
    if (is(close + 1, "else"))
      breaks[close + 1] = commented(close + 1);
    for (size_t other : {group[brace], following[brace], previous[brace]})
      if (other != none)
        spreadOut(other);
  }

  bool isSpaced(size_t at) const {
    auto isOne = [&](size_t word, std::initializer_list<std::string_view> spellings) {
      return std::ranges::any_of(spellings, [&](std::string_view spelling) { return is(word, spelling); });
    };
    if (at == 0 || roles[at] == Role::Attached || roles[at - 1] == Role::Sign || (roles[at - 1] == Role::Attached && is(at - 1, "=")))
      return false;
    return !isOne(at, {",", ")", "]", ":", "?", ".", "..", "..."}) && !isOne(at - 1, {"(", "[", ".", ".."});
  }

  unsigned widthAt(size_t at) const { return widthOf(tokens[at].text) + isSpaced(at); }

  unsigned baseOf(size_t at) const { return group[at] == none ? 0 : inner[group[at]]; }

  /// Blanks before a word that begins a line.
  unsigned indentation(size_t at) const {
    if (is(at, "}"))
      return inner[partner[at]] - 2;
    if (is(at, "else") && is(at - 1, "}") && isSpread(at - 1))
      return inner[partner[at - 1]] - 2;
    unsigned base = baseOf(at);
    bool begins = at == 0 || isStart(at) || (is(at - 1, "{") && isSpread(at - 1)) || tokens[at].kind == TokenKind::End;
    return begins || isClosing(at) ? base : isBodySign(at - 1) ? base + 2 : base + 4;
  }

  /// The word behind a line, or behind so many of its words.
  size_t lineEnd(size_t first, size_t limit = none) const {
    size_t end = first + 1;
    while (end < tokens.size() && end - first < limit && !breaks[end])
      ++end;
    return end;
  }

  /// What is spread in this line begins two blanks right of it; a block of statements two blanks right of its statement.
  void placeBraces(size_t first, size_t end) {
    for (size_t at = first; at < end; ++at)
      if (is(at, "{"))
        inner[at] = (roles[at] == Role::Block ? baseOf(at) : indentation(first)) + 2;
  }

  bool fits(size_t first, size_t end, unsigned column) const {
    for (size_t at = first; at < end && column <= maxColumns; ++at)
      column += at == first ? widthOf(tokens[at].text) : widthAt(at);
    return column <= maxColumns;
  }

  /// One pass over all lines. True if any of them was broken, which may spread what stands before it.
  bool breakLongLines() {
    bool changed = false;
    for (size_t first = 0; first < tokens.size(); first = lineEnd(first)) {
      for (size_t end; !fits(first, end = lineEnd(first, 3 * maxColumns), indentation(first)); changed = true) {
        size_t at = chooseBreak(first, end);
        if (at == none)
          break;
        is(at, "{") ? spreadOut(at) : void(breaks[at] = true);
      }
      placeBraces(first, lineEnd(first));
    }
    return changed;
  }

  /// The word before which the line from `first` on is best broken, or the brace to spread: of the weakest places that fit, the last.
  size_t chooseBreak(size_t first, size_t end) const {
    size_t best = none;
    Strength weakest{};
    unsigned column = indentation(first);
    int depth = 0;
    for (size_t at = first; at < end && (column <= maxColumns || best == none);) {
      bool isBrace = is(at, "{") && !spread[at] && partner[at] != at + 1;
      unsigned binding = at == first && !isBrace ? Unbreakable : isBrace ? bindingOfBrace(at) : bindingBefore(at, end);
      if (Strength here{binding == Bracket ? std::numeric_limits<int>::max() : depth, binding};
          binding != Unbreakable && (best == none || here <= weakest))
        best = at, weakest = here;
      depth += isOpening(at) - isClosing(at);
      for (size_t next = isBrace ? partner[at] + 1 : at + 1; at < next; ++at)
        column += at == first ? widthOf(tokens[at].text) : widthAt(at);
    }
    return best;
  }

  unsigned bindingOfBrace(size_t at) const { return roles[at] == Role::Block ? unsigned(Body) : unsigned(Brace); }

  unsigned bindingBefore(size_t at, size_t end) const {
    if (is(at - 1, ","))
      return Comma;
    if (is(at, "else"))
      return isSpread(at - 1) ? Unbreakable : Else;
    if (isOpening(at - 1))
      return isClosing(at) ? Unbreakable : Bracket;
    if (isBodySign(at - 1)) {
      bool inStatement = group[at] != none && roles[group[at] + 1] == Role::Statement;
      return !fits(at, end, baseOf(at) + 2) ? Unbreakable : inStatement ? Value : Body;
    }
    return bindingOf(tokens[at], roles[at]);
  }

  void newLine(unsigned blanks, bool emptyLine) {
    if (!out.empty())
      out += emptyLine ? "\n\n" : "\n";
    out.append(blanks, ' ');
  }

  void write() {
    for (size_t first = 0; first < tokens.size(); first = lineEnd(first))
      placeBraces(first, lineEnd(first));
    for (size_t at = 0; at < tokens.size(); ++at) {
      bool afterComments = writeComments(at), ends = tokens[at].kind == TokenKind::End;
      if (ends)
        newLine(0, false);
      else if (at && breaks[at])
        newLine(indentation(at), !is(at, "}") && mayLeaveLine(at, afterComments) && tokens[at].at.line > lastLine + 1);
      else if (at == 0 && afterComments)
        newLine(0, tokens[at].at.line > lastLine + 1);
      else if (isSpaced(at))
        out += ' ';
      out += tokens[at].text;
      lastLine = tokens[at].at.line;
    }
  }

  /// An empty line may stand before what begins an item, a statement or an arm, and before its comments, unless it is the first of its brace.
  bool mayLeaveLine(size_t at, bool afterComments) const {
    bool between = at == 0 || isStart(at) || tokens[at].kind == TokenKind::End || is(at, "}");
    return between && (afterComments || at == 0 || !is(at - 1, "{"));
  }

  /// The comments before a word; true if one of them has a line of its own.
  bool writeComments(size_t at) {
    bool wrote = false;
    unsigned blanks = is(at, "}") ? inner[partner[at]] : isClosing(at) ? baseOf(at) + 4 : indentation(at);
    for (size_t next = at ? tokens[at - 1].commentsBefore : 0; next < tokens[at].commentsBefore; ++next) {
      const Comment &comment = comments[next];
      if (comment.startsLine) {
        newLine(blanks, mayLeaveLine(at, wrote) && comment.at.line > lastLine + 1);
        wrote = true;
      } else {
        out += ' ';
      }
      out += comment.text;
      lastLine = comment.at.line;
    }
    return wrote;
  }

  const std::vector<Token> &tokens;
  const std::vector<Comment> &comments;
  const std::vector<Role> &roles;
  std::vector<size_t> partner, group;      // of a bracket; of a word the brace around it
  std::vector<size_t> following, previous; // of a brace of a choice
  std::vector<unsigned> nesting;           // round and square brackets around a word, within its brace
  std::vector<unsigned> inner;             // of a spread brace: blanks before its contents
  std::vector<bool> breaks, spread;        // of a word: it begins a line; of a brace
  std::string out;
  unsigned lastLine = 0; // in the text, of what was written last
};

/// The same words, and between them the same comments: nothing else means anything.
bool areSame(const Words &left, const Words &right) {
  auto sameWord = [](const Token &a, const Token &b) { return a.kind == b.kind && a.text == b.text && a.commentsBefore == b.commentsBefore; };
  auto sameComment = [](const Comment &a, const Comment &b) { return a.text == b.text && a.startsLine == b.startsLine; };
  return std::ranges::equal(left.tokens, right.tokens, sameWord) && std::ranges::equal(left.comments, right.comments, sameComment);
}

} // namespace

std::optional<std::string> formatText(std::string_view text, const std::string &file, Diagnostics &diagnostics) {
  Words words;
  std::vector<Role> roles;
  if (!readWords(text, file, words, diagnostics) || !Parser(words.tokens, words.comments, file, diagnostics).parseFile(roles))
    return std::nullopt;
  std::string result = Formatter(words, roles).run();
  if (result.size() > maxTextBytes) {
    diagnostics.error({file, 0, 0}, fmt::format("in this layout the text has {} bytes, expected at most {}", result.size(), maxTextBytes));
    return std::nullopt;
  }
  Words again;
  [[maybe_unused]] bool kept = readWords(result, file, again, diagnostics) && areSame(words, again);
  assert(kept && "the formatter changed more than the layout");
  return result;
}

} // namespace heddle::syntax
