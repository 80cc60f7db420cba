#include "lib/Conversion/KernelsToGpu/Attention.h"

#include "lib/Conversion/FroeToElements/Lower.h"
#include "lib/Conversion/KernelsToGpu/AttentionTile.h"
#include "lib/Conversion/KernelsToGpu/LaunchShape.h"
#include "lib/Conversion/KernelsToGpu/Share.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace froe {
namespace {

using rank::AttentionDim;
using rank::AttentionShape;

constexpr int64_t kBlock = kAttentionWarps * kWarp, kBlockRows = kAttentionWarps * kAttentionRowsPerWarp;
constexpr int64_t kWordBytes = 4, kWordsPerAccess = 4;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

class AttentionKernel {
public:
  AttentionKernel(const rank::Attention &attention, func::FuncOp kernel, gpu::GPUFuncOp function)
      : attention(attention), shape(*AttentionShape::of(attention)), kernel(kernel), function(function),
        builder(kernel.getLoc(), function.getContext()), elements(builder, &function.getBody().front()),
        index(elements.index), f32(builder.getF32Type()) {
    elements.bufferAlignment = 16;
    builder.setInsertionPointToEnd(&function.getBody().front());
  }

  void emit() {
    setLaunch();
    placeThread();
    products = AttentionProducts::create(shape, elements, function, thread);
    int64_t pitch = std::max(shape.head, shape.valueHead) / wordElements() + kWordsPerAccess; // against bank conflicts
    keyTile = allocateTile(function, products->tileKeys(), pitch, products->wordType());
    valueTile = allocateTile(function, products->tileKeys(), pitch, products->wordType());
    products->loadQuery(pointerOf(shape.query), rowOffsets(&AttentionDim::query));
    Fragment state = overTiles();
    storeResult(state);
    gpu::ReturnOp::create(builder);
  }

private:
  /// The state that goes from tile to tile: of both rows the largest score and the sum of exponentials, then the
  /// result.
  enum { kLargest = 0, kSum = 2, kResult = 4 };

  Value constant(double value) { return scalarConstant(builder, f32, value); }
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  int64_t wordElements() const { return kWordBytes * 8 / shape.element.getIntOrFloatBitWidth(); }

  void setLaunch() {
    rowBlocks = ceilDiv(shape.rowCount(), kBlockRows);
    function.setKnownBlockSize(ArrayRef<int32_t>{int32_t(kBlock), 1, 1});
    function.setKnownGridSize(ArrayRef<int32_t>{int32_t(shape.batchCount() * rowBlocks), 1, 1});
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), builder.getI32IntegerAttr(2)); // 255 registers a thread
  }

  Value numbered(Value number, int64_t count) {
    Value i64 = arith::IndexCastUIOp::create(builder, builder.getI64Type(), number);
    index.define(i64, {0, count - 1});
    return i64;
  }

  void placeThread() {
    thread.thread = numbered(gpu::ThreadIdOp::create(builder, gpu::Dimension::x), kBlock);
    Value block = numbered(gpu::BlockIdOp::create(builder, gpu::Dimension::x), shape.batchCount() * rowBlocks);
    Value lane = index.rem(thread.thread, kWarp);
    thread.warp = index.div(thread.thread, kWarp);
    thread.group = index.div(lane, 4);
    thread.pair = index.rem(lane, 4);
    batch = index.delinear(index.div(block, rowBlocks), sizesOf(shape.batch));
    Value first = index.add(
        index.add(index.mul(index.rem(block, rowBlocks), kBlockRows), index.mul(thread.warp, kAttentionRowsPerWarp)),
        thread.group);
    for (int64_t distance : {0, 8})
      addRow(index.add(first, distance));
  }

  /// Threads without a row of their own compute the last one again.
  void addRow(Value row) {
    int64_t count = shape.rowCount();
    Value exists;
    if (index.interval(row).high >= count) {
      exists = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, row, index.constant(count));
      row = arith::MinSIOp::create(builder, row, index.constant(count - 1));
      index.define(row, {0, count - 1});
    }
    rowExists.push_back(exists);
    rows.push_back(index.delinear(row, sizesOf(shape.rows)));
  }

  static SmallVector<int64_t> sizesOf(ArrayRef<AttentionDim> dims) {
    return llvm::map_to_vector(dims, [](const AttentionDim &dim) { return dim.size; });
  }

  Value pointerOf(Value operand) { return function.getArgument(cast<BlockArgument>(operand).getArgNumber()); }

  using StrideOf = llvm::function_ref<int64_t(const AttentionDim &)>;
  Value offsetOf(ArrayRef<AttentionDim> dims, ArrayRef<Value> indices, StrideOf strideOf) {
    Value offset = index.constant(0);
    for (auto [dim, i] : llvm::zip_equal(dims, indices))
      offset = index.add(offset, index.mul(i, strideOf(dim)));
    return offset;
  }
  SmallVector<Value> rowOffsets(StrideOf strideOf) {
    Value base = offsetOf(shape.batch, batch, strideOf);
    return llvm::map_to_vector(
        rows, [&](const SmallVector<Value> &row) { return index.add(base, offsetOf(shape.rows, row, strideOf)); });
  }
  SmallVector<Value> rowOffsets(int64_t AttentionDim::*stride) {
    return rowOffsets([&](const AttentionDim &dim) { return dim.*stride; });
  }

  Fragment overTiles() {
    int64_t keys = shape.keys.size, tile = products->tileKeys();
    Fragment initial{constant(kNothing), constant(kNothing), constant(0), constant(0)};
    initial.append(shape.valueHead / 2, constant(0));
    Value begin = index.constant(0), end = index.constant(keys), step = index.constant(tile);
    auto loop = scf::ForOp::create(builder, begin, end, step, initial);
    OpBuilder::InsertionGuard guard(builder);
    Memo::Scope scope(elements.memo);
    builder.setInsertionPointToStart(loop.getBody());
    firstKey = loop.getInductionVar();
    index.define(firstKey, {0, (ceilDiv(keys, tile) - 1) * tile});
    scf::YieldOp::create(builder, visitTile(Fragment(loop.getRegionIterArgs())));
    return Fragment(loop.getResults());
  }

  Fragment visitTile(Fragment state) {
    gpu::BarrierOp::create(builder); // nobody reads the tile before
    loadTile(shape.key, &AttentionDim::key, shape.head, keyTile);
    loadTile(shape.value, &AttentionDim::value, shape.valueHead, valueTile);
    gpu::BarrierOp::create(builder);
    Fragment scores = applyPosts(products->scores(keyTile));
    for (int row : {0, 1})
      exponentiate(scores, state, row);
    Fragment sums = products->accumulate(scores, valueTile, Fragment(ArrayRef(state).drop_front(kResult)));
    std::copy(sums.begin(), sums.end(), state.begin() + kResult);
    return state;
  }

  bool hasRest() const { return shape.keys.size % products->tileKeys() != 0; }
  Value isKey(Value key) {
    return arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, key, index.constant(shape.keys.size));
  }
  Value clamped(Value key) {
    if (!hasRest())
      return key;
    Value inside = arith::MinSIOp::create(builder, key, index.constant(shape.keys.size - 1));
    index.define(inside, {0, shape.keys.size - 1});
    return inside;
  }

  /// 16 bytes at a time; what is behind the last key is zero.
  void loadTile(Value operand, int64_t AttentionDim::*stride, int64_t rowElements, Value tile) {
    int64_t accesses = rowElements / wordElements() / kWordsPerAccess, count = products->tileKeys() * accesses;
    Value base = offsetOf(shape.batch, batch, [&](const AttentionDim &dim) { return dim.*stride; });
    for (int64_t turn = 0; turn < ceilDiv(count, kBlock); ++turn) {
      Memo::Scope scope(elements.memo);
      Value number = index.add(thread.thread, turn * kBlock);
      Value isInTile;
      if ((turn + 1) * kBlock > count)
        isInTile = arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, number, index.constant(count));
      when(elements, isInTile, [&] {
        Value row = index.div(number, accesses), column = index.mul(index.rem(number, accesses), kWordsPerAccess);
        Value key = index.add(firstKey, row);
        Value offset =
            index.add(index.add(base, index.mul(clamped(key), shape.keys.*stride)), index.mul(column, wordElements()));
        SmallVector<Value> words;
        for (int64_t word = 0; word < kWordsPerAccess; ++word)
          words.push_back(loadGlobal(pointerOf(operand), offset, word));
        for (auto [i, word] : llvm::enumerate(words))
          storeWord(builder, hasRest() ? orZero(word, isKey(key)) : word, tile, row, index.add(column, int64_t(i)));
      });
    }
  }

  Value orZero(Value word, Value condition) {
    Value zero = arith::ConstantOp::create(builder, builder.getZeroAttr(word.getType()));
    return arith::SelectOp::create(builder, condition, word, zero);
  }

  /// Word `word` of the 16 bytes at `offset`.
  Value loadGlobal(Value pointer, Value offset, int64_t word) {
    constexpr unsigned alignments[] = {16, 4, 8, 4};
    Value place =
        LLVM::GEPOp::create(builder, pointer.getType(), memoryType(shape.element), pointer,
                            ValueRange{index.add(offset, word * wordElements())}, LLVM::GEPNoWrapFlags::inbounds);
    return LLVM::LoadOp::create(builder, products->wordType(), place, alignments[word]);
  }

  Fragment applyPosts(Fragment scores) {
    SmallVector<SmallVector<Value>> offsets;
    for (size_t post = 0; post < shape.postOperands.size(); ++post)
      offsets.push_back(rowOffsets([&](const AttentionDim &dim) { return dim.posts[post]; }));
    for (auto [place, score] : llvm::enumerate(scores)) {
      Value key = index.add(index.add(firstKey, index.mul(thread.pair, 2)), int64_t(place / 4 * 8 + place % 2));
      size_t next = 0;
      for (rank::PostAttr post : shape.posts)
        score = applyPost(post, score, [&] {
          size_t operand = next++;
          Value offset = index.add(offsets[operand][place / 2 % 2], index.mul(clamped(key), shape.keys.posts[operand]));
          return elements.load(pointerOf(shape.postOperands[operand]), elementTypeOf(shape.postOperands[operand]),
                               offset);
        });
      if (hasRest())
        score = arith::SelectOp::create(builder, isKey(key), score, constant(kNothing));
    }
    return scores;
  }

  Value applyPost(rank::PostAttr post, Value score, llvm::function_ref<Value()> operand) {
    if (post.getKind() == rank::PostKind::Scale)
      return arith::MulFOp::create(builder, score, constant(post.getValue().getValueAsDouble()));
    Value other = operand();
    if (post.getKind() == rank::PostKind::Add)
      return arith::AddFOp::create(builder, score, other);
    return arith::MulFOp::create(builder, score, other);
  }

  /// Scores of a row become exponentials of their distance to the largest score so far; what was summed up before is
  /// scaled to it. A NaN is left to the sum: maxnum does not see it.
  void exponentiate(Fragment &scores, Fragment &state, int row) {
    auto isOfRow = [&](size_t place) { return int(place / 2 % 2) == row; };
    Value largest;
    for (auto [place, score] : llvm::enumerate(scores))
      if (isOfRow(place))
        largest = largest ? arith::MaxNumFOp::create(builder, largest, score).getResult() : score;
    largest = arith::MaxNumFOp::create(builder, state[kLargest + row], overPairs(largest, [&](Value a, Value b) {
                                         return arith::MaxNumFOp::create(builder, a, b).getResult();
                                       }));
    Value none = arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, largest, constant(kNothing));
    Value base = arith::SelectOp::create(builder, none, constant(0), largest);
    auto exponential = [&](Value score) -> Value {
      return math::ExpOp::create(builder, arith::SubFOp::create(builder, score, base));
    };
    Value scale = exponential(state[kLargest + row]), sum = constant(0);
    for (auto [place, score] : llvm::enumerate(scores))
      if (isOfRow(place)) {
        score = exponential(score);
        sum = arith::AddFOp::create(builder, sum, score);
      }
    auto scaled = [&](Value value) -> Value { return arith::MulFOp::create(builder, value, scale); };
    state[kLargest + row] = largest;
    state[kSum + row] = arith::AddFOp::create(builder, scaled(state[kSum + row]), sum);
    for (size_t place = 0; place + kResult < state.size(); ++place)
      if (isOfRow(place))
        state[kResult + place] = scaled(state[kResult + place]);
  }

  /// Over the four threads that share a row.
  Value overPairs(Value value, llvm::function_ref<Value(Value, Value)> combine) {
    for (int64_t distance : {1, 2}) {
      Value offset = arith::ConstantIntOp::create(builder, distance, 32);
      Value width = arith::ConstantIntOp::create(builder, kWarp, 32);
      Value other = gpu::ShuffleOp::create(builder, value, offset, width, gpu::ShuffleMode::XOR).getShuffleResult();
      value = combine(value, other);
    }
    return value;
  }

  void storeResult(const Fragment &state) {
    SmallVector<Value> offsets = rowOffsets(&AttentionDim::result);
    Value pointer = function.getArgument(kernel.getNumArguments());
    for (int row : {0, 1}) {
      Value sum = overPairs(state[kSum + row],
                            [&](Value a, Value b) { return arith::AddFOp::create(builder, a, b).getResult(); });
      when(elements, rowExists[row], [&] {
        for (int64_t place = 0; place < shape.valueHead / 2; ++place)
          if (place / 2 % 2 == row)
            elements.store(quotient(state[kResult + place], sum), pointer, shape.element,
                           index.add(index.add(offsets[row], index.mul(thread.pair, 2)), place / 4 * 8 + place % 2));
      });
    }
  }

  /// Rows without keys have the sum 0, rows with a NaN or an infinite score NaN.
  Value quotient(Value value, Value sum) {
    Value result = arith::DivFOp::create(builder, value, sum);
    if (!attention.probabilities.select)
      return result;
    Value isEmpty = arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, sum, constant(0));
    Value isNan = arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, sum, sum);
    result = arith::SelectOp::create(builder, isEmpty, value, result);
    return arith::SelectOp::create(builder, isNan, constant(0), result);
  }

  rank::Attention attention;
  AttentionShape shape;
  func::FuncOp kernel;
  gpu::GPUFuncOp function;
  ImplicitLocOpBuilder builder;
  Elements elements;
  IndexArithmetic &index;
  Type f32;
  int64_t rowBlocks = 0;
  AttentionThread thread;
  SmallVector<Value> batch;             ///< indices of the block's batch
  SmallVector<SmallVector<Value>> rows; ///< of the thread's two rows
  SmallVector<Value> rowExists;         ///< null: always
  std::unique_ptr<AttentionProducts> products;
  Value keyTile, valueTile, firstKey;
};

} // namespace

std::optional<rank::Attention> attentionOf(func::FuncOp kernel) {
  auto end = cast<func::ReturnOp>(kernel.getBody().front().getTerminator());
  auto values = end.getNumOperands() == 1 ? end.getOperand(0).getDefiningOp<rank::MatmulOp>() : rank::MatmulOp();
  return values ? rank::Attention::endingIn(values) : std::nullopt;
}

void emitAttention(const rank::Attention &attention, func::FuncOp kernel, gpu::GPUFuncOp function) {
  AttentionKernel(attention, kernel, function).emit();
}

} // namespace froe
