#include "lib/Conversion/KernelsToLLVM/EmitKernel.h"

#include "lib/Conversion/FroeToElements/KernelBuffers.h"
#include "lib/Conversion/KernelsToLLVM/Row.h"
#include "lib/Conversion/KernelsToLLVM/ValuesToKeep.h"
#include "runtime/include/froe_rt.h"

using namespace mlir;

namespace froe {
namespace {

LLVM::LLVMFuncOp createFunction(OpBuilder &builder, Location loc, const Twine &name, ArrayRef<Type> parameters,
                                LLVM::Linkage linkage) {
  auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), parameters);
  auto function = LLVM::LLVMFuncOp::create(builder, loc, name.str(), type, linkage);
  Attribute width = builder.getStrArrayAttr({"prefer-vector-width", "512"});
  function.setPassthroughAttr(builder.getArrayAttr({builder.getStringAttr("nounwind"), width}));
  function.addEntryBlock(builder);
  return function;
}

class KernelBody {
public:
  KernelBody(func::FuncOp kernel, const KernelDomain &domain, LLVM::LLVMFuncOp function)
      : kernel(kernel), domain(domain), function(function), builder(kernel.getLoc(), function.getContext()),
        entry(&function.getBody().front()), elements(builder, entry), row(elements, domain, entry) {}

  void emit() {
    builder.setInsertionPointToEnd(entry);
    declareBuffers();
    findKept();
    size_t parameters = entry->getNumArguments();
    Value begin = entry->getArgument(parameters - 2), end = entry->getArgument(parameters - 1);
    auto loop = scf::ForOp::create(builder, begin, end, elements.index.constant(1));
    {
      OpBuilder::InsertionGuard guard(builder);
      Memo::Scope scope(elements.memo);
      builder.setInsertionPointToStart(loop.getBody());
      Value point = loop.getInductionVar();
      elements.index.define(point, {0, std::max<int64_t>(domain.extent() - 1, 0)});
      row.outer = elements.index.delinear(point, domain.outer);
      emitRow();
    }
    emitReturn();
  }

private:
  void declareBuffers() {
    results = froe::declareBuffers(kernel, domain, elements, entry->getArguments());
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value one = arith::ConstantIntOp::create(builder, 1, 32), none = arith::ConstantIntOp::create(builder, 0, 32);
    elements.faultFlags = LLVM::AllocaOp::create(builder, pointer, builder.getI32Type(), one);
    LLVM::StoreOp::create(builder, none, elements.faultFlags);
  }

  bool isFull(Value value) const { return froe::isFull(value, domain); }

  /// Values that one loop over the row keeps for the next ones are stored in the moment in which they are computed.
  void findKept() {
    for (Value value : findValuesToKeep(kernel, domain)) {
      auto result = llvm::find_if(results, [&](const KernelResult &result) { return result.value == value; });
      Type type = elementTypeOf(value);
      if (result != results.end() && memoryType(type) == scalarType(type)) {
        keptInResult[value] = result->pointer;
        continue;
      }
      if (std::optional<RowBuffer> buffer = row.tryAllocate(scalarType(type)))
        keptInBuffer[value] = *buffer;
    }
  }

  /// Computes rows' sums and the like in order; each may need elements of the ones before.
  void emitRow() {
    KeptStores stores(*this);
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      llvm::TypeSwitch<Operation *>(&op).Case<ReduceOp, SoftmaxOp, NormalizeOp>([&](auto overRow) {
        prepare(overRow, row);
        stores.declareComplete();
      });
    }
    storeResults();
  }

  void storeResults() {
    SmallVector<KernelResult> full;
    SmallVector<Value> values;
    for (const KernelResult &result : results) {
      if (isFull(result.value)) {
        if (!complete.contains(result.value) || !keptInResult.contains(result.value) ||
            keptInResult.lookup(result.value) != result.pointer) {
          full.push_back(result);
          values.push_back(result.value);
        }
        continue;
      }
      elements.store(elements.at(result.value, row.outer), result.pointer, elementTypeOf(result.value),
                     elements.index.linear(row.outer, domain.outer));
    }
    if (full.empty())
      return;
    row.fold(findCuts(values, domain), {}, [&](Indices i, ValueRange) -> SmallVector<Value> {
      SmallVector<Value> indices(row.outer);
      llvm::append_range(indices, i);
      Value offset = elements.index.linear(indices, domain.shape());
      for (const KernelResult &result : full)
        elements.store(elements.at(result.value, indices), result.pointer, elementTypeOf(result.value), offset);
      return {};
    });
  }

  void emitReturn() {
    auto constant = [&](int32_t value) { return arith::ConstantIntOp::create(builder, value, 32); };
    Value flags = LLVM::LoadOp::create(builder, builder.getI32Type(), elements.faultFlags);
    // Where several faults were met, the index is named: flags are FROE_FAULT_INDEX = 1 and FROE_FAULT_DIVISION = 2.
    static_assert(FROE_FAULT_INDEX == 1 && FROE_FAULT_DIVISION == 2);
    Value both = arith::CmpIOp::create(builder, arith::CmpIPredicate::ugt, flags, constant(FROE_FAULT_DIVISION));
    Value fault = arith::SelectOp::create(builder, both, constant(FROE_FAULT_INDEX), flags);
    LLVM::ReturnOp::create(builder, fault);
  }

  /// While a row is emitted, watches for values to keep.
  class KeptStores {
  public:
    explicit KeptStores(KernelBody &body) : body(body) {
      body.complete.clear();
      body.elements.onElement = [this](Value tensor, Indices indices, Value element) {
        keep(tensor, indices, element);
      };
    }
    ~KeptStores() { body.elements.onElement = nullptr; }

    /// Called behind each loop over the row: what was stored for every element is there from now on.
    void declareComplete() {
      for (auto &[tensor, stored] : storedElements) {
        if (stored != body.domain.rowSize() || body.complete.contains(tensor))
          continue;
        body.complete.insert(tensor);
        body.declareKept(tensor);
      }
      storedElements.clear();
    }

  private:
    /// Only in the loop's own body, where the element is computed each time, and at the place of the loop's own index.
    void keep(Value tensor, Indices indices, Value element) {
      bool isKept = body.keptInResult.contains(tensor) || body.keptInBuffer.contains(tensor);
      if (!isKept || !body.isFull(tensor) || body.complete.contains(tensor))
        return;
      std::optional<int64_t> count = body.elementsPerVisit(indices);
      if (!count)
        return;
      body.storeKept(tensor, indices, element);
      storedElements[tensor] += *count;
    }

    KernelBody &body;
    llvm::MapVector<Value, int64_t> storedElements;
  };

  /// If `indices` are the present row and the indices of the loops around the insertion point, one for each dim: how
  /// many elements these loops visit.
  std::optional<int64_t> elementsPerVisit(Indices indices) {
    if (indices.take_front(row.outer.size()) != ArrayRef<Value>(row.outer))
      return std::nullopt;
    int64_t count = 1;
    Operation *around = builder.getInsertionBlock()->getParentOp();
    for (Value index : llvm::reverse(indices.drop_front(row.outer.size()))) {
      auto interval = elements.index.interval(index);
      if (interval.low == interval.high)
        continue; // a loop of one turn was not built
      auto loop = dyn_cast_or_null<scf::ForOp>(around);
      if (!loop || loop.getInductionVar() != index)
        return std::nullopt;
      count *= interval.high - interval.low + 1;
      around = loop->getParentOp();
    }
    return count;
  }

  Value offsetOf(Indices indices) { return elements.index.linear(indices, domain.shape()); }

  void storeKept(Value tensor, Indices indices, Value element) {
    if (Value pointer = keptInResult.lookup(tensor))
      elements.store(element, pointer, elementTypeOf(tensor), offsetOf(indices));
    else
      row.store(keptInBuffer.find(tensor)->second, indices.drop_front(row.outer.size()), element);
  }

  void declareKept(Value tensor) {
    Value pointer = keptInResult.lookup(tensor);
    RowBuffer buffer = pointer ? RowBuffer{} : keptInBuffer.find(tensor)->second;
    row.declareFull(tensor, [this, tensor, pointer, buffer](Indices i) {
      SmallVector<Value> indices(row.outer);
      llvm::append_range(indices, i);
      return pointer ? elements.load(pointer, elementTypeOf(tensor), offsetOf(indices)) : row.load(buffer, i);
    });
  }

  func::FuncOp kernel;
  const KernelDomain &domain;
  LLVM::LLVMFuncOp function;
  ImplicitLocOpBuilder builder;
  Block *entry;
  Elements elements;
  Row row;
  SmallVector<KernelResult> results;
  llvm::DenseMap<Value, Value> keptInResult;
  llvm::DenseMap<Value, RowBuffer> keptInBuffer;
  llvm::DenseSet<Value> complete;
};

/// The function that the runtime calls: takes the pointers out of their array.
LLVM::LLVMFuncOp emitEntry(OpBuilder &builder, func::FuncOp kernel, LLVM::LLVMFuncOp body) {
  Location loc = kernel.getLoc();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()), i64 = builder.getI64Type();
  auto function = createFunction(builder, loc, kernel.getName(), {pointer, i64, i64}, LLVM::Linkage::External);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&function.getBody().front());
  SmallVector<Value> arguments;
  size_t buffers = kernel.getNumArguments() + kernel.getNumResults();
  for (size_t i = 0; i < buffers; ++i) {
    Value place = LLVM::GEPOp::create(builder, loc, pointer, pointer, function.getArgument(0),
                                      ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(i))});
    arguments.push_back(LLVM::LoadOp::create(builder, loc, pointer, place));
  }
  arguments.push_back(function.getArgument(1));
  arguments.push_back(function.getArgument(2));
  auto call = LLVM::CallOp::create(builder, loc, body, arguments);
  LLVM::ReturnOp::create(builder, loc, call.getResult());
  for (NamedAttribute attribute : kernel->getDiscardableAttrs())
    function->setDiscardableAttr(attribute.getName(), attribute.getValue());
  return function;
}

LLVM::LLVMFuncOp createBody(OpBuilder &builder, func::FuncOp kernel) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  size_t buffers = kernel.getNumArguments() + kernel.getNumResults();
  SmallVector<Type> parameters(buffers, pointer);
  parameters.append(2, builder.getI64Type());
  auto body = createFunction(builder, kernel.getLoc(), kernel.getName() + ".body", parameters, LLVM::Linkage::Internal);
  for (size_t i = 0; i < buffers; ++i) {
    body.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    if (i < kernel.getNumArguments())
      body.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
  }
  return body;
}

} // namespace

FailureOr<LLVM::LLVMFuncOp> emitKernel(func::FuncOp kernel) {
  std::optional<KernelDomain> domain = KernelDomain::of(kernel);
  if (!domain)
    return kernel.emitError("expected attributes '") << KernelDomain::kDomain << "' and '" << KernelDomain::kRow << "'";
  OpBuilder builder(kernel);
  LLVM::LLVMFuncOp body = createBody(builder, kernel);
  KernelBody(kernel, *domain, body).emit();
  // The old function keeps its name until now.
  std::string name = kernel.getName().str();
  kernel.setName(name + ".tensors");
  LLVM::LLVMFuncOp entry = emitEntry(builder, kernel, body);
  entry.setName(name);
  kernel.erase();
  return body;
}

} // namespace froe
