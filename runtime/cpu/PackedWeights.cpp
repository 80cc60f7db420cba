#include "runtime/cpu/PackedWeights.h"

#include "runtime/cpu/Elements.h"
#include "runtime/cpu/PanelLayout.h"
#include "runtime/cpu/Product.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

namespace froe::cpu {

uint64_t PanelLayout::bytes(int64_t matrices, int64_t elementBytes) const {
  if (!panel)
    return uint64_t(matrices * k * n * elementBytes);
  return uint64_t(matrices * panels() * panelElements() * elementBytes);
}

std::optional<PanelLayout> panelLayout(std::string_view tag, int64_t k, int64_t n) {
  PanelLayout layout{.k = k, .n = n};
  if (tag == "plain")
    return layout;
  if (!tag.starts_with("panel"))
    return std::nullopt;
  tag.remove_prefix(5);
  auto [rest, error] = std::from_chars(tag.data(), tag.data() + tag.size(), layout.panel);
  tag.remove_prefix(rest - tag.data());
  if (error != std::errc() || layout.panel <= 0 || layout.panel > 4096 || (!tag.empty() && tag != "x2"))
    return std::nullopt;
  layout.pairs = !tag.empty();
  return layout;
}

namespace {

/// Calls `visit(matrix, offset)`: the place of each stored matrix in the plain tensor, in elements.
template <class Visit> void eachMatrix(const froe_matmul &matmul, Visit &&visit) {
  for (int64_t matrix = 0, count = weightMatrices(matmul); matrix < count; ++matrix) {
    int64_t offset = 0, index = matrix;
    for (int dim = matmul.batch_rank; dim-- > 0;)
      if (matmul.b_batch_stride[dim] != 0) {
        offset += index % matmul.batch[dim] * matmul.b_batch_stride[dim];
        index /= matmul.batch[dim];
      }
    visit(matrix, offset);
  }
}

/// Elements are moved as words of their size; what they mean does not matter here.
template <class Visit> void withWord(int32_t type, Visit &&visit) {
  switch (bytesOf(type)) {
  case 1:
    return visit(uint8_t());
  case 2:
    return visit(uint16_t());
  case 4:
    return visit(uint32_t());
  default:
    return visit(uint64_t());
  }
}

/// Calls `visit(packed, step, k, n, columns)`: `columns` elements of row k from column n on, `step` apart from `packed`
/// on.
template <class Visit> void eachRowPiece(const PanelLayout &layout, Visit &&visit) {
  int64_t width = layout.panel ? layout.panel : 64, step = layout.pairs ? 2 : 1;
  for (int64_t n = 0; n < layout.n; n += width)
    for (int64_t k = 0; k < layout.k; ++k)
      visit(layout.place(k, n), step, k, n, std::min(width, layout.n - n));
}

template <class Word>
void packMatrix(const PanelLayout &layout, const Word *plain, int64_t kStride, int64_t nStride, Word *packed) {
  if (layout.panel) // what stays untouched below is padding
    std::memset(packed, 0, layout.bytes(1, sizeof(Word)));
  eachRowPiece(layout, [&](int64_t place, int64_t step, int64_t k, int64_t n, int64_t columns) {
    const Word *from = plain + k * kStride + n * nStride;
    for (int64_t j = 0; j < columns; ++j)
      packed[place + j * step] = from[j * nStride];
  });
}

template <class Word>
void unpackMatrix(const PanelLayout &layout, const Word *packed, int64_t kStride, int64_t nStride, Word *plain) {
  eachRowPiece(layout, [&](int64_t place, int64_t step, int64_t k, int64_t n, int64_t columns) {
    Word *to = plain + k * kStride + n * nStride;
    for (int64_t j = 0; j < columns; ++j)
      to[j * nStride] = packed[place + j * step];
  });
}

/// Neighbours along n that lie together in both layouts, which differ, are moved together.
template <class Word>
void repackMatrix(const PanelLayout &from, const Word *stored, const PanelLayout &to, Word *packed) {
  if (to.panel) // what stays untouched below is padding
    std::memset(packed, 0, to.bytes(1, sizeof(Word)));
  auto run = [](const PanelLayout &layout) { return layout.pairs ? 1 : layout.panel; }; // 0: as long as the other's
  int64_t width = to.panel ? to.panel : to.n, together = std::gcd(run(from), run(to));
  for (int64_t first = 0; first < to.n; first += width)
    for (int64_t k = 0; k < to.k; ++k)
      for (int64_t n = first; n < std::min(first + width, to.n); n += together)
        std::copy_n(stored + from.place(k, n), std::min(together, to.n - n), packed + to.place(k, n));
}

PanelLayout layoutOf(const froe_matmul &matmul, const Packing &packing) {
  return panelLayout(packing.tag, matmul.k, matmul.n).value();
}

} // namespace

std::expected<Packing, std::string> packingFromTag(const froe_matmul &matmul, const std::string &tag) {
  std::optional<PanelLayout> layout = panelLayout(tag, matmul.k, matmul.n);
  if (!layout)
    return std::unexpected("'" + tag + "' is not a packing of weights that this version knows");
  return Packing{tag, layout->bytes(weightMatrices(matmul), bytesOf(matmul.type))};
}

void packWeight(const froe_matmul &matmul, const Packing &packing, const void *plain, void *packed) {
  PanelLayout layout = layoutOf(matmul, packing);
  withWord(matmul.type, [&](auto word) {
    using Word = decltype(word);
    eachMatrix(matmul, [&](int64_t matrix, int64_t offset) {
      packMatrix(layout, static_cast<const Word *>(plain) + offset, matmul.b_k_stride, matmul.b_n_stride,
                 static_cast<Word *>(packed) + matrix * int64_t(layout.bytes(1, 1)));
    });
  });
}

void repackWeight(const froe_matmul &matmul, const Packing &from, const void *stored, const Packing &to, void *packed) {
  PanelLayout source = layoutOf(matmul, from), target = layoutOf(matmul, to);
  withWord(matmul.type, [&](auto word) {
    using Word = decltype(word);
    for (int64_t matrix = 0, count = weightMatrices(matmul); matrix < count; ++matrix)
      repackMatrix(source, static_cast<const Word *>(stored) + matrix * int64_t(source.bytes(1, 1)), target,
                   static_cast<Word *>(packed) + matrix * int64_t(target.bytes(1, 1)));
  });
}

void unpackWeight(const froe_matmul &matmul, const Packing &packing, const void *packed, void *plain) {
  PanelLayout layout = layoutOf(matmul, packing);
  withWord(matmul.type, [&](auto word) {
    using Word = decltype(word);
    eachMatrix(matmul, [&](int64_t matrix, int64_t offset) {
      unpackMatrix(layout, static_cast<const Word *>(packed) + matrix * int64_t(layout.bytes(1, 1)), matmul.b_k_stride,
                   matmul.b_n_stride, static_cast<Word *>(plain) + offset);
    });
  });
}

} // namespace froe::cpu
