#include "froe/Sharding/Mesh.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace froe {

namespace {
constexpr size_t kMaxAxes = 4;
constexpr int64_t kMaxDevices = int64_t(1) << 20;
constexpr std::string_view kDefaultNames[kMaxAxes] = {"x", "y", "z", "w"};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0;;) {
    size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos)
      return parts;
    begin = end + 1;
  }
}

std::optional<int64_t> parseSize(std::string_view text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1)
    return std::nullopt;
  return value;
}

bool isIdentifier(std::string_view text) {
  auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && isLetter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

std::optional<std::string> check(const Mesh &mesh) {
  if (mesh.axes.size() > kMaxAxes)
    return fmt::format("expected at most {} axes, found {}", kMaxAxes, mesh.axes.size());
  int64_t devices = 1;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.find(mesh.axes[i].name) != static_cast<AxisIndex>(i))
      return fmt::format("axis '{}' is named twice", mesh.axes[i].name);
    // Dividing avoids the overflow that multiplying first would risk.
    if (mesh.axes[i].size > kMaxDevices / devices)
      return fmt::format("expected at most {} devices", kMaxDevices);
    devices *= mesh.axes[i].size;
  }
  return std::nullopt;
}
} // namespace

int64_t Mesh::deviceCount() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.size;
  return count;
}

int64_t Mesh::blocks(const AxisList &list) const {
  int64_t count = 1;
  for (AxisIndex axis : list)
    count *= axes[axis].size;
  return count;
}

int64_t Mesh::coordinate(int64_t device, AxisIndex axis) const {
  for (int i = axisCount() - 1; i > axis; --i)
    device /= axes[i].size;
  return device % axes[axis].size;
}

int64_t Mesh::blockIndex(int64_t device, const AxisList &list) const {
  int64_t index = 0;
  for (AxisIndex axis : list)
    index = index * axes[axis].size + coordinate(device, axis);
  return index;
}

std::vector<int64_t> Mesh::group(int64_t device, const AxisList &list) const {
  auto stride = [&](AxisIndex axis) {
    int64_t product = 1;
    for (int i = axis + 1; i < axisCount(); ++i)
      product *= axes[i].size;
    return product;
  };
  std::vector<int64_t> devices = {device};
  for (AxisIndex axis : list)
    devices[0] -= coordinate(device, axis) * stride(axis);
  for (AxisIndex axis : list) {
    std::vector<int64_t> next;
    for (int64_t base : devices)
      for (int64_t i = 0; i < axes[axis].size; ++i)
        next.push_back(base + i * stride(axis));
    devices = std::move(next);
  }
  return devices;
}

AxisIndex Mesh::find(std::string_view name) const {
  auto it = std::ranges::find(axes, name, &MeshAxis::name);
  return it == axes.end() ? -1 : static_cast<AxisIndex>(it - axes.begin());
}

std::expected<Mesh, std::string> Mesh::parse(std::string_view text) {
  auto fail = [&](std::string why) { return std::unexpected(fmt::format("mesh '{}': {}", text, why)); };
  Mesh mesh;
  bool named = text.contains('=');
  for (std::string_view part : split(text, named ? ',' : 'x')) {
    size_t equals = part.find('=');
    if (named && equals == std::string_view::npos)
      return fail(fmt::format("expected NAME=SIZE, found '{}'", part));
    std::string_view name = named ? part.substr(0, equals) : kDefaultNames[std::min(mesh.axes.size(), kMaxAxes - 1)];
    std::string_view number = named ? part.substr(equals + 1) : part;
    if (!isIdentifier(name))
      return fail(fmt::format("expected an axis name of letters, digits and '_', found '{}'", name));
    std::optional<int64_t> size = parseSize(number);
    if (!size)
      return fail(fmt::format("expected sizes of at least 1, as in '2x4' or 'data=2,model=4', found '{}'", number));
    if (mesh.axes.size() == kMaxAxes)
      return fail(fmt::format("expected at most {} axes", kMaxAxes));
    mesh.axes.push_back({std::string(name), *size});
  }
  if (std::optional<std::string> why = check(mesh))
    return fail(*why);
  return mesh;
}

std::string Mesh::str() const {
  std::vector<std::string> parts;
  for (const MeshAxis &axis : axes)
    parts.push_back(fmt::format("{}={}", axis.name, axis.size));
  return fmt::format("{}", fmt::join(parts, ","));
}

} // namespace froe
