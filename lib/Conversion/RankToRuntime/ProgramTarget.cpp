#include "froe/Conversion/ProgramTarget.h"

#include "froe_rt.h"

using namespace mlir;

namespace froe {
namespace {

constexpr llvm::StringLiteral kAttribute = "froe.target";

bool isArch(StringRef text) {
  int number = 0;
  return text.consume_front("sm_") && !text.getAsInteger(10, number) && number >= FROE_OLDEST_ARCH;
}

} // namespace

int archNumber(StringRef arch) {
  int number = 0;
  arch.consume_front("sm_");
  arch.getAsInteger(10, number);
  return number;
}

std::string ProgramTarget::str() const { return isCuda() ? "cuda:" + llvm::join(archs, ",") : "cpu"; }

std::expected<ProgramTarget, std::string> ProgramTarget::parse(const std::string &text) {
  if (text == "cpu")
    return ProgramTarget{};
  if (text == "cuda")
    return ProgramTarget{{"sm_80", "sm_90"}};
  StringRef list(text);
  SmallVector<StringRef> archs;
  if (list.consume_front("cuda:"))
    list.split(archs, ',');
  if (archs.empty() || !llvm::all_of(archs, isArch))
    return std::unexpected("expected cpu, cuda, or architectures from sm_80 on such as cuda:sm_80,sm_90, found '" +
                           text + "'");
  llvm::sort(archs, [](StringRef a, StringRef b) { return archNumber(a) < archNumber(b); });
  archs.erase(llvm::unique(archs), archs.end());
  ProgramTarget target;
  for (StringRef arch : archs)
    target.archs.push_back(arch.str());
  return target;
}

std::optional<ProgramTarget> statedTarget(ModuleOp module) {
  auto attribute = module->getAttrOfType<StringAttr>(kAttribute);
  auto target = attribute ? ProgramTarget::parse(attribute.str()) : std::unexpected(std::string());
  return target ? std::optional(*target) : std::nullopt;
}

ProgramTarget targetOf(ModuleOp module) { return statedTarget(module).value_or(ProgramTarget{}); }

void setTarget(ModuleOp module, const ProgramTarget &target) {
  module->setAttr(kAttribute, StringAttr::get(module.getContext(), target.str()));
}

} // namespace froe
