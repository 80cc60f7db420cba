// Every collective, element type and way to cut, against plain loops over all ranks' inputs.
#include "runtime/conformance/TestProgram.h"
#include "runtime/core/ElementType.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace froe::test {
namespace {

using Mesh = std::vector<int64_t>;

constexpr int64_t kSizes[] = {0, 1, 3, 5, 8};

std::vector<froe_axes> axesOf(const Mesh &mesh) {
  if (mesh.size() == 1)
    return {{1, {0}}};
  return {{1, {0}}, {1, {1}}, {2, {0, 1}}, {2, {1, 0}}};
}

/// Element `index` of `rank`'s input, as a small number that every type holds.
int64_t value(int rank, int64_t index) { return (index * 7 + rank * 3 + index / 5) % 11; }

/// Small integers in any element type.
class Elements {
public:
  Elements(froe_type type, std::byte *data) : type(type), data(data) {}

  void set(int64_t index, int64_t value) {
    switch (type) {
    case FROE_F32:
      return store(index, float(value));
    case FROE_F64:
      return store(index, double(value));
    case FROE_F16:
      return store(index, _Float16(value));
    case FROE_BF16:
      return storeBFloat16(index, float(value));
    case FROE_BOOL:
      return store(index, uint8_t(value % 2));
    default:
      std::memcpy(data + index * bytes(), &value, size_t(bytes()));
    }
  }
  int64_t get(int64_t index) const {
    switch (type) {
    case FROE_F32:
      return int64_t(load<float>(index));
    case FROE_F64:
      return int64_t(load<double>(index));
    case FROE_F16:
      return int64_t(load<_Float16>(index));
    case FROE_BF16:
      return loadBFloat16(index);
    default:
      break;
    }
    int64_t value = 0;
    std::memcpy(&value, data + index * bytes(), size_t(bytes()));
    return value;
  }
  int64_t bytes() const { return rt::elementType(type).bytes; }

private:
  template <typename T> void store(int64_t index, T value) {
    std::memcpy(data + index * int64_t(sizeof(T)), &value, sizeof(T));
  }
  template <typename T> T load(int64_t index) const {
    T value;
    std::memcpy(&value, data + index * int64_t(sizeof(T)), sizeof(T));
    return value;
  }
  void storeBFloat16(int64_t index, float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    store(index, uint16_t(bits >> 16));
  }
  int64_t loadBFloat16(int64_t index) const {
    uint32_t bits = uint32_t(load<uint16_t>(index)) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return int64_t(value);
  }

  froe_type type;
  std::byte *data;
};

constexpr uint64_t kOutOffset = 512 << 10;

/// One collective in one rank: input filled in, output poisoned.
struct Buffers {
  Buffers(froe_rt *rt, froe_type type, int64_t inCount)
      : in(rt->arena), out(rt->arena + kOutOffset), inputs(type, in), outputs(type, out) {
    std::memset(out, 0x7e, kOutOffset);
    for (int64_t i = 0; i < inCount; ++i)
      inputs.set(i, value(rt->rank, i));
  }
  std::byte *in, *out;
  Elements inputs, outputs;
};

/// value() as the type holds it.
int64_t held(froe_type type, int rank, int64_t index) {
  return type == FROE_BOOL ? value(rank, index) % 2 : value(rank, index);
}

int64_t reduced(froe_reduce reduce, froe_type type, const rt::Group &group, int64_t index) {
  int64_t result = held(type, group.members[0], index);
  for (size_t m = 1; m < group.members.size(); ++m) {
    int64_t term = held(type, group.members[m], index);
    switch (reduce) {
    case FROE_SUM:
      result = type == FROE_BOOL ? result | term : result + term;
      break;
    case FROE_PRODUCT:
      result *= term;
      break;
    case FROE_MAX:
      result = std::max(result, term);
      break;
    case FROE_MIN:
      result = std::min(result, term);
      break;
    case FROE_AND:
      result &= term;
      break;
    case FROE_OR:
      result |= term;
      break;
    }
  }
  // What wraps around wraps around in its own type; value() is small enough for floats to be exact up to 11^2.
  if (type == FROE_U8 || type == FROE_I8) {
    result &= 0xff;
  } else if (type == FROE_U16 || type == FROE_I16) {
    result &= 0xffff;
  }
  return result;
}

bool isFloat(froe_type type) { return type == FROE_F32 || type == FROE_F64 || type == FROE_F16 || type == FROE_BF16; }

std::vector<froe_reduce> reductionsOf(froe_type type, size_t ranks) {
  if (!isFloat(type))
    return {FROE_SUM, FROE_PRODUCT, FROE_MAX, FROE_MIN, FROE_AND, FROE_OR};
  // 8 bits of a bf16 hold products of two terms exactly, not of more.
  return ranks == 2 ? std::vector{FROE_SUM, FROE_PRODUCT, FROE_MAX, FROE_MIN}
                    : std::vector{FROE_SUM, FROE_MAX, FROE_MIN};
}

template <typename What>
void expectElement(froe_rt *rt, const Elements &outputs, int64_t index, int64_t expected, What &&what) {
  if (int64_t got = outputs.get(index); got != expected)
    require(rt, false,
            fmt::format("{}: element {} of rank {} is {}, expected {}", what(), index, rt->rank, got, expected));
}

template <typename Body> void forEachCase(froe_rt *rt, Body &&body) {
  Mesh mesh(rt->program->mesh, rt->program->mesh + rt->program->mesh_rank);
  for (const rt::ElementType &type : rt::kElementTypes)
    for (const froe_axes &axes : axesOf(mesh))
      body(type.type, axes, rt->mesh.group(rt->rank, axes));
}

void checkAllReduce(froe_rt *rt) {
  forEachCase(rt, [&](froe_type type, const froe_axes &axes, const rt::Group &group) {
    for (froe_reduce reduce : reductionsOf(type, group.members.size()))
      for (int64_t count : {0, 1, 17, 5000})
        for (bool inPlace : {false, true}) {
          Buffers buffers(rt, type, count);
          std::byte *out = inPlace ? buffers.in : buffers.out;
          froe_rt_all_reduce(rt, 0, &axes, reduce, type, count, buffers.in, out);
          if (!settled(rt))
            continue;
          for (int64_t i = 0; i < count; ++i)
            expectElement(rt, Elements(type, out), i, reduced(reduce, type, group, i), [&] {
              return fmt::format("all_reduce {} of {} {}", int(reduce), count, rt::elementType(type).name);
            });
        }
  });
}

void checkAllGather(froe_rt *rt) {
  forEachCase(rt, [&](froe_type type, const froe_axes &axes, const rt::Group &group) {
    for (int64_t outer : {1, 3})
      for (int64_t size : kSizes)
        for (int64_t inner : {1, 5}) {
          int64_t block = (size + group.size() - 1) / group.size();
          Buffers buffers(rt, type, outer * block * inner);
          froe_rt_all_gather(rt, 0, &axes, type, outer, size, inner, buffers.in, buffers.out);
          if (!settled(rt))
            continue;
          for (int64_t o = 0; o < outer; ++o)
            for (int64_t s = 0; s < size; ++s)
              for (int64_t i = 0; i < inner; ++i)
                expectElement(rt, buffers.outputs, (o * size + s) * inner + i,
                              held(type, group.members[size_t(s / block)], (o * block + s % block) * inner + i),
                              [&] { return fmt::format("all_gather [{}][{}][{}]", outer, size, inner); });
        }
  });
}

void checkReduceScatter(froe_rt *rt) {
  forEachCase(rt, [&](froe_type type, const froe_axes &axes, const rt::Group &group) {
    for (froe_reduce reduce : reductionsOf(type, group.members.size()))
      for (int64_t outer : {1, 3})
        for (int64_t size : kSizes) {
          constexpr int64_t inner = 5;
          int64_t block = (size + group.size() - 1) / group.size();
          Buffers buffers(rt, type, outer * size * inner);
          froe_rt_reduce_scatter(rt, 0, &axes, reduce, type, outer, size, inner, buffers.in, buffers.out);
          if (!settled(rt))
            continue;
          for (int64_t o = 0; o < outer; ++o)
            for (int64_t b = 0; b < block; ++b)
              for (int64_t i = 0; i < inner; ++i) {
                int64_t s = group.position * block + b;
                expectElement(rt, buffers.outputs, (o * block + b) * inner + i,
                              s < size ? reduced(reduce, type, group, (o * size + s) * inner + i) : 0,
                              [&] { return fmt::format("reduce_scatter [{}][{}][{}]", outer, size, inner); });
              }
        }
  });
}

/// Of the tensor [first][middle][second] (outer and inner are 1 element more each), who had an element before, and
/// where.
void checkAllToAllCase(froe_rt *rt, froe_type type, const froe_axes &axes, const rt::Group &group, bool gathersFirst,
                       int64_t first, int64_t second) {
  constexpr int64_t outer = 2, middle = 3, inner = 2;
  int64_t n = group.size(), firstBlock = (first + n - 1) / n, secondBlock = (second + n - 1) / n;
  int64_t inFirst = gathersFirst ? firstBlock : first, inSecond = gathersFirst ? second : secondBlock;
  int64_t outFirst = gathersFirst ? first : firstBlock, outSecond = gathersFirst ? secondBlock : second;
  Buffers buffers(rt, type, outer * inFirst * middle * inSecond * inner);
  froe_rt_all_to_all(rt, 0, &axes, type, gathersFirst, outer, first, middle, second, inner, buffers.in, buffers.out);
  if (!settled(rt))
    return;
  for (int64_t index = 0; index < outer * outFirst * middle * outSecond * inner; ++index) {
    int64_t i = index % inner, s = index / inner % outSecond, m = index / inner / outSecond % middle;
    int64_t f = index / inner / outSecond / middle % outFirst, o = index / inner / outSecond / middle / outFirst;
    int64_t globalFirst = gathersFirst ? f : group.position * firstBlock + f;
    int64_t globalSecond = gathersFirst ? group.position * secondBlock + s : s;
    bool valid = globalFirst < first && globalSecond < second;
    int64_t owner = gathersFirst ? globalFirst / firstBlock : globalSecond / secondBlock;
    int64_t hadFirst = gathersFirst ? globalFirst % firstBlock : globalFirst;
    int64_t hadSecond = gathersFirst ? globalSecond : globalSecond % secondBlock;
    int64_t had = (((o * inFirst + hadFirst) * middle + m) * inSecond + hadSecond) * inner + i;
    expectElement(rt, buffers.outputs, index, valid ? held(type, group.members[size_t(owner)], had) : 0, [&] {
      return fmt::format("all_to_all first {} second {} gathersFirst {}", first, second, gathersFirst);
    });
  }
}

void checkAllToAll(froe_rt *rt) {
  forEachCase(rt, [&](froe_type type, const froe_axes &axes, const rt::Group &group) {
    for (bool gathersFirst : {false, true})
      for (int64_t first : {1, 3, 8})
        for (int64_t second : {1, 5, 8})
          checkAllToAllCase(rt, type, axes, group, gathersFirst, first, second);
  });
}

void checkSlice(froe_rt *rt) {
  forEachCase(rt, [&](froe_type type, const froe_axes &axes, const rt::Group &group) {
    for (int64_t size : kSizes) {
      constexpr int64_t outer = 2, inner = 3;
      int64_t block = (size + group.size() - 1) / group.size();
      Buffers buffers(rt, type, outer * size * inner);
      froe_rt_slice(rt, 0, &axes, type, outer, size, inner, buffers.in, buffers.out);
      if (!settled(rt))
        continue;
      for (int64_t index = 0; index < outer * block * inner; ++index) {
        int64_t i = index % inner, s = group.position * block + index / inner % block, o = index / inner / block;
        expectElement(rt, buffers.outputs, index, s < size ? held(type, rt->rank, (o * size + s) * inner + i) : 0,
                      [] { return "slice"; });
      }
    }
  });
}

void checkMask(froe_rt *rt) {
  forEachCase(rt, [&](froe_type type, const froe_axes &axes, const rt::Group &group) {
    for (int64_t size : kSizes)
      for (bool inPlace : {false, true}) {
        constexpr int64_t outer = 2, inner = 3;
        int64_t block = (size + group.size() - 1) / group.size();
        Buffers buffers(rt, type, outer * block * inner);
        std::byte neutral[8] = {};
        Elements(type, neutral).set(0, 1);
        std::byte *out = inPlace ? buffers.in : buffers.out;
        froe_rt_mask(rt, 0, &axes, type, outer, size, inner, neutral, buffers.in, out);
        if (!settled(rt))
          continue;
        for (int64_t index = 0; index < outer * block * inner; ++index) {
          int64_t s = group.position * block + index / inner % block;
          expectElement(rt, Elements(type, out), index, s < size ? held(type, rt->rank, index) : 1,
                        [] { return "mask"; });
        }
      }
  });
}

class Collectives : public testing::TestWithParam<Mesh> {
protected:
  void expectPasses(void (*check)(froe_rt *)) {
    TestProgram program;
    program.mesh = GetParam();
    program.run = check;
    TestRun run; // without checking collectives: that would be half of the time
    EXPECT_EQ(outcome(runRanks(program, run)), "done");
  }
};

TEST_P(Collectives, AllReduce) { expectPasses(checkAllReduce); }
TEST_P(Collectives, AllGather) { expectPasses(checkAllGather); }
TEST_P(Collectives, ReduceScatter) { expectPasses(checkReduceScatter); }
TEST_P(Collectives, AllToAll) { expectPasses(checkAllToAll); }
TEST_P(Collectives, Slice) { expectPasses(checkSlice); }
TEST_P(Collectives, Mask) { expectPasses(checkMask); }

INSTANTIATE_TEST_SUITE_P(Meshes, Collectives, testing::Values(Mesh{1}, Mesh{2}, Mesh{3}, Mesh{4}, Mesh{2, 2}),
                         [](const auto &info) { return fmt::format("{}", fmt::join(info.param, "x")); });

} // namespace
} // namespace froe::test
