#include "lib/Conversion/KernelsToGpu/EmitGpuKernel.h"

#include "lib/Conversion/FroeToElements/FindCuts.h"
#include "lib/Conversion/FroeToElements/KernelBuffers.h"
#include "lib/Conversion/KernelsToGpu/Attention.h"
#include "lib/Conversion/KernelsToGpu/PrepareRows.h"
#include "lib/Conversion/KernelsToGpu/Tiles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace froe {
namespace {

constexpr unsigned kGlobalMemory = 1; // NVPTX's number of the address space
constexpr int64_t kBufferAlignment = 16;
constexpr int64_t kThreadsWith64Registers = 1024;

class GpuKernelBody {
public:
  GpuKernelBody(func::FuncOp kernel, const KernelDomain &domain, gpu::GPUFuncOp function)
      : kernel(kernel), domain(domain), shape(LaunchShape::of(kernel, domain)), function(function),
        builder(kernel.getLoc(), function.getContext()), entry(&function.getBody().front()), elements(builder, entry),
        index(elements.index), team(builder, function, shape) {
    elements.bufferAlignment = kBufferAlignment;
    elements.constantSpace = kGlobalMemory;
    index.keepsNeighbours = true;
  }

  void emit() {
    builder.setInsertionPointToEnd(entry);
    results = declareBuffers(kernel, domain, elements, entry->getArguments());
    std::optional<TilePlan> tiles = TilePlan::of(kernel, domain);
    if (!llvm::all_of(results, [&](const KernelResult &result) { return isFull(result); }))
      tiles.reset();
    if (tiles) {
      shape.block = tiles->block;
      shape.grid = tiles->grid;
    }
    fault = function.getArguments().back();
    function.setKnownBlockSize(ArrayRef<int32_t>{int32_t(shape.block), 1, 1});
    function.setKnownGridSize(ArrayRef<int32_t>{int32_t(shape.grid), 1, 1});
    // 64 registers a thread: ptxas would rather spill than have fewer threads than a multiprocessor holds.
    int64_t blocks = std::max<int64_t>(kThreadsWith64Registers / shape.block, 1);
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(blocks));
    Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
    Value one = arith::ConstantIntOp::create(builder, 1, 32), none = arith::ConstantIntOp::create(builder, 0, 32);
    elements.faultFlags = LLVM::AllocaOp::create(builder, pointer, builder.getI32Type(), one);
    LLVM::StoreOp::create(builder, none, elements.faultFlags);
    thread = position(gpu::ThreadIdOp::create(builder, gpu::Dimension::x), shape.block);
    block = position(gpu::BlockIdOp::create(builder, gpu::Dimension::x), shape.grid);
    if (tiles)
      emitTiles(*tiles, domain, elements, function, thread, block, results);
    else
      shape.form == LaunchShape::Rows ? emitRows() : emitPoints();
    emitFaults();
    gpu::ReturnOp::create(builder);
  }

private:
  Value position(Value number, int64_t count) {
    Value i64 = arith::IndexCastUIOp::create(builder, builder.getI64Type(), number);
    index.define(i64, {0, count - 1});
    return count == 1 ? index.constant(0) : i64;
  }

  void when(Value condition, llvm::function_ref<void()> body) { froe::when(elements, condition, body); }
  Value isBelow(Value i, int64_t end) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, i, index.constant(end));
  }

  void emitRows() {
    Value number = index.add(index.mul(block, shape.rowsPerBlock), index.div(thread, shape.team));
    Value isRow;
    int64_t rows = domain.extent();
    if (rows == 0 || domain.rowSize() == 0 && results.empty())
      return;
    if (index.interval(number).high >= rows) { // threads without a row compute the last one again
      isRow = isBelow(number, rows);
      number = arith::MinSIOp::create(builder, number, index.constant(rows - 1));
      index.define(number, {0, rows - 1});
    }
    Value lane = index.rem(thread, shape.team);
    Share share(elements, domain.row, shape, lane);
    ThreadCode code{elements, domain, share, team, index.delinear(number, domain.outer)};
    prepareAll(code);
    when(isRow, [&] { storeOuter(code, lane); });
    share.forEach([&](const RowVector &vector) {
      Value condition = vector.active && isRow ? arith::AndIOp::create(builder, vector.active, isRow).getResult()
                                               : (vector.active ? vector.active : isRow);
      when(condition, [&] { storeFull(code, vector); });
    });
  }

  /// Each thread computes a vector; elements behind the last whole vector have threads of their own.
  void emitPoints() {
    SmallVector<int64_t> sizes = domain.shape();
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    Value number = index.add(index.mul(block, shape.block), thread);
    int64_t vectors = count / shape.vector, rest = count % shape.vector;
    emitNumbered(number, vectors, [&](Value i) { emitVectors(i, shape.vector); });
    if (rest > 0) {
      Value behind = index.add(number, -vectors);
      Value isRest = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, behind, index.constant(rest));
      when(isRest, [&] {
        index.assuming(behind, rest,
                       [&] { return emitVectors(index.add(behind, vectors * shape.vector), 1), Value(); });
      });
    }
  }

  void emitNumbered(Value number, int64_t count, llvm::function_ref<void(Value)> body) {
    if (count == 0)
      return;
    bool isAll = index.interval(number).high < count;
    when(isAll ? Value() : isBelow(number, count),
         [&] { index.assuming(number, count, [&] { return body(number), Value(); }); });
  }

  /// The vector of this number. Where the innermost dim is cut between vectors, each part has its own code.
  void emitVectors(Value number, int64_t width) {
    SmallVector<int64_t> sizes = domain.shape();
    if (!sizes.empty() && width > 1)
      sizes.back() /= width;
    SmallVector<Value> indices = index.delinear(number, sizes);
    SmallVector<int64_t> cuts = findCuts(resultValues(), domain);
    bool isBetween = llvm::all_of(cuts, [&](int64_t cut) { return cut % width == 0; });
    emitSegments(indices, isBetween ? ArrayRef(cuts) : ArrayRef<int64_t>(), width);
  }

  void emitSegments(ArrayRef<Value> indices, ArrayRef<int64_t> cuts, int64_t width) {
    if (cuts.empty())
      return emitVector(indices, width);
    Value last = indices.back();
    auto whole = index.interval(last);
    int64_t cut = cuts.front() / width;
    auto branch = scf::IfOp::create(builder, isBelow(last, cut), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    auto side = [&](Block *block, IndexArithmetic::Interval part, ArrayRef<int64_t> rest) {
      Memo::Scope scope(elements.memo);
      builder.setInsertionPointToStart(block);
      index.define(last, part);
      emitSegments(indices, rest, width);
      index.define(last, whole);
    };
    side(branch.thenBlock(), {whole.low, std::min(whole.high, cut - 1)}, {});
    side(branch.elseBlock(), {std::max(whole.low, cut), whole.high}, cuts.drop_front());
  }

  void emitVector(ArrayRef<Value> indices, int64_t width) {
    RowVector vector;
    SmallVector<Value> element(indices);
    for (int64_t i = 0; i < width; ++i) {
      if (width > 1)
        element.back() = index.add(index.mul(indices.back(), width), i);
      vector.elements.push_back(element);
    }
    Share share(elements, vector);
    ThreadCode code{elements, domain, share, team, {}};
    prepareAll(code);
    storeFull(code, vector);
    storePerRow(code, vector);
  }

  void prepareAll(ThreadCode &code) {
    for (Operation &op : kernel.getBody().front().without_terminator())
      llvm::TypeSwitch<Operation *>(&op).Case<ReduceOp, SoftmaxOp, NormalizeOp>(
          [&](auto wide) { prepare(wide, code); });
  }

  SmallVector<Value> resultValues() const {
    return llvm::map_to_vector(results, [](const KernelResult &result) { return result.value; });
  }
  bool isFull(const KernelResult &result) const { return froe::isFull(result.value, domain); }

  void store(const KernelResult &result, Indices indices, ArrayRef<int64_t> sizes) {
    elements.store(elements.at(result.value, indices), result.pointer, elementTypeOf(result.value),
                   index.linear(indices, sizes));
  }

  /// First all values, then all stores: neighbours can become one access.
  void storeFull(ThreadCode &code, const RowVector &vector) {
    for (const KernelResult &result : results)
      if (isFull(result))
        for (const SmallVector<Value> &row : vector.elements)
          code.at(result.value, row);
    for (const KernelResult &result : results)
      if (isFull(result))
        for (const SmallVector<Value> &row : vector.elements)
          store(result, code.full(row), domain.shape());
  }

  /// What is known once a row, by the row's first thread.
  void storeOuter(ThreadCode &code, Value lane) {
    if (llvm::all_of(results, [&](const KernelResult &result) { return isFull(result); }))
      return;
    when(shape.team == 1 ? Value() : isBelow(lane, 1), [&] {
      for (const KernelResult &result : results)
        if (!isFull(result))
          store(result, code.outer, domain.outer);
    });
  }

  /// The same where threads own points: by the thread that has the row's first one.
  void storePerRow(ThreadCode &code, const RowVector &vector) {
    if (llvm::all_of(results, [&](const KernelResult &result) { return isFull(result); }))
      return;
    Indices first = vector.elements.front();
    Value isFirst;
    for (Value i : first.drop_front(domain.outer.size())) {
      Value isZero = isBelow(i, 1);
      isFirst = isFirst ? arith::AndIOp::create(builder, isFirst, isZero).getResult() : isZero;
    }
    when(isFirst, [&] {
      for (const KernelResult &result : results)
        if (!isFull(result))
          store(result, first.take_front(domain.outer.size()), domain.outer);
    });
  }

  void emitFaults() {
    Value flags = LLVM::LoadOp::create(builder, builder.getI32Type(), elements.faultFlags);
    Value none = arith::ConstantIntOp::create(builder, 0, 32);
    when(arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, flags, none), [&] {
      LLVM::AtomicRMWOp::create(builder, LLVM::AtomicBinOp::_or, fault, flags, LLVM::AtomicOrdering::monotonic);
    });
  }

  func::FuncOp kernel;
  const KernelDomain &domain;
  LaunchShape shape;
  gpu::GPUFuncOp function;
  ImplicitLocOpBuilder builder;
  Block *entry;
  Elements elements;
  IndexArithmetic &index;
  Team team;
  SmallVector<KernelResult> results;
  Value thread, block, fault;
};

gpu::GPUFuncOp createFunction(func::FuncOp kernel, gpu::GPUModuleOp module) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), kGlobalMemory);
  size_t operands = kernel.getNumArguments(), buffers = operands + kernel.getNumResults();
  SmallVector<Type> parameters(buffers + 1, pointer);
  auto function =
      gpu::GPUFuncOp::create(builder, kernel.getLoc(), kernel.getName(), builder.getFunctionType(parameters, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
  for (size_t i = 0; i < buffers; ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(kBufferAlignment));
    if (i < operands)
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(), builder.getUnitAttr());
  }
  function.setArgAttr(buffers, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(4));
  return function;
}

} // namespace

FailureOr<gpu::GPUFuncOp> emitGpuKernel(func::FuncOp kernel, gpu::GPUModuleOp module) {
  std::optional<KernelDomain> domain = KernelDomain::of(kernel);
  if (!domain)
    return kernel.emitError("expected attributes '") << KernelDomain::kDomain << "' and '" << KernelDomain::kRow << "'";
  gpu::GPUFuncOp function = createFunction(kernel, module);
  if (std::optional<rank::Attention> attention = attentionOf(kernel)) {
    emitAttention(*attention, kernel, function);
    return function;
  }
  GpuKernelBody(kernel, *domain, function).emit();
  return function;
}

} // namespace froe
