#include "lib/Conversion/KernelsToGpu/Team.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace froe {

Value Team::shuffle32(Value value, int64_t distance) {
  Value offset = arith::ConstantIntOp::create(builder, distance, 32);
  Value width = arith::ConstantIntOp::create(builder, kWarp, 32);
  return gpu::ShuffleOp::create(builder, value, offset, width, gpu::ShuffleMode::XOR).getShuffleResult();
}

/// Shuffles move 32 bits: wider values go in halves, narrower ones are widened.
Value Team::shuffle(Value value, int64_t distance) {
  Type type = value.getType(), i32 = builder.getI32Type(), i64 = builder.getI64Type();
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 32)
    return shuffle32(value, distance);
  if (width < 32) {
    Value wide = arith::ExtUIOp::create(builder, i32, value);
    return arith::TruncIOp::create(builder, type, shuffle32(wide, distance));
  }
  Value bits = type == i64 ? value : arith::BitcastOp::create(builder, i64, value).getResult();
  Value half = arith::ConstantIntOp::create(builder, 32, 64);
  Value low = shuffle32(arith::TruncIOp::create(builder, i32, bits), distance);
  Value top = arith::TruncIOp::create(builder, i32, arith::ShRUIOp::create(builder, bits, half));
  Value high = arith::ExtUIOp::create(builder, i64, shuffle32(top, distance));
  Value whole = arith::OrIOp::create(builder, arith::ExtUIOp::create(builder, i64, low),
                                     arith::ShLIOp::create(builder, high, half));
  return type == i64 ? whole : arith::BitcastOp::create(builder, type, whole).getResult();
}

Value Team::butterfly(Value value, int64_t threads, Combine combine) {
  for (int64_t distance = threads / 2; distance > 0; distance /= 2)
    value = combine(value, shuffle(value, distance));
  return value;
}

Value Team::threadNumber(int64_t divisor, int64_t modulus) {
  Value thread = gpu::ThreadIdOp::create(builder, gpu::Dimension::x);
  auto constant = [&](int64_t number) { return arith::ConstantIndexOp::create(builder, number); };
  if (divisor > 1)
    thread = arith::DivUIOp::create(builder, thread, constant(divisor));
  return modulus > 0 ? arith::RemUIOp::create(builder, thread, constant(modulus)).getResult() : thread;
}

Value Team::allReduce(Value value, Combine combine) {
  if (shape.team <= kWarp)
    return butterfly(value, shape.team, combine);
  int64_t warps = shape.team / kWarp;
  value = butterfly(value, kWarp, combine);
  // Memory of its own for each reduction: then one barrier is enough.
  Type stored = value.getType().isInteger(1) ? Type(builder.getI8Type()) : value.getType();
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Workgroup);
  Value memory = function.addWorkgroupAttribution(MemRefType::get({warps}, stored, MemRefLayoutAttrInterface(), space),
                                                  builder.getLoc());
  bool isNarrowed = stored != value.getType();
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq, threadNumber(1, kWarp), zero);
  auto first = scf::IfOp::create(builder, isFirst);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(first.thenBlock());
    Value written = isNarrowed ? arith::ExtUIOp::create(builder, stored, value).getResult() : value;
    memref::StoreOp::create(builder, written, memory, ValueRange{threadNumber(kWarp, 0)});
  }
  gpu::BarrierOp::create(builder);
  Value partial = memref::LoadOp::create(builder, memory, ValueRange{threadNumber(1, warps)});
  if (isNarrowed)
    partial = arith::TruncIOp::create(builder, value.getType(), partial);
  return butterfly(partial, warps, combine);
}

} // namespace froe
