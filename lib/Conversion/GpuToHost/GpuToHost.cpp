#include "froe/Conversion/GpuObjects.h"
#include "froe/Conversion/Passes.h"
#include "lib/Conversion/KernelsToLLVM/LowerBody.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

namespace froe {
#define GEN_PASS_DEF_GPUTOHOST
#include "lib/Conversion/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

int64_t bytesOf(Type type) { return std::max<int64_t>(type.getIntOrFloatBitWidth() / 8, 1); }

/// The twin of one kernel.
class Twin {
public:
  Twin(gpu::GPUFuncOp kernel, ModuleOp module)
      : kernel(kernel), module(module), builder(kernel.getLoc(), module.getContext()),
        pointer(LLVM::LLVMPointerType::get(module.getContext())), none(LLVM::LLVMVoidType::get(module.getContext())),
        i32(builder.getI32Type()), i64(builder.getI64Type()) {}

  LogicalResult make() {
    builder.setInsertionPointToEnd(module.getBody());
    describe();
    auto type = LLVM::LLVMFunctionType::get(none, {pointer});
    function = LLVM::LLVMFuncOp::create(builder, kernel.getName(), type);
    builder.setInsertionPointToStart(function.addEntryBlock(builder));
    IRMapping map;
    loadParameters(map);
    for (Operation &op : kernel.getBody().front())
      builder.clone(op, map);
    WalkResult walk = function.walk([&](Operation *op) {
      builder.setInsertionPoint(op);
      return failed(rewrite(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return walk.wasInterrupted() ? failure() : lowerBody(function);
  }

private:
  /// NAME_twin: how many parameters the kernel has, and its launch.
  void describe() {
    KernelLaunch launch = launchOf(kernel);
    SmallVector<int32_t> numbers{int32_t(kernel.getNumArguments()), launch.block, launch.grid, launch.sharedBytes};
    auto type = LLVM::LLVMArrayType::get(i32, numbers.size());
    LLVM::GlobalOp::create(builder, type, /*isConstant=*/true, LLVM::Linkage::External,
                           (kernel.getName() + "_twin").str(), builder.getI32TensorAttr(numbers));
  }

  void loadParameters(IRMapping &map) {
    for (auto [i, argument] : llvm::enumerate(kernel.getArguments().take_front(kernel.getNumArguments()))) {
      Value place = LLVM::GEPOp::create(builder, pointer, pointer, function.getArgument(0),
                                        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(int32_t(i))});
      map.map(argument, LLVM::LoadOp::create(builder, pointer, LLVM::LoadOp::create(builder, pointer, place)));
    }
    for (auto [slot, array] : llvm::enumerate(kernel.getWorkgroupAttributions()))
      slots[array] = slot;
  }

  Value number(int64_t value, Type type) { return LLVM::ConstantOp::create(builder, type, value); }

  Value call(StringRef name, Type result, ValueRange arguments) {
    SmallVector<Type> types(arguments.getTypes());
    OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
    FailureOr<LLVM::LLVMFuncOp> callee = LLVM::lookupOrCreateFn(atStart, module, name, types, result);
    auto made = LLVM::CallOp::create(builder, *callee, arguments);
    return result == none ? Value() : made.getResult();
  }

  template <typename Op> LogicalResult replaceId(Op op, StringRef name) {
    Value id = call(name, i64, {number(int64_t(op.getDimension()), i32)});
    return replace(op, arith::IndexCastOp::create(builder, builder.getIndexType(), id));
  }

  LogicalResult replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }

  /// Host memory has one address space; accesses announce themselves.
  LogicalResult rewrite(Operation *op) {
    for (Value result : op->getResults())
      if (isa<LLVM::LLVMPointerType>(result.getType()))
        result.setType(pointer);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<gpu::ThreadIdOp>([&](auto id) { return replaceId(id, "simt_thread_id"); })
        .Case<gpu::BlockIdOp>([&](auto id) { return replaceId(id, "simt_block_id"); })
        .Case<gpu::BarrierOp>([&](auto barrier) {
          call("simt_barrier", none, {number(++sites, i32)});
          barrier->erase();
          return success();
        })
        .Case<gpu::ReturnOp>([&](auto end) {
          LLVM::ReturnOp::create(builder, ValueRange());
          end->erase();
          return success();
        })
        .Case<gpu::ShuffleOp>([&](auto shuffle) { return rewriteShuffle(shuffle); })
        .Case<NVVM::MmaOp>([&](auto product) { return rewriteProduct(product); })
        .Case<memref::LoadOp>([&](auto load) {
          Value place = sharedPlace(load.getMemRef(), load.getIndices(), load.getType(), false);
          return replace(load, LLVM::LoadOp::create(builder, load.getType(), place));
        })
        .Case<memref::StoreOp>([&](auto store) {
          Value value = store.getValueToStore();
          Value place = sharedPlace(store.getMemRef(), store.getIndices(), value.getType(), true);
          LLVM::StoreOp::create(builder, value, place);
          store->erase();
          return success();
        })
        .Case<LLVM::LoadOp>([&](auto load) { return announce(load.getAddr(), load.getType(), false); })
        .Case<LLVM::StoreOp>([&](auto store) { return announce(store.getAddr(), store.getValue().getType(), true); })
        .Default([](Operation *) { return success(); });
  }

  LogicalResult announce(Value address, Type type, bool isStore) {
    auto place = address.getDefiningOp<LLVM::GEPOp>();
    bool isParameter = isa<LLVM::LLVMPointerType>(type);
    if (place && !isParameter && !place.getBase().getDefiningOp<LLVM::AddressOfOp>())
      call("simt_global", none, {address, number(bytesOf(type), i64), number(isStore, i32)});
    return success();
  }

  LogicalResult rewriteShuffle(gpu::ShuffleOp op) {
    if (op.getMode() != gpu::ShuffleMode::XOR || op.getType(0).getIntOrFloatBitWidth() != 32 ||
        !op.getValid().use_empty())
      return op.emitError("expected a shuffle of mode xor of 32 bits");
    Value value = op.getValue();
    if (value.getType() != i32)
      value = arith::BitcastOp::create(builder, i32, value);
    Value other = call("simt_shuffle_xor", i32, {value, op.getOffset(), number(++sites, i32)});
    if (op.getType(0) != i32)
      other = arith::BitcastOp::create(builder, op.getType(0), other);
    op.getShuffleResult().replaceAllUsesWith(other);
    op->erase();
    return success();
  }

  /// One of halves: m16n8k16, added to f32.
  LogicalResult rewriteProduct(NVVM::MmaOp op) {
    bool isHalf = op.getMultiplicandAPtxType() == NVVM::MMATypes::f16;
    bool isBrain = op.getMultiplicandAPtxType() == NVVM::MMATypes::bf16;
    NVVM::MMAShapeAttr shape = op.getShape();
    if (!(isHalf || isBrain) || shape.getM() != 16 || shape.getN() != 8 || shape.getK() != 16 ||
        op.getOperandC().size() != 4)
      return op.emitError("expected a product of shape m16n8k16 of halves, in f32");
    SmallVector<Value> arguments;
    for (Value word : llvm::concat<Value>(op.getOperandA(), op.getOperandB()))
      arguments.push_back(word.getType() == i32 ? word : LLVM::BitcastOp::create(builder, i32, word).getResult());
    llvm::append_range(arguments, op.getOperandC());
    Value sums = LLVM::AllocaOp::create(builder, pointer, op.getType(), number(1, i32));
    arguments.append({number(isBrain, i32), sums, number(++sites, i32)});
    call("simt_mma", none, arguments);
    return replace(op, LLVM::LoadOp::create(builder, op.getType(), sums));
  }

  Value sharedPlace(Value array, ValueRange indices, Type element, bool isStore) {
    auto type = cast<MemRefType>(array.getType());
    int64_t bytes = bytesOf(element);
    Value offset = number(0, i64);
    for (auto [index, size] : llvm::zip(indices, type.getShape())) {
      offset = arith::MulIOp::create(builder, offset, number(size, i64));
      offset = arith::AddIOp::create(builder, offset, arith::IndexCastOp::create(builder, i64, index));
    }
    offset = arith::MulIOp::create(builder, offset, number(bytes, i64));
    return call("simt_shared", pointer,
                {number(slots.lookup(array), i32), number(type.getNumElements() * bytes, i64), offset,
                 number(bytes, i32), number(isStore, i32)});
  }

  gpu::GPUFuncOp kernel;
  ModuleOp module;
  ImplicitLocOpBuilder builder;
  LLVM::LLVMFuncOp function;
  Type pointer, none, i32, i64;
  llvm::DenseMap<Value, int64_t> slots;
  int32_t sites = 0;
};

struct GpuToHost : impl::GpuToHostBase<GpuToHost> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto kernels : llvm::to_vector(module.getOps<gpu::GPUModuleOp>())) {
      for (auto global : llvm::to_vector(kernels.getOps<LLVM::GlobalOp>())) {
        global->moveBefore(module.getBody(), module.getBody()->begin());
        global.setAddrSpace(0);
      }
      for (auto kernel : kernels.getOps<gpu::GPUFuncOp>()) {
        if (auto declaration = module.lookupSymbol<func::FuncOp>(kernel.getName()))
          declaration.erase();
        if (failed(Twin(kernel, module).make()))
          return signalPassFailure();
      }
      kernels.erase();
    }
  }
};

} // namespace
} // namespace froe
