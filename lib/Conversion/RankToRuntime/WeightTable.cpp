#include "WeightTable.h"

#include "dialects/Rank/MatmulShape.h"
#include "runtime/cpu/PackedWeights.h"

using namespace mlir;

namespace froe {
namespace {

/// Uses of a value and its views.
void collectUses(Value value, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : value.getUses())
    if (auto view = dyn_cast<rank::ViewOp>(use.getOwner()))
      collectUses(view.getResult(), uses);
    else
      uses.push_back(&use);
}

/// How the library packs the right operand of `op`, unless it wants it plain.
std::optional<Package::Packed> packingFor(rank::MatmulOp op, cpu::Isa isa) {
  std::expected<froe_matmul, std::string> matmul = rank::describe(op);
  if (!matmul)
    return std::nullopt;
  matmul->weight = 0;
  cpu::Packing packing = cpu::choosePacking(*matmul, isa);
  if (packing.tag == "plain")
    return std::nullopt;
  return Package::Packed{packing.tag, packing.bytes, *matmul};
}

/// Whether two products can read the same packed bytes.
bool samePacking(const Package::Packed &a, const Package::Packed &b) {
  auto matrix = [](const froe_matmul &m) {
    std::vector<int64_t> fields{m.n, m.k, m.b_k_stride, m.b_n_stride};
    for (int i = 0; i < m.batch_rank; ++i)
      if (m.b_batch_stride[i] != 0)
        fields.insert(fields.end(), {m.batch[i], m.b_batch_stride[i]});
    return fields;
  };
  return a.tag == b.tag && a.bytes == b.bytes && matrix(a.matmul) == matrix(b.matmul);
}

} // namespace

Value viewRoot(Value value) {
  while (auto view = value.getDefiningOp<rank::ViewOp>())
    value = view.getOperand();
  return value;
}

WeightTable::WeightTable(func::FuncOp main, const Mesh &mesh, std::optional<cpu::Isa> isa) : mesh(mesh), isa(isa) {
  for (WeightOp op : main.getOps<WeightOp>())
    add(op);
}

int WeightTable::packedIndex(rank::MatmulOp op) const {
  auto found = packed.find(op);
  return found == packed.end() ? -1 : found->second;
}

int WeightTable::plainIndex(WeightOp op) const { return plain.at(op); }

void WeightTable::add(WeightOp op) {
  SmallVector<OpOperand *> uses;
  collectUses(op.getResult(), uses);
  SmallVector<int> forms; // packed ones of this weight
  for (OpOperand *use : llvm::reverse(uses)) {
    auto matmul = dyn_cast<rank::MatmulOp>(use->getOwner());
    std::optional<Package::Packed> packing;
    if (isa && matmul && use->getOperandNumber() == 1)
      packing = packingFor(matmul, *isa);
    if (!packing) {
      if (!plain.contains(op))
        plain[op] = append(op, std::nullopt);
      continue;
    }
    auto same = llvm::find_if(forms, [&](int form) { return samePacking(*list[form].packed, *packing); });
    if (same == forms.end())
      same = &*forms.insert(forms.end(), append(op, packing));
    packed[matmul] = *same;
  }
}

int WeightTable::append(WeightOp op, std::optional<Package::Packed> packing) {
  Package::Weight weight;
  weight.name = op.getName().str();
  for (int copy = 1; llvm::any_of(list, [&](auto &other) { return other.name == weight.name; }); ++copy)
    weight.name = op.getName().str() + "#" + std::to_string(copy);
  weight.file = op.getFile().str();
  weight.offset = op.getOffset(), weight.length = op.getLength();
  weight.stored = op.getStoredType();
  weight.local = cast<RankedTensorType>(op.getResult().getType());
  auto global = op->getAttrOfType<TypeAttr>("froe.global_type");
  weight.global = global ? cast<RankedTensorType>(global.getValue()) : weight.local;
  weight.cuts.resize(weight.local.getRank());
  if (auto sharding = op->getAttrOfType<ShardingAttr>(FroeDialect::kSharding))
    weight.cuts = sharding.toSharding(mesh).dims;
  weight.packed = packing;
  list.push_back(std::move(weight));
  return list.size() - 1;
}

} // namespace froe
