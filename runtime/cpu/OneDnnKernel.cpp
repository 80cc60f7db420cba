#include "runtime/cpu/OneDnnKernel.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace froe::cpu {
namespace {

std::optional<dnnl_data_type_t> dataType(froe_type type) {
  switch (type) {
  case FROE_F32:
    return dnnl_f32;
  case FROE_BF16:
    return dnnl_bf16;
  case FROE_F16:
    return dnnl_f16;
  default:
    return std::nullopt;
  }
}

/// Strided, with dims that the operand lacks given as size 1.
dnnl_memory_desc_t plainDesc(const Product &product, froe_type type, const Strides &strides, int64_t rows,
                             int64_t columns) {
  dnnl_dims_t dims, steps;
  int rank = int(product.batch.size());
  for (int dim = 0; dim < rank; ++dim) {
    dims[dim] = strides.batch[dim] ? product.batch[dim] : 1;
    steps[dim] = strides.batch[dim];
  }
  dims[rank] = rows;
  dims[rank + 1] = columns;
  steps[rank] = strides.m;
  steps[rank + 1] = strides.n;
  // The stride of a dim of size 1 means nothing, but oneDNN compares strides to recognise layouts: make it the dense
  // one.
  int64_t extent = 1;
  for (int dim = rank + 1; dim >= 0; --dim) {
    if (dims[dim] == 1)
      steps[dim] = extent;
    extent = std::max(extent, steps[dim] * dims[dim]);
  }
  dnnl_memory_desc_t desc;
  oneDnn()->descByStrides(&desc, rank + 2, dims, *dataType(type), steps);
  return desc;
}

/// The layout of PackedWeights.h in oneDNN's words: BA16a<P>b or BA16a<P>b2a, and the same behind batch dims.
dnnl_memory_desc_t panelDesc(const Product &product, const PanelLayout &layout) {
  dnnl_memory_desc_t desc;
  std::memset(&desc, 0, sizeof desc);
  int rank = int(product.batch.size()), k = rank, n = rank + 1;
  desc.ndims = rank + 2;
  desc.data_type = *dataType(product.type);
  desc.format_kind = dnnl_blocked;
  auto &blocking = desc.format_desc.blocking;
  for (int dim = 0; dim < rank; ++dim) {
    desc.dims[dim] = desc.padded_dims[dim] = product.b.batch[dim] ? product.batch[dim] : 1;
    blocking.strides[dim] = std::max<int64_t>(product.b.batch[dim], 1) * int64_t(layout.bytes(1, 1));
  }
  desc.dims[k] = product.k;
  desc.padded_dims[k] = layout.paddedK();
  desc.dims[n] = product.n;
  desc.padded_dims[n] = (product.n + layout.panel - 1) / layout.panel * layout.panel; // of a part, not of the whole
  blocking.strides[k] = (layout.pairs ? 32 : 16) * layout.panel;
  blocking.strides[n] = layout.panelElements();
  blocking.inner_nblks = layout.pairs ? 3 : 2;
  const int64_t sizes[] = {16, layout.panel, 2}, dims[] = {k, n, k};
  std::copy_n(sizes, blocking.inner_nblks, blocking.inner_blks);
  std::copy_n(dims, blocking.inner_nblks, blocking.inner_idxs);
  return desc;
}

dnnl_alg_kind_t algorithm(froe_post_kind kind) {
  switch (kind) {
  case FROE_POST_SCALE:
    return dnnl_eltwise_linear;
  case FROE_POST_ADD:
    return dnnl_binary_add;
  case FROE_POST_MUL:
    return dnnl_binary_mul;
  case FROE_POST_RELU:
    return dnnl_eltwise_relu;
  case FROE_POST_GELU_ERF:
    return dnnl_eltwise_gelu_erf;
  case FROE_POST_GELU_TANH:
    return dnnl_eltwise_gelu_tanh;
  case FROE_POST_SILU:
    return dnnl_eltwise_swish;
  case FROE_POST_TANH:
    return dnnl_eltwise_tanh;
  case FROE_POST_SIGMOID:
    return dnnl_eltwise_logistic;
  }
  __builtin_unreachable();
}

/// Attributes: working memory is ours, the first `fused` posts are done by the kernel.
class Attributes {
public:
  Attributes(const Product &product, size_t fused) {
    const OneDnn &dnn = *oneDnn();
    dnn.attrCreate(&attributes);
    dnn.attrSetScratchpadMode(attributes, dnnl_scratchpad_mode_user);
    dnnl_post_ops_t posts;
    dnn.postOpsCreate(&posts);
    for (size_t i = 0; i < fused; ++i)
      append(posts, product, product.posts[i]);
    dnn.attrSetPostOps(attributes, posts);
    dnn.postOpsDestroy(posts);
  }
  ~Attributes() { oneDnn()->attrDestroy(attributes); }
  Attributes(const Attributes &) = delete;

  dnnl_primitive_attr_t attributes;

private:
  static void append(dnnl_post_ops_t posts, const Product &product, const Post &post) {
    if (post.buffer < 0) { // swish is x * sigmoid(alpha x), linear alpha x + beta, relu's alpha its slope below zero
      float alpha = post.kind == FROE_POST_SCALE ? post.value : post.kind == FROE_POST_SILU ? 1.0f : 0.0f;
      oneDnn()->postOpsAppendEltwise(posts, 1.0f, algorithm(post.kind), alpha, 0.0f);
      return;
    }
    dnnl_memory_desc_t desc = plainDesc(product, product.resultType, post.strides, post.strides.m ? product.m : 1,
                                        post.strides.n ? product.n : 1);
    oneDnn()->postOpsAppendBinary(posts, algorithm(post.kind), &desc);
  }
};

} // namespace

bool oneDnnHasType(froe_type type) { return dataType(type).has_value(); }

dnnl_memory_desc_t rightDesc(const Product &product, const PanelLayout &layout) {
  if (!product.weight)
    return plainDesc(product, product.type, product.b, product.k, product.n);
  if (layout.panel)
    return panelDesc(product, layout);
  Strides dense{product.b.batch, layout.n, 1};
  for (int64_t &stride : dense.batch)
    stride *= layout.n * layout.k;
  return plainDesc(product, product.type, dense, product.k, product.n);
}

dnnl_memory_desc_t anyRightDesc(const Product &product) {
  dnnl_memory_desc_t desc = rightDesc(product, {.k = product.k, .n = product.n});
  oneDnn()->descByTag(&desc, desc.ndims, desc.dims, desc.data_type, dnnl_format_tag_any);
  return desc;
}

bool fuses(const Product &product, const Post &post) {
  if (post.buffer < 0)
    return post.kind != FROE_POST_RELU; // oneDNN's makes zeros of NaN
  bool batched = false, asResult = (post.strides.m == product.c.m || product.m == 1) && post.strides.n == 1;
  for (size_t dim = 0; dim < product.batch.size(); ++dim) {
    batched = batched || post.strides.batch[dim] != 0;
    asResult = asResult && post.strides.batch[dim] == product.c.batch[dim];
  }
  bool row = !batched && (post.strides.m == 0 || product.m == 1) && post.strides.n <= 1;
  return asResult || row;
}

OneDnnKernel::OneDnnKernel(const Product &product, const dnnl_memory_desc_t &right, size_t fused) {
  const OneDnn &dnn = *oneDnn();
  dnnl_memory_desc_t a = plainDesc(product, product.type, product.a, product.m, product.k),
                     c = plainDesc(product, product.resultType, product.c, product.m, product.n);
  dnnl_matmul_desc_t desc;
  Attributes attributes(product, fused);
  if (dnn.matmulDescInit(&desc, &a, &right, nullptr, &c) != dnnl_success ||
      dnn.primitiveDescCreate(&descriptor, &desc, attributes.attributes, dnn.engine, nullptr) != dnnl_success)
    descriptor = nullptr;
}

OneDnnKernel::~OneDnnKernel() {
  if (descriptor)
    oneDnn()->primitiveDescDestroy(descriptor);
}

std::string_view OneDnnKernel::name() const {
  const char *name = "";
  if (descriptor)
    oneDnn()->primitiveDescQuery(descriptor, dnnl_query_impl_info_str, 0, &name);
  return name;
}

bool OneDnnKernel::isFast() const { return name().starts_with("brg"); }
bool OneDnnKernel::isOptimized() const { return descriptor && !name().starts_with("ref"); }

const dnnl_memory_desc_t &OneDnnKernel::desc(dnnl_query_t what) const {
  return *oneDnn()->primitiveDescQueryMd(descriptor, what, 0);
}

uint64_t OneDnnKernel::scratchBytes() const { return oneDnn()->descSize(&desc(dnnl_query_scratchpad_md)); }

} // namespace froe::cpu
