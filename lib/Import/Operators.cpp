#include "Operators.h"

#include "froe/Import/Import.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace froe::importing {

static llvm::SmallVector<llvm::ArrayRef<Operator>> families() {
  return {attentionOperators(),     constantOperators(), contractionOperators(),
          elementwiseOperators(),   indexOperators(),    layoutOperators(),
          normalizationOperators(), poolingOperators(),  reductionOperators()};
}

const Operator *findOperator(llvm::StringRef domain, llvm::StringRef name) {
  static const auto byName = [] {
    std::map<std::pair<llvm::StringRef, llvm::StringRef>, const Operator *> map;
    for (llvm::ArrayRef<Operator> family : families())
      for (const Operator &op : family)
        map[{op.domain, op.name}] = &op;
    return map;
  }();
  auto found = byName.find({domain, name});
  return found == byName.end() ? nullptr : found->second;
}

bool accepts(Types types, Type type) {
  switch (types) {
  case Types::Float:
    return isa<FloatType>(type);
  case Types::Number:
    return !type.isInteger(1);
  case Types::Boolean:
    return type.isInteger(1);
  case Types::Integer:
    return isa<IntegerType>(type) && !type.isInteger(1);
  case Types::Any:
    return true;
  }
  llvm_unreachable("all types are listed");
}

static std::vector<std::string> spelledTypes(Types types) {
  std::vector<std::string> floats{"f16", "bf16", "f32", "f64"}, booleans{"i1"}, all;
  std::vector<std::string> integers{"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"};
  if (types == Types::Float || types == Types::Number || types == Types::Any)
    llvm::append_range(all, floats);
  if (types == Types::Integer || types == Types::Number || types == Types::Any)
    llvm::append_range(all, integers);
  if (types == Types::Boolean || types == Types::Any)
    llvm::append_range(all, booleans);
  return all;
}

} // namespace froe::importing

namespace froe {

std::vector<OperatorInfo> supportedOperators() {
  using namespace importing;
  std::vector<OperatorInfo> all;
  for (llvm::ArrayRef<Operator> family : families())
    for (const Operator &op : family)
      all.push_back({op.domain.str(), op.name.str(), op.firstOpset, op.domain.empty() ? kNewestOpset : 1,
                     spelledTypes(op.types), op.condition.str()});
  llvm::sort(all, [](const OperatorInfo &a, const OperatorInfo &b) {
    return std::tie(a.domain, a.name) < std::tie(b.domain, b.name);
  });
  return all;
}

} // namespace froe
