#include "RuleText.h"

#include <cctype>
#include <charconv>
#include <fmt/format.h>

namespace froe {

namespace {
/// A recursive-descent reader; the first error sticks and makes every later question answer no.
class Reader {
public:
  explicit Reader(std::string_view text) : text(text) {}

  RuleText read() {
    RuleText rule;
    rule.operands = peek("->") ? std::vector<RuleText::Tensor>{} : tensors();
    expect("->");
    rule.results = tensors();
    while (eat("|"))
      clause(rule);
    if (ok() && position != text.size())
      fail("'|' or the end");
    return rule;
  }

  bool ok() const { return error.empty(); }
  std::string error;

private:
  std::vector<RuleText::Tensor> tensors() {
    std::vector<RuleText::Tensor> list;
    do
      list.push_back(tensor());
    while (eat(","));
    return list;
  }

  RuleText::Tensor tensor() {
    RuleText::Tensor dims;
    expect("(");
    if (eat(")"))
      return dims;
    do
      dims.push_back(dim());
    while (eat(","));
    expect(")");
    return dims;
  }

  RuleText::Dim dim() {
    if (eat("..."))
      return {"..."};
    if (eat("1"))
      return {};
    RuleText::Dim factors;
    do
      factors.push_back(identifier());
    while (eat("*"));
    return factors;
  }

  void clause(RuleText &rule) {
    std::string word = identifier();
    if (word == "partial")
      return rule.partials.push_back(partial());
    while (ok()) {
      expect(":");
      RuleText::NamedKind named{word, FactorKind::Whole, ReduceKind::Sum};
      if (!eat("whole")) {
        named.kind = FactorKind::Reduction;
        named.reduce = reduceKind("whole, sum, product, max, min, and, or");
      }
      rule.kinds.push_back(named);
      if (!eat(","))
        return;
      word = identifier();
    }
  }

  PartialForm partial() {
    PartialForm form;
    while (ok() && !eat(":"))
      form.operands.push_back(number());
    if (eat("any")) {
      form.kinds.assign(std::begin(kReduceKinds), std::end(kReduceKinds));
      return form;
    }
    do
      form.kinds.push_back(reduceKind("any, sum, product, max, min, and, or"));
    while (eat(","));
    return form;
  }

  ReduceKind reduceKind(std::string_view expected) {
    size_t before = position;
    std::optional<ReduceKind> kind = parseReduceKind(identifier());
    if (!kind && ok()) {
      position = before;
      fail(fmt::format("one of {}", expected));
    }
    return kind.value_or(ReduceKind::Sum);
  }

  int number() {
    skipBlanks();
    int value = 0;
    auto [end, code] = std::from_chars(text.data() + position, text.data() + text.size(), value);
    if (code != std::errc() || value < 0)
      fail("the number of an operand");
    else
      position = end - text.data();
    return value;
  }

  std::string identifier() {
    skipBlanks();
    size_t end = position;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    if (end == position || std::isdigit(static_cast<unsigned char>(text[position]))) {
      fail("a name");
      return "";
    }
    std::string word(text.substr(position, end - position));
    if (ok())
      position = end;
    return word;
  }

  void skipBlanks() {
    while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
  }

  bool peek(std::string_view token) {
    skipBlanks();
    return ok() && text.substr(position).starts_with(token);
  }

  bool eat(std::string_view token) {
    if (!peek(token))
      return false;
    position += token.size();
    skipBlanks();
    return true;
  }

  void expect(std::string_view token) {
    if (!eat(token))
      fail(fmt::format("'{}'", token));
  }

  void fail(std::string_view expected) {
    if (ok())
      error = fmt::format("rule '{}': expected {} at '{}'", text, expected, text.substr(position));
  }

  std::string_view text;
  size_t position = 0;
};
} // namespace

std::expected<RuleText, std::string> RuleText::parse(std::string_view text) {
  Reader reader(text);
  RuleText rule = reader.read();
  if (!reader.ok())
    return std::unexpected(reader.error);
  return rule;
}

} // namespace froe
