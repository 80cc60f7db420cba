#include "lib/Conversion/KernelsToGpu/AttentionTile.h"

#include "lib/Conversion/FroeToElements/Lower.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace froe {

static Value toIndex(ImplicitLocOpBuilder &builder, Value value) {
  return arith::IndexCastOp::create(builder, builder.getIndexType(), value);
}

Value loadWord(ImplicitLocOpBuilder &builder, Value tile, Value row, Value column) {
  return memref::LoadOp::create(builder, tile, ValueRange{toIndex(builder, row), toIndex(builder, column)});
}

void storeWord(ImplicitLocOpBuilder &builder, Value word, Value tile, Value row, Value column) {
  memref::StoreOp::create(builder, word, tile, ValueRange{toIndex(builder, row), toIndex(builder, column)});
}

Value allocateTile(gpu::GPUFuncOp function, int64_t rows, int64_t columns, Type word) {
  auto space = gpu::AddressSpaceAttr::get(function.getContext(), gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({rows, columns}, word, MemRefLayoutAttrInterface(), Attribute(space));
  return function.addWorkgroupAttribution(type, function.getLoc());
}

namespace {

/// Of f16 and bf16, by mma.sync.
class TensorCoreProducts : public AttentionProducts {
public:
  TensorCoreProducts(const rank::AttentionShape &shape, Elements &elements, const AttentionThread &thread)
      : shape(shape), builder(elements.builder), index(elements.index), thread(thread),
        isBrain(shape.element.isBF16()) {}

  int64_t tileKeys() const override { return 64; }
  Type wordType() const override { return builder.getI32Type(); }

  void loadQuery(Value query, ArrayRef<Value> offsets) override {
    for (int64_t step = 0; step < shape.head / kDepth; ++step)
      for (int64_t half : {0, 8})
        for (Value offset : offsets)
          queries.push_back(
              loadPair(query, index.add(index.add(offset, index.mul(thread.pair, 2)), step * kDepth + half)));
  }

  Fragment scores(Value keys) override {
    Fragment result;
    for (int64_t tile = 0; tile < tileKeys() / 8; ++tile) {
      Value row = index.add(thread.group, tile * 8);
      Fragment sums(4, scalarConstant(builder, builder.getF32Type(), 0.0));
      for (int64_t step = 0; step < shape.head / kDepth; ++step) {
        Value column = index.add(thread.pair, step * kDepth / 2);
        SmallVector<Value> right{loadWord(builder, keys, row, column),
                                 loadWord(builder, keys, row, index.add(column, 4))};
        sums = multiply(ArrayRef(queries).slice(4 * step, 4), right, sums);
      }
      llvm::append_range(result, sums);
    }
    return result;
  }

  Fragment accumulate(const Fragment &probabilities, Value values, Fragment sums) override {
    for (int64_t step = 0; step < tileKeys() / kDepth; ++step) {
      SmallVector<Value> left;
      for (int64_t pair = 0; pair < 4; ++pair)
        left.push_back(pack(probabilities[8 * step + 2 * pair], probabilities[8 * step + 2 * pair + 1]));
      for (int64_t tile = 0; tile < shape.valueHead / 8; ++tile) {
        Value column = index.add(index.div(thread.group, 2), tile * 4);
        SmallVector<Value> right;
        for (int64_t half : {0, 8})
          right.push_back(twoRows(values, index.add(index.mul(thread.pair, 2), step * kDepth + half), column));
        Fragment part = multiply(left, right, Fragment(ArrayRef(sums).slice(4 * tile, 4)));
        std::copy(part.begin(), part.end(), sums.begin() + 4 * tile);
      }
    }
    return sums;
  }

private:
  static constexpr int64_t kDepth = 16;

  Value constant(int64_t value) { return arith::ConstantIntOp::create(builder, value, 32); }

  /// Two neighbours in memory as one word.
  Value loadPair(Value pointer, Value offset) {
    Value place = LLVM::GEPOp::create(builder, pointer.getType(), builder.getI16Type(), pointer, ValueRange{offset},
                                      LLVM::GEPNoWrapFlags::inbounds);
    return LLVM::LoadOp::create(builder, builder.getI32Type(), place, 4);
  }

  Value bitsOf(Value number) {
    Value stored = narrowFloat(builder, number, shape.element);
    if (stored.getType() != builder.getI16Type())
      stored = arith::BitcastOp::create(builder, builder.getI16Type(), stored);
    return arith::ExtUIOp::create(builder, builder.getI32Type(), stored);
  }
  Value pack(Value low, Value high) {
    return arith::OrIOp::create(builder, bitsOf(low), arith::ShLIOp::create(builder, bitsOf(high), constant(16)));
  }

  /// The column 8 * (column / 4) + group of a row and of the next one: halves of words.
  Value twoRows(Value tile, Value row, Value column) {
    Value isOdd = arith::TruncIOp::create(builder, builder.getI32Type(), index.rem(thread.group, 2));
    Value shift = arith::ShLIOp::create(builder, isOdd, constant(4));
    auto half = [&](Value row) {
      Value word = loadWord(builder, tile, row, column);
      return arith::AndIOp::create(builder, arith::ShRUIOp::create(builder, word, shift), constant(0xffff)).getResult();
    };
    Value low = half(row), high = half(index.add(row, 1));
    return arith::OrIOp::create(builder, low, arith::ShLIOp::create(builder, high, constant(16)));
  }

  SmallVector<Value> asOperands(ArrayRef<Value> words) {
    if (isBrain)
      return SmallVector<Value>(words);
    Type pair = VectorType::get({2}, builder.getF16Type());
    return llvm::map_to_vector(words,
                               [&](Value word) -> Value { return LLVM::BitcastOp::create(builder, pair, word); });
  }

  Fragment multiply(ArrayRef<Value> left, ArrayRef<Value> right, const Fragment &sums) {
    Type f32 = builder.getF32Type();
    auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), {f32, f32, f32, f32});
    NVVM::MMATypes number = isBrain ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    auto product = NVVM::MmaOp::create(builder, type, asOperands(left), asOperands(right), sums, {16, 8, kDepth},
                                       std::nullopt, std::nullopt, std::array{number, number},
                                       std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    Fragment result;
    for (int64_t i = 0; i < 4; ++i)
      result.push_back(LLVM::ExtractValueOp::create(builder, product.getRes(), i));
    return result;
  }

  const rank::AttentionShape &shape;
  ImplicitLocOpBuilder &builder;
  IndexArithmetic &index;
  AttentionThread thread;
  bool isBrain;
  SmallVector<Value> queries; ///< four words for each 16 elements of a row
};

/// Of f32, by multiplying and adding.
class PlainProducts : public AttentionProducts {
public:
  PlainProducts(const rank::AttentionShape &shape, Elements &elements, gpu::GPUFuncOp function,
                const AttentionThread &thread)
      : shape(shape), elements(elements), builder(elements.builder), index(elements.index), thread(thread),
        probabilities(allocateTile(function, kAttentionWarps * kAttentionRowsPerWarp, tileKeys(), wordType())) {}

  int64_t tileKeys() const override { return 32; }
  Type wordType() const override { return builder.getF32Type(); }

  void loadQuery(Value pointer, ArrayRef<Value> offsets) override {
    query = pointer;
    rows.assign(offsets.begin(), offsets.end());
  }

  Fragment scores(Value keys) override {
    Fragment zeros(tileKeys() / 2, scalarConstant(builder, wordType(), 0.0));
    return overDepth(shape.head, zeros, [&](Value depth, Fragment sums) {
      std::array<Value, 2> left;
      for (int i : {0, 1})
        left[i] = elements.load(query, wordType(), index.add(rows[i], depth));
      return outerProduct(left, [&](Value column) { return loadWord(builder, keys, column, depth); }, std::move(sums));
    });
  }

  /// Threads have parts of their rows' probabilities; through shared memory each one sees all.
  Fragment accumulate(const Fragment &fragment, Value values, Fragment sums) override {
    Value first = index.add(index.mul(thread.warp, kAttentionRowsPerWarp), thread.group);
    std::array<Value, 2> places{first, index.add(first, 8)};
    for (size_t k = 0; k < fragment.size(); ++k)
      storeWord(builder, fragment[k], probabilities, places[k / 2 % 2], columnOf(k));
    gpu::BarrierOp::create(builder);
    return overDepth(tileKeys(), std::move(sums), [&](Value key, Fragment sums) {
      std::array<Value, 2> left;
      for (int i : {0, 1})
        left[i] = loadWord(builder, probabilities, places[i], key);
      return outerProduct(left, [&](Value column) { return loadWord(builder, values, key, column); }, std::move(sums));
    });
  }

private:
  Value columnOf(size_t place) { return index.add(index.mul(thread.pair, 2), int64_t(place / 4 * 8 + place % 2)); }

  /// A loop whose body adds the product of a column and a row.
  Fragment overDepth(int64_t depth, Fragment initial, llvm::function_ref<Fragment(Value, Fragment)> body) {
    Value begin = index.constant(0), end = index.constant(depth), step = index.constant(1);
    auto loop = scf::ForOp::create(builder, begin, end, step, initial);
    OpBuilder::InsertionGuard guard(builder);
    Memo::Scope scope(elements.memo);
    builder.setInsertionPointToStart(loop.getBody());
    index.define(loop.getInductionVar(), {0, depth - 1});
    scf::YieldOp::create(builder, body(loop.getInductionVar(), Fragment(loop.getRegionIterArgs())));
    return Fragment(loop.getResults());
  }

  Fragment outerProduct(std::array<Value, 2> left, llvm::function_ref<Value(Value column)> right, Fragment sums) {
    for (size_t tile = 0; tile < sums.size(); tile += 4)
      for (size_t c : {0, 1}) {
        Value factor = right(columnOf(tile + c));
        for (size_t i : {0, 1}) {
          Value &sum = sums[tile + 2 * i + c];
          sum = math::FmaOp::create(builder, left[i], factor, sum);
        }
      }
    return sums;
  }

  const rank::AttentionShape &shape;
  Elements &elements;
  ImplicitLocOpBuilder &builder;
  IndexArithmetic &index;
  AttentionThread thread;
  Value query, probabilities;
  SmallVector<Value> rows;
};

} // namespace

std::unique_ptr<AttentionProducts> AttentionProducts::create(const rank::AttentionShape &shape, Elements &elements,
                                                             gpu::GPUFuncOp function, const AttentionThread &thread) {
  if (shape.element.isF32())
    return std::make_unique<PlainProducts>(shape, elements, function, thread);
  return std::make_unique<TensorCoreProducts>(shape, elements, thread);
}

} // namespace froe
