#include "EmitSteps.h"

#include "dialects/Rank/MatmulShape.h"
#include "froe/Conversion/GpuObjects.h"
#include "froe/Conversion/Passes.h"
#include "froe/Conversion/ProgramTarget.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"

namespace froe {
#define GEN_PASS_DEF_RANKTORUNTIME
#include "lib/Conversion/Passes.h.inc"
} // namespace froe

using namespace mlir;

namespace froe {
namespace {

froe_axes toAxes(const AxisList &list) {
  froe_axes axes{};
  for (AxisIndex axis : list)
    axes.axes[axes.count++] = axis;
  return axes;
}

/// An input or output of @main.
struct Port {
  Package::Port package;
  std::vector<AxisList> cuts;
  int64_t offset = 0;
};

Port makePort(DictionaryAttr attributes, Value value, const Mesh &mesh) {
  Port port;
  auto get = [&](StringRef name) { return attributes ? attributes.get(name) : Attribute(); };
  if (auto name = dyn_cast_or_null<StringAttr>(get(FroeDialect::kName)))
    port.package.name = name.str();
  auto global = dyn_cast_or_null<TypeAttr>(get("froe.global_type"));
  port.package.type = cast<RankedTensorType>(global ? global.getValue() : value.getType());
  port.cuts.resize(port.package.type.getRank());
  if (auto sharding = dyn_cast_or_null<ShardingAttr>(get(FroeDialect::kSharding)))
    port.cuts = sharding.toSharding(mesh).dims;
  port.offset = arenaOffsetOf(value);
  return port;
}

std::vector<Port> inputsOf(func::FuncOp main, const Mesh &mesh) {
  std::vector<Port> ports;
  for (BlockArgument argument : main.getArguments())
    ports.push_back(makePort(main.getArgAttrDict(argument.getArgNumber()), argument, mesh));
  return ports;
}

std::vector<Port> outputsOf(func::FuncOp main, const Mesh &mesh) {
  std::vector<Port> ports;
  for (OpOperand &operand : main.getBody().front().getTerminator()->getOpOperands())
    ports.push_back(makePort(main.getResultAttrDict(operand.getOperandNumber()), operand.get(), mesh));
  return ports;
}

/// `froe_program_main` and all that it points to.
class Description {
public:
  Description(ConstantData &data, const Package &package) : data(data), package(package) {}

  void write(ArrayRef<Port> inputs, ArrayRef<Port> outputs, const EmitSteps &steps, StringAttr run,
             const DeviceImages *device) {
    froe_program program{};
    program.abi = FROE_RT_ABI_VERSION;
    program.mesh_rank = package.mesh.axisCount();
    for (auto [i, axis] : llvm::enumerate(package.mesh.axes))
      program.mesh[i] = axis.size;
    program.arena_bytes = package.arenaBytes;
    program.input_count = inputs.size(), program.output_count = outputs.size();
    program.weight_count = package.weights.size(), program.step_count = steps.stepCount();
    if (device) {
      program.device = FROE_CUDA;
      program.image_count = device->imageCount(), program.kernel_count = device->kernels().size();
      program.constant_count = steps.deviceConstantCount();
    }
    Record record;
    record.append(program);
    record.point<froe_program>(offsetof(froe_program, plan_hash), data.text(package.planHash));
    record.point<froe_program>(offsetof(froe_program, inputs), ports(inputs));
    record.point<froe_program>(offsetof(froe_program, outputs), ports(outputs));
    record.point<froe_program>(offsetof(froe_program, weights), weights());
    record.point<froe_program>(offsetof(froe_program, steps), data.record(steps.steps()));
    record.point<froe_program>(offsetof(froe_program, run), run);
    if (device) {
      record.point<froe_program>(offsetof(froe_program, images), data.record(device->imageRecord(data)));
      record.point<froe_program>(offsetof(froe_program, kernels), data.record(device->kernelRecord(data)));
      record.point<froe_program>(offsetof(froe_program, constants), data.record(steps.deviceConstants()));
    }
    data.record(record, "froe_program_main");
  }

private:
  ConstantData &data;
  const Package &package;

  StringAttr ports(ArrayRef<Port> ports) {
    Record record;
    for (const Port &port : ports) {
      froe_port entry{};
      entry.type = rank::elementTypeOf(port.package.type);
      entry.rank = port.package.type.getRank();
      entry.offset = port.offset;
      record.append(entry);
      record.point<froe_port>(offsetof(froe_port, name), data.text(port.package.name));
      record.point<froe_port>(offsetof(froe_port, shape), data.plainArray(port.package.type.getShape()));
      SmallVector<froe_axes> cuts = llvm::map_to_vector(port.cuts, toAxes);
      record.point<froe_port>(offsetof(froe_port, cuts), data.plainArray(ArrayRef(cuts)));
    }
    return data.record(record);
  }

  StringAttr weights() {
    Record record;
    for (const Package::Weight &weight : package.weights) {
      froe_weight entry{};
      int64_t bytes = weight.local.getNumElements() * std::max(1u, weight.local.getElementTypeBitWidth() / 8);
      SmallVector<int64_t> shape(weight.local.getShape());
      entry.type = rank::elementTypeOf(weight.local);
      if (weight.packed) {
        entry.type = FROE_U8;
        bytes = weight.packed->bytes;
        shape = {bytes};
      }
      entry.rank = shape.size();
      entry.bytes = bytes;
      record.append(entry);
      record.point<froe_weight>(offsetof(froe_weight, name), data.text(weight.name));
      record.point<froe_weight>(offsetof(froe_weight, shape), data.plainArray(ArrayRef(shape)));
    }
    return data.record(record);
  }
};

/// The instruction set that the program is for: this machine's where the module does not say.
cpu::Isa isaOf(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(kIsaAttribute);
  return (name ? cpu::isaNamed(name.getValue()) : std::nullopt).value_or(cpu::isa());
}

/// Tells packages apart: everything about the steps, their places, constants and the weights goes into it.
std::string hashOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().useLocalScope());
  return llvm::formatv("{0:x-16}", llvm::xxh3_64bits(text));
}

struct RankToRuntime : impl::RankToRuntimeBase<RankToRuntime> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main)
      return;
    auto arenaBytes = main->getAttrOfType<IntegerAttr>(rank::RankDialect::kArenaBytes);
    if (!arenaBytes) {
      main.emitError("expected '") << rank::RankDialect::kArenaBytes << "', which assign-arena gives";
      return signalPassFailure();
    }
    MeshOp meshOp = meshOf(main);
    Package package;
    package.mesh = meshOp ? meshOp.getMesh() : Mesh{{{"x", 1}}};
    package.planHash = hashOf(module);
    package.arenaBytes = arenaBytes.getInt();
    std::optional<DeviceImages> device;
    if (targetOf(module).isCuda())
      device.emplace(module);
    const DeviceImages *images = device ? &*device : nullptr;
    package.kernels = device ? device->kernels().size() : countKernels(module);

    WeightTable weights(main, package.mesh, device ? std::nullopt : std::optional(isaOf(module)));
    package.weights = weights.weights();
    ConstantData data(module);
    EmitSteps steps(main, package.mesh, weights, data, images);
    FailureOr<LLVM::LLVMFuncOp> run = steps.emit();
    if (failed(run))
      return signalPassFailure();
    std::vector<Port> inputs = inputsOf(main, package.mesh), outputs = outputsOf(main, package.mesh);
    for (const Port &port : inputs)
      package.inputs.push_back(port.package);
    for (const Port &port : outputs)
      package.outputs.push_back(port.package);
    Description(data, package).write(inputs, outputs, steps, run->getSymNameAttr(), images);
    setPackage(module, package);
    if (device)
      eraseKernels(module);
    main.erase();
    if (meshOp)
      meshOp.erase();
  }

private:
  static int64_t countKernels(ModuleOp module) {
    return llvm::count_if(module.getOps<LLVM::LLVMFuncOp>(),
                          [](LLVM::LLVMFuncOp function) { return function->hasAttr("rank.extent"); });
  }

  /// What is in the description now.
  static void eraseKernels(ModuleOp module) {
    for (auto declaration : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (declaration.isExternal())
        declaration.erase();
    if (auto binary = module.lookupSymbol<gpu::BinaryOp>(kGpuKernels))
      binary.erase();
  }
};

} // namespace
} // namespace froe
