#include "EmitSteps.h"

#include "dialects/Rank/Communication.h"
#include "dialects/Rank/MatmulShape.h"

using namespace mlir;

namespace froe {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The ONNX node that a step computes: the last one, where several are fused.
std::string stepName(Location loc) {
  std::string name;
  loc->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part))
      name = named.getName().str();
    return WalkResult::advance();
  });
  return name;
}

int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

} // namespace

int64_t arenaOffsetOf(Value value) {
  value = viewRoot(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto main = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return main.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "rank.offset").getInt();
  }
  auto offsets = value.getDefiningOp()->getAttrOfType<DenseI64ArrayAttr>(rank::RankDialect::kOffsets);
  return offsets[cast<OpResult>(value).getResultNumber()];
}

EmitSteps::EmitSteps(func::FuncOp main, const Mesh &mesh, const WeightTable &weights, ConstantData &data,
                     const DeviceImages *device)
    : main(main), mesh(mesh), weights(weights), data(data), device(device), builder(main.getContext()),
      pointer(LLVM::LLVMPointerType::get(main.getContext())), i32(builder.getI32Type()), i64(builder.getI64Type()) {}

FailureOr<LLVM::LLVMFuncOp> EmitSteps::emit() {
  MLIRContext *context = main.getContext();
  builder.setInsertionPointAfter(main);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {pointer});
  auto run = LLVM::LLVMFuncOp::create(builder, main.getLoc(), "froe_run", type, LLVM::Linkage::Internal);
  Block *entry = run.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  rt = entry->getArgument(0);
  arena = callForPointer("froe_rt_arena", {rt});
  int64_t most = 1;
  for (Operation &op : main.getBody().front())
    most = std::max<int64_t>(most, op.getNumOperands() + op.getNumResults());
  buffers = LLVM::AllocaOp::create(builder, main.getLoc(), pointer, pointer, number(most, i64));
  for (Operation &op : main.getBody().front().without_terminator())
    if (failed(emitStep(&op)))
      return failure();
  LLVM::ReturnOp::create(builder, main.getLoc(), ValueRange());
  return run;
}

LogicalResult EmitSteps::emitStep(Operation *op) {
  auto reduceOf = [&](auto step) { return number(int64_t(step.getKind()), i32); };
  auto element = [&] { return number(rank::elementTypeOf(op->getOperand(0).getType()), i32); };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case<WeightOp, ConstantOp, rank::ViewOp>([](auto) { return success(); })
      .Case<rank::LaunchOp>([&](auto step) { return device ? emitDeviceLaunch(step) : emitLaunch(step); })
      .Case<rank::MatmulOp>([&](auto step) { return emitMatmul(step); })
      .Case<rank::AllReduceOp>([&](auto step) {
        int64_t elements = typeOf(step.getResult()).getNumElements();
        return emitCollective(op, "froe_rt_all_reduce", {reduceOf(step), element(), number(elements, i64)});
      })
      .Case<rank::AllGatherOp>([&](auto step) {
        SmallVector<Value> middle{element()};
        llvm::append_range(middle, threeParts(step.getResult(), step.getDim(), -1));
        return emitCollective(op, "froe_rt_all_gather", middle);
      })
      .Case<rank::ReduceScatterOp>([&](auto step) {
        SmallVector<Value> middle{reduceOf(step), element()};
        llvm::append_range(middle, threeParts(step.getOperand(), step.getDim(), -1));
        return emitCollective(op, "froe_rt_reduce_scatter", middle);
      })
      .Case<rank::SliceOp>([&](auto step) {
        SmallVector<Value> middle{element()};
        llvm::append_range(middle, threeParts(step.getOperand(), step.getDim(), -1));
        return emitCollective(op, "froe_rt_slice", middle);
      })
      .Case<rank::MaskOp>([&](auto step) {
        SmallVector<Value> middle{element()};
        llvm::append_range(middle, threeParts(step.getOperand(), step.getDim(), step.getSize()));
        auto scalar = RankedTensorType::get({}, cast<TypedAttr>(step.getValue()).getType());
        auto neutral = DenseElementsAttr::get(scalar, ArrayRef<Attribute>{step.getValue()});
        middle.push_back(addressOf(data.bytes(bytesOf(neutral), 8)));
        return emitCollective(op, "froe_rt_mask", middle);
      })
      .Case<rank::AllToAllOp>([&](auto step) { return emitAllToAll(step); })
      .Case<rank::WaitOp>([&](auto wait) {
        call("froe_rt_wait", {rt, stepOfWaited.lookup(wait.getCollective().getDefiningOp())});
        return success();
      })
      .Default([](Operation *other) {
        return other->emitError("expected a step in @main, found '") << other->getName() << "'";
      });
}

LogicalResult EmitSteps::emitLaunch(rank::LaunchOp op) {
  auto kernel = op->getParentOfType<ModuleOp>().lookupSymbol<LLVM::LLVMFuncOp>(op.getKernel());
  auto extent = kernel ? kernel->getAttrOfType<IntegerAttr>("rank.extent") : IntegerAttr();
  auto grain = kernel ? kernel->getAttrOfType<IntegerAttr>("rank.grain") : IntegerAttr();
  if (!extent || !grain)
    return op.emitError("expected a lowered kernel '") << op.getKernel() << "' with 'rank.extent' and 'rank.grain'";
  Value filled = fillBuffersOf(op);
  Value step = nextStep(op, op.getKernel());
  call("froe_rt_kernel", {rt, step, addressOf(op.getKernelAttr().getAttr()), filled, number(extent.getInt(), i64),
                          number(grain.getInt(), i64)});
  return success();
}

LogicalResult EmitSteps::emitDeviceLaunch(rank::LaunchOp op) {
  std::optional<int32_t> kernel = device->indexOf(op.getKernel());
  if (!kernel)
    return op.emitError("expected kernel '") << op.getKernel() << "' in gpu.binary @kernels";
  Value filled = fillBuffersOf(op);
  Value step = nextStep(op, op.getKernel());
  call("froe_rt_launch", {rt, step, number(*kernel, i32), number(device->kernels()[*kernel].grid, i64), filled});
  return success();
}

/// Operands, then results.
Value EmitSteps::fillBuffersOf(rank::LaunchOp op) {
  SmallVector<Value> pointers;
  for (Value value :
       llvm::concat<Value>(llvm::to_vector(op.getOperands()), llvm::to_vector(ValueRange(op.getResults()))))
    pointers.push_back(bufferOf(value));
  return fillBuffers(pointers);
}

LogicalResult EmitSteps::emitMatmul(rank::MatmulOp op) {
  std::expected<froe_matmul, std::string> matmul = rank::describe(op);
  if (!matmul)
    return op.emitError("expected a product that strides express: ") << matmul.error();
  matmul->weight = weights.packedIndex(op);
  auto floats = op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(FroeDialect::kFloats);
  matmul->tf32 = matmul->type == FROE_F32 && floats && floats.getValue() == "tf32";
  Value null = LLVM::ZeroOp::create(builder, op.getLoc(), pointer);
  SmallVector<Value> pointers{bufferOf(op.getLhs()), matmul->weight >= 0 ? null : bufferOf(op.getRhs()),
                              bufferOf(op.getResult())};
  for (Value operand : op.getPostOperands())
    pointers.push_back(bufferOf(operand));
  Value filled = fillBuffers(pointers);
  Value step = nextStep(op, "matmul");
  call("froe_rt_matmul", {rt, step, addressOf(data.plain(*matmul)), filled});
  return success();
}

/// `middle` are the arguments between the axes and the buffers.
LogicalResult EmitSteps::emitCollective(Operation *op, StringRef function, ArrayRef<Value> middle,
                                        ArrayRef<Value> last) {
  Value step = nextStep(op, op->getName().stripDialect());
  SmallVector<Value> arguments{rt, step, axes(op->getAttrOfType<ArrayAttr>("axes"))};
  llvm::append_range(arguments, middle);
  arguments.push_back(bufferOf(op->getOperand(0)));
  arguments.push_back(bufferOf(op->getResult(0)));
  llvm::append_range(arguments, last);
  call(function, arguments);
  return success();
}

LogicalResult EmitSteps::emitAllToAll(rank::AllToAllOp op) {
  int64_t first = std::min(op.getFrom(), op.getTo()), second = std::max(op.getFrom(), op.getTo());
  ArrayRef<int64_t> in = typeOf(op.getOperand()).getShape(), out = typeOf(op.getResult()).getShape();
  auto whole = [&](int64_t dim) { return dim == int64_t(op.getFrom()) ? out[dim] : in[dim]; };
  return emitCollective(op, "froe_rt_all_to_all",
                        {number(rank::elementTypeOf(op.getOperand().getType()), i32),
                         number(op.getFrom() == uint64_t(first), i32), number(product(in.take_front(first)), i64),
                         number(whole(first), i64), number(product(in.slice(first + 1, second - first - 1)), i64),
                         number(whole(second), i64), number(product(in.drop_front(second + 1)), i64)});
}

/// A tensor as [outer][size][inner] around `dim`, whose own size counts where `size` is negative.
SmallVector<Value> EmitSteps::threeParts(Value value, int64_t dim, int64_t size) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  return {number(product(shape.take_front(dim)), i64), number(size < 0 ? shape[dim] : size, i64),
          number(product(shape.drop_front(dim + 1)), i64)};
}

Value EmitSteps::bufferOf(Value value) {
  Value root = viewRoot(value);
  Operation *op = root.getDefiningOp();
  if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
    Value &address = constants[root];
    if (!address)
      address = constantBuffer(constant);
    return address;
  }
  if (auto weight = dyn_cast_or_null<WeightOp>(op)) {
    Value &address = plainWeights[root];
    if (!address)
      address = callForPointer("froe_rt_weight", {rt, number(weights.plainIndex(weight), i32)});
    return address;
  }
  return inArena(arenaOffsetOf(root));
}

Value EmitSteps::constantBuffer(ConstantOp op) {
  StringAttr symbol = data.elements(op.getLoc(), op.getValue());
  if (!device)
    return addressOf(symbol);
  froe_constant entry{};
  entry.bytes = bytesOf(op.getValue()).size();
  constantRecord.append(entry);
  constantRecord.point<froe_constant>(offsetof(froe_constant, data), symbol);
  return callForPointer("froe_rt_constant", {rt, number(constantCount++, i32)});
}

Value EmitSteps::inArena(int64_t offset) {
  return LLVM::GEPOp::create(builder, main.getLoc(), pointer, builder.getI8Type(), arena,
                             ArrayRef<LLVM::GEPArg>{number(offset, i64)});
}

Value EmitSteps::addressOf(StringAttr symbol) {
  return LLVM::AddressOfOp::create(builder, main.getLoc(), pointer, symbol.getValue());
}

Value EmitSteps::axes(ArrayAttr names) {
  froe_axes axes{};
  for (auto name : names.getAsRange<StringAttr>())
    axes.axes[axes.count++] = mesh.find(name.getValue());
  return addressOf(data.plain(axes));
}

Value EmitSteps::number(int64_t value, Type type) {
  return LLVM::ConstantOp::create(builder, main.getLoc(), type, builder.getIntegerAttr(type, value));
}

Value EmitSteps::fillBuffers(ArrayRef<Value> pointers) {
  for (auto [i, value] : llvm::enumerate(pointers)) {
    Value slot =
        LLVM::GEPOp::create(builder, main.getLoc(), pointer, pointer, buffers, ArrayRef<LLVM::GEPArg>{int32_t(i)});
    LLVM::StoreOp::create(builder, main.getLoc(), value, slot);
  }
  return buffers;
}

Value EmitSteps::nextStep(Operation *op, StringRef what) {
  froe_step record{};
  bool waited = rank::sendsFromArena(op) && rank::waitOf(op);
  record.waited = waited;
  stepRecord.append(record);
  stepRecord.point<froe_step>(offsetof(froe_step, name), data.text(stepName(op->getLoc())));
  stepRecord.point<froe_step>(offsetof(froe_step, what), data.text(what));
  Value step = number(count++, i32);
  if (waited)
    stepOfWaited[op] = step;
  return step;
}

static LLVM::LLVMFuncOp declare(OpBuilder &builder, ModuleOp module, StringRef name, Type result,
                                ArrayRef<Value> arguments) {
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto type =
      LLVM::LLVMFunctionType::get(result, llvm::map_to_vector(arguments, [](Value value) { return value.getType(); }));
  return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
}

void EmitSteps::call(StringRef function, ArrayRef<Value> arguments) {
  auto type = LLVM::LLVMVoidType::get(main.getContext());
  LLVM::CallOp::create(builder, main.getLoc(),
                       declare(builder, main->getParentOfType<ModuleOp>(), function, type, arguments), arguments);
}

Value EmitSteps::callForPointer(StringRef function, ArrayRef<Value> arguments) {
  auto callee = declare(builder, main->getParentOfType<ModuleOp>(), function, pointer, arguments);
  return LLVM::CallOp::create(builder, main.getLoc(), callee, arguments).getResult();
}

} // namespace froe
