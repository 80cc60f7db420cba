#include "runtime/cpu/Elements.h"
#include "runtime/cpu/Epilogue.h"
#include "runtime/cpu/MatmulBackend.h"
#include "runtime/cpu/OneDnnKernel.h"

#include <algorithm>
#include <optional>

namespace froe::cpu {
namespace {

/// A part of a product, as a product of its own, and where it starts in each operand (in elements; of the weight too).
struct Slice {
  Product product;
  PanelLayout layout;
  int64_t a = 0, b = 0, c = 0, m = 0, n = 0, firstBatch = 0;
  std::vector<int64_t> posts;
};

enum class Cut { Batch, Rows, Columns };

struct Cutting {
  Cut cut = Cut::Rows;
  int64_t pieces = 1;
};

/// By rows every thread reads all of b, by columns all of a: the smaller one should be read by all.
Cutting chooseCut(const Product &product, int64_t threads) {
  int64_t rows = product.m / 8, columns = product.n / 64;
  int64_t batch = product.batch.empty() ? 1 : product.batch[0];
  if (threads == 1)
    return {};
  if (batch % threads == 0 || batch >= 4 * threads)
    return {Cut::Batch, threads};
  if (columns >= threads && product.n >= product.m)
    return {Cut::Columns, threads};
  if (rows >= threads)
    return {Cut::Rows, threads};
  if (columns >= threads)
    return {Cut::Columns, threads};
  std::pair<int64_t, Cut> most = std::max({std::pair(batch, Cut::Batch), {rows, Cut::Rows}, {columns, Cut::Columns}},
                                          [](auto x, auto y) { return x.first < y.first; });
  return {most.second, std::clamp<int64_t>(most.first, 1, threads)};
}

Slice sliceBatch(Slice slice, Range range) {
  Product &product = slice.product;
  slice.a += range.begin * product.a.batch[0];
  slice.b += range.begin * product.b.batch[0] * (product.weight ? int64_t(slice.layout.bytes(1, 1)) : 1);
  slice.c += range.begin * product.c.batch[0];
  for (size_t i = 0; i < product.posts.size(); ++i)
    slice.posts[i] += range.begin * product.posts[i].strides.batch[0];
  int64_t inner = product.batchSize() / product.batch[0];
  slice.firstBatch += range.begin * inner;
  product.batch[0] = range.end - range.begin;
  return slice;
}

Slice sliceRows(Slice slice, Range range) {
  Product &product = slice.product;
  slice.a += range.begin * product.a.m;
  slice.c += range.begin * product.c.m;
  for (size_t i = 0; i < product.posts.size(); ++i)
    slice.posts[i] += range.begin * product.posts[i].strides.m;
  slice.m += range.begin;
  product.m = range.end - range.begin;
  return slice;
}

/// A packed weight is cut between panels.
Slice sliceColumns(Slice slice, Range range) {
  Product &product = slice.product;
  slice.b += product.weight ? slice.layout.place(0, range.begin) : range.begin * product.b.n;
  slice.c += range.begin * product.c.n;
  for (size_t i = 0; i < product.posts.size(); ++i)
    slice.posts[i] += range.begin * product.posts[i].strides.n;
  slice.n += range.begin;
  product.n = range.end - range.begin;
  return slice;
}

/// Blocks of rows whose part of c stays in the second-level cache for the posts that follow the kernel.
std::vector<Slice> cutIntoCachedRows(const Slice &slice) {
  int64_t rows = std::max<int64_t>((1 << 18) / slice.product.n / 8 * 8, 64);
  int64_t blocks = slice.product.batch.empty() ? (slice.product.m + rows - 1) / rows : 1;
  std::vector<Slice> slices;
  for (int64_t i = 0; i < blocks; ++i)
    slices.push_back(sliceRows(slice, partOf(slice.product.m, 8, blocks, i)));
  return slices;
}

std::vector<Slice> cutInto(const Product &product, const PanelLayout &layout, Cutting cutting) {
  Slice whole{.product = product, .layout = layout, .posts = std::vector<int64_t>(product.posts.size(), 0)};
  std::vector<Slice> slices;
  for (int64_t i = 0; i < cutting.pieces && cutting.pieces > 1; ++i) {
    if (cutting.cut == Cut::Batch)
      slices.push_back(sliceBatch(whole, partOf(product.batch[0], 1, cutting.pieces, i)));
    else if (cutting.cut == Cut::Rows)
      slices.push_back(sliceRows(whole, partOf(product.m, 8, cutting.pieces, i)));
    else
      slices.push_back(sliceColumns(whole, partOf(product.n, std::max<int64_t>(layout.panel, 64), cutting.pieces, i)));
  }
  if (slices.empty())
    slices.push_back(whole);
  return slices;
}

/// The same product for one batch element.
Product matrixOf(Product product) {
  product.batch.clear();
  for (Strides *strides : {&product.a, &product.b, &product.c})
    strides->batch.clear();
  for (Post &post : product.posts)
    post.strides.batch.clear();
  return product;
}

/// One call for all batch elements, or one for each, and how many posts the kernel does itself. Sums of halves go
/// through working memory where posts follow, so that these see f32, or where c has no dense rows, as kernels for
/// halves want it.
struct Plan {
  bool each = false;
  size_t fused = 0;
  bool throughSums = false;
};

/// The product as the kernel does it.
Product kernelProduct(const Product &product, Plan plan) {
  Product done = plan.each ? matrixOf(product) : product;
  if (plan.throughSums) {
    done.resultType = FROE_F32;
    done.c.m = done.n, done.c.n = 1;
  }
  return done;
}

class Planner {
public:
  Planner(const Slice &slice, bool onlyFast) : slice(slice), onlyFast(onlyFast) {}

  /// The most fused; with posts that need it, one call for each batch element, unless calls would cost more than they
  /// save.
  std::optional<Plan> plan() const {
    size_t posts = slice.product.posts.size();
    bool batched = !slice.product.batch.empty(), large = matrixOf(slice.product).flops() >= 5e5;
    bool mayCallEach = batched && large, isHalf = slice.product.type != FROE_F32;
    if (!isHalf || posts == 0) {
      if (works({false, posts}))
        return Plan{false, posts};
      if (mayCallEach && works({true, posts}))
        return Plan{true, posts};
    }
    // Not some posts here and some there: bits would depend on the number of threads.
    Plan throughSums{batched, 0, true};
    if (isHalf)
      return (!batched || large) && works(throughSums) ? std::optional(throughSums) : std::nullopt;
    for (size_t fused = posts; fused-- > 0 && !mayBeResult(slice.product.posts[fused]);)
      for (bool each : {false, true})
        if ((!each || mayCallEach) && works({each, fused}))
          return Plan{each, fused};
    return std::nullopt;
  }

private:
  bool works(Plan plan) const {
    Product product = kernelProduct(slice.product, plan);
    for (size_t i = 0; i < plan.fused; ++i)
      if (!fuses(product, product.posts[i]))
        return false;
    OneDnnKernel kernel(product, rightDesc(product, slice.layout), plan.fused);
    if (kernel.isFast())
      return true;
    // Others apply the posts to c after they have written it.
    bool separate = std::all_of(product.posts.begin(), product.posts.begin() + int64_t(plan.fused),
                                [&](const Post &post) { return !mayBeResult(post); });
    return !onlyFast && separate && kernel.isOptimized();
  }

  /// Then it is gone once the kernel has written c.
  bool mayBeResult(const Post &post) const {
    return post.buffer >= 0 && post.strides.m == slice.product.c.m && post.strides.n == slice.product.c.n;
  }

  const Slice &slice;
  bool onlyFast;
};

constexpr int kWorkingMemory = -1, kSums = -2;

/// One argument of a primitive: a memory object whose pointer is set before each execution.
struct Argument {
  int buffer; /* or one of the following */
  int64_t offset;
  int64_t elementBytes;
  Strides strides;
  int64_t strideUnit = 1;
};

/// A slice with its primitive.
class Piece {
public:
  Piece(Slice whole, Plan plan) : slice(std::move(whole)), plan(plan) {
    const OneDnn &dnn = *oneDnn();
    Product product = kernelProduct(slice.product, plan);
    OneDnnKernel kernel(product, rightDesc(product, slice.layout), plan.fused);
    dnn.primitiveCreate(&primitive, kernel.get());
    workBytes = (kernel.scratchBytes() + 63) / 64 * 64;
    const Product &p = slice.product;
    int64_t matrix = p.weight ? int64_t(slice.layout.bytes(1, 1)) : 1;
    int64_t bytes = bytesOf(p.type), resultBytes = bytesOf(p.resultType);
    add(DNNL_ARG_SRC, kernel.desc(dnnl_query_src_md), {p.aBuffer, slice.a, bytes, p.a});
    // Of the weight only the address: an object with the real layout would write zeros into the layout's padding.
    add(DNNL_ARG_WEIGHTS, addressDesc(), {p.bBuffer, slice.b, bytes, p.b, matrix});
    Argument result{2, slice.c, resultBytes, p.c};
    add(DNNL_ARG_DST, kernel.desc(dnnl_query_dst_md), plan.throughSums ? Argument{kSums, 0, 1, {}} : result);
    for (size_t i = 0; i < plan.fused; ++i)
      if (p.posts[i].buffer >= 0)
        add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(int(i)) | DNNL_ARG_SRC_1, addressDesc(),
            {p.posts[i].buffer, slice.posts[i], resultBytes, p.posts[i].strides});
    if (workBytes)
      add(DNNL_ARG_SCRATCHPAD, kernel.desc(dnnl_query_scratchpad_md), {kWorkingMemory, 0, 1, {}});
  }
  ~Piece() {
    for (dnnl_exec_arg_t &argument : executed)
      oneDnn()->memoryDestroy(argument.memory);
    oneDnn()->primitiveDestroy(primitive);
  }
  Piece(const Piece &) = delete;

  void run(void *const *buffers) {
    for (int64_t batch = 0, count = plan.each ? slice.product.batchSize() : 1; batch < count; ++batch)
      runBatch(batch, buffers);
  }

  void runBatch(int64_t batch, void *const *buffers) {
    const OneDnn &dnn = *oneDnn();
    for (size_t i = 0; i < arguments.size(); ++i)
      dnn.memorySetDataHandle(executed[i].memory, placeOf(arguments[i], batch, buffers));
    dnn.primitiveExecute(primitive, dnn.stream, int(executed.size()), executed.data());
  }

  uint64_t scratchBytes() const {
    return workBytes + (plan.throughSums ? uint64_t(slice.product.m * slice.product.n) * sizeof(float) : 0);
  }
  /// Of a plan that needs them, in this thread's memory.
  float *sums() const {
    return reinterpret_cast<float *>(static_cast<char *>(threadScratch(scratchBytes())) + workBytes);
  }

  Slice slice;
  Plan plan;

private:
  static dnnl_memory_desc_t addressDesc() {
    dnnl_memory_desc_t desc;
    dnnl_dims_t one = {1};
    oneDnn()->descByTag(&desc, 1, one, dnnl_u8, dnnl_a);
    return desc;
  }

  void add(int id, const dnnl_memory_desc_t &desc, Argument argument) {
    dnnl_memory_t memory;
    oneDnn()->memoryCreate(&memory, &desc, oneDnn()->engine, nullptr);
    executed.push_back({id, memory});
    arguments.push_back(std::move(argument));
  }

  void *placeOf(const Argument &argument, int64_t batch, void *const *buffers) const {
    if (argument.buffer == kSums)
      return sums();
    if (argument.buffer == kWorkingMemory)
      return threadScratch(scratchBytes());
    int64_t offset = argument.offset;
    if (plan.each)
      offset += batchOffset(slice.product, argument.strides, batch) * argument.strideUnit;
    return static_cast<char *>(buffers[argument.buffer]) + offset * argument.elementBytes;
  }

  uint64_t workBytes = 0;
  dnnl_primitive_t primitive = nullptr;
  std::vector<dnnl_exec_arg_t> executed;
  std::vector<Argument> arguments;
};

/// What one thread does, one after the other.
using Parts = std::vector<std::unique_ptr<Piece>>;

class OneDnnMatmul final : public MatmulBackend {
public:
  OneDnnMatmul(const Product &product, Epilogue rest, std::vector<Parts> parts)
      : product(product), rest(std::move(rest)), parts(std::move(parts)) {}

  const char *name() const override { return "onednn"; }
  int64_t pieces() const override { return int64_t(parts.size()); }
  uint64_t scratchBytes() const override {
    uint64_t most = 0;
    for (const Parts &piece : parts)
      for (const auto &part : piece)
        most = std::max(most, part->scratchBytes());
    return most;
  }

  void run(int64_t piece, void *const *buffers) override {
    for (const auto &part : parts[size_t(piece)]) {
      if (part->plan.throughSums) {
        runThroughSums(*part, buffers);
        continue;
      }
      part->run(buffers);
      if (part->plan.fused < product.posts.size())
        finish(part->slice, buffers);
    }
  }

private:
  void runThroughSums(Piece &part, void *const *buffers) const {
    const Slice &slice = part.slice;
    for (int64_t batch = 0, count = slice.product.batchSize(); batch < count; ++batch) {
      part.runBatch(batch, buffers);
      rest.finish(
          {slice.firstBatch + batch, slice.m, slice.product.m, slice.n, slice.product.n, part.sums(), slice.product.n},
          buffers);
    }
  }

  /// The posts that the kernel could not do, in place.
  void finish(const Slice &slice, void *const *buffers) const {
    for (int64_t i = 0, count = slice.product.batchSize(); i < count; ++i) {
      int64_t batch = slice.firstBatch + i;
      int64_t c = batchOffset(product, product.c, batch) + slice.m * product.c.m + slice.n;
      rest.finish({batch, slice.m, slice.product.m, slice.n, slice.product.n, static_cast<float *>(buffers[2]) + c,
                   product.c.m},
                  buffers);
    }
  }

  Product product;
  Epilogue rest;
  std::vector<Parts> parts;
};

/// What oneDNN's descriptors can say: no broadcast inside a matrix, rows of c dense.
bool describable(const Product &product) {
  bool empty = product.batchSize() * product.m * product.n * product.k == 0;
  bool left = (product.a.m || product.m == 1) && (product.a.n || product.k == 1);
  bool right = product.weight || ((product.b.m || product.k == 1) && (product.b.n || product.n == 1));
  bool result = product.c.n == 1 || product.n == 1;
  return !empty && left && right && result && product.batch.size() <= FROE_MAX_BATCH && oneDnnHasType(product.type);
}

/// What is to be done, slice by slice; every kernel does as many of the posts.
std::expected<std::vector<std::pair<Slice, Plan>>, std::string>
planSlices(const Product &product, const PanelLayout &layout, int threads, bool onlyFast) {
  if (!oneDnn())
    return std::unexpected("oneDNN (libdnnl.so.2) is not installed");
  if (!describable(product))
    return std::unexpected("oneDNN cannot describe this matrix product");
  std::vector<std::pair<Slice, Plan>> planned;
  for (Slice &slice : cutInto(product, layout, chooseCut(product, threads))) {
    std::optional<Plan> plan = Planner(slice, onlyFast).plan();
    if (!plan || (!planned.empty() && plan->fused != planned[0].second.fused))
      return std::unexpected("oneDNN has no fast kernel for this matrix product");
    planned.emplace_back(std::move(slice), *plan);
  }
  return planned;
}

} // namespace

bool oneDnnIsFast(const Product &product, const PanelLayout &layout) {
  auto planned = planSlices(product, layout, 1, true);
  return planned && Epilogue::prepare(product, planned->front().second.fused);
}

BackendOr prepareOneDnn(const Product &product, const PanelLayout &layout, int threads, bool onlyFast) {
  auto planned = planSlices(product, layout, threads, onlyFast);
  if (!planned)
    return std::unexpected(planned.error());
  std::vector<Parts> pieces;
  for (auto &[slice, plan] : *planned) {
    bool followed = plan.throughSums || plan.fused < product.posts.size();
    Parts &parts = pieces.emplace_back();
    for (Slice &block : followed ? cutIntoCachedRows(slice) : std::vector<Slice>{slice})
      parts.push_back(std::make_unique<Piece>(std::move(block), plan));
  }
  auto rest = Epilogue::prepare(product, planned->front().second.fused);
  if (!rest)
    return std::unexpected(rest.error());
  return std::make_unique<OneDnnMatmul>(product, std::move(*rest), std::move(pieces));
}

std::string oneDnnPacking(const Product &product) {
  if (!oneDnn() || !describable(product))
    return "plain";
  OneDnnKernel kernel(product, anyRightDesc(product), 0);
  if (!kernel.isFast())
    return "plain";
  for (const char *tag :
       {"panel64", "panel64x2", "panel48", "panel48x2", "panel32", "panel32x2", "panel16", "panel16x2"}) {
    dnnl_memory_desc_t desc = rightDesc(product, *panelLayout(tag, product.k, product.n));
    if (oneDnn()->descEqual(&desc, &kernel.desc(dnnl_query_weights_md)))
      return tag;
  }
  return "plain";
}

} // namespace froe::cpu
