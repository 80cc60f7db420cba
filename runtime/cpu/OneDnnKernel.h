#pragma once

#include "runtime/cpu/OneDnn.h"
#include "runtime/cpu/PanelLayout.h"
#include "runtime/cpu/Product.h"

#include <cstddef>
#include <string_view>

namespace froe::cpu {

/// oneDNN knows the element type.
bool oneDnnHasType(froe_type type);

/// b as oneDNN describes it: as it lies in the package for a weight, by its strides otherwise.
dnnl_memory_desc_t rightDesc(const Product &product, const PanelLayout &layout);
/// Left to oneDNN.
dnnl_memory_desc_t anyRightDesc(const Product &product);

/// The kernel can do it on the way: activations, and operands that lie as c, as one row, or are one number.
bool fuses(const Product &product, const Post &post);

/// A primitive descriptor of a product with its first `fused` posts; null where oneDNN has no implementation.
class OneDnnKernel {
public:
  OneDnnKernel(const Product &product, const dnnl_memory_desc_t &right, size_t fused);
  ~OneDnnKernel();
  OneDnnKernel(const OneDnnKernel &) = delete;

  /// A kernel made for this product.
  bool isFast() const;
  /// Or at least a general sgemm with copies and posts around it; not the reference loops.
  bool isOptimized() const;
  const dnnl_memory_desc_t &desc(dnnl_query_t what) const;
  uint64_t scratchBytes() const;
  const_dnnl_primitive_desc_t get() const { return descriptor; }

private:
  std::string_view name() const;

  dnnl_primitive_desc_t descriptor = nullptr;
};

} // namespace froe::cpu
