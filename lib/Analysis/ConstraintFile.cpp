#include "ConstraintFile.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace froe {

namespace {

using Json = nlohmann::ordered_json;

std::expected<AxisIndex, std::string> readAxis(const Json &json, const Mesh &mesh) {
  AxisIndex axis = json.is_string() ? mesh.find(json.get<std::string>()) : -1;
  if (axis < 0)
    return std::unexpected(fmt::format("expected an axis of mesh {}, found {}", mesh.str(), json.dump()));
  return axis;
}

std::expected<AxisList, std::string> readAxes(const Json &json, const Mesh &mesh) {
  if (json.is_string()) // one axis needs no list
    return readAxes(Json::array({json}), mesh);
  if (!json.is_array())
    return std::unexpected(fmt::format("expected a list of axes for each dim, found {}", json.dump()));
  AxisList axes;
  for (const Json &name : json) {
    std::expected<AxisIndex, std::string> axis = readAxis(name, mesh);
    if (!axis)
      return std::unexpected(axis.error());
    axes.push_back(*axis);
  }
  return axes;
}

std::expected<ShardingPattern, std::string> readSharding(const Json &json, const Mesh &mesh) {
  if (!json.is_array() && !json.is_object())
    return std::unexpected(fmt::format("expected a list of axes for each dim, found {}", json.dump()));
  ShardingPattern pattern;
  pattern.byName = json.is_object();
  Sharding all;
  for (auto &[key, value] : json.items()) {
    std::expected<AxisList, std::string> axes = readAxes(value, mesh);
    if (!axes)
      return std::unexpected(axes.error());
    all.dims.push_back(*axes);
    if (pattern.byName)
      pattern.named[key] = *axes;
  }
  if (auto why = all.check(mesh, static_cast<int64_t>(all.dims.size())))
    return std::unexpected(*why);
  if (!pattern.byName)
    pattern.dims = std::move(all.dims);
  return pattern;
}

std::expected<std::vector<std::string>, std::string> readNames(const Json &json, std::string_view what) {
  if (json.is_string())
    return std::vector{json.get<std::string>()};
  std::vector<std::string> names;
  for (const Json &name : json.is_array() ? json : Json::array({nullptr})) {
    if (!name.is_string())
      return std::unexpected(fmt::format("expected a list of {}, found {}", what, json.dump()));
    names.push_back(name);
  }
  return names;
}

/// Reads key after key; the first fault ends it.
class Reader {
public:
  explicit Reader(const Mesh &mesh) : mesh(mesh) {}

  ConstraintFile file;

  std::optional<std::string> read(const Json &json) {
    constexpr std::string_view keys = "\"inputs\", \"outputs\", \"tensors\", \"forbid\", \"strategies\", \"axes\", "
                                      "\"stages\" and \"microbatches\"";
    if (!json.is_object())
      return fmt::format("expected a JSON object with some of the keys {}", keys);
    for (auto &[key, value] : json.items()) {
      std::optional<std::string> why;
      if (std::optional<Pin::Kind> kind = pinKind(key))
        why = readPins(*kind, key, value);
      else if (key == "axes")
        why = readAxisUses(value);
      else if (key == "stages")
        why = readStages(value);
      else if (key == "microbatches")
        why = readMicrobatches(value);
      else
        why = fmt::format("expected the keys {}, found \"{}\"", keys, key);
      if (why)
        return why;
    }
    return std::nullopt;
  }

private:
  static std::optional<Pin::Kind> pinKind(std::string_view key) {
    constexpr std::string_view names[] = {"inputs", "outputs", "tensors", "forbid", "strategies"};
    auto found = std::ranges::find(names, key);
    if (found == std::end(names))
      return std::nullopt;
    return static_cast<Pin::Kind>(found - std::begin(names));
  }

  std::optional<std::string> readPins(Pin::Kind kind, const std::string &key, const Json &entries) {
    if (!entries.is_object())
      return fmt::format("expected an object under \"{}\", found {}", key, entries.dump());
    for (auto &[pattern, value] : entries.items()) {
      Pin pin{kind, pattern, {}, {}};
      if (kind == Pin::Kind::Strategy) {
        if (!value.is_string())
          return fmt::format("'{}': expected a strategy such as \"batch:x\", found {}", pattern, value.dump());
        pin.strategy = value;
      } else {
        std::expected<ShardingPattern, std::string> sharding = readSharding(value, mesh);
        if (!sharding)
          return fmt::format("'{}': {}", pattern, sharding.error());
        pin.sharding = std::move(*sharding);
      }
      file.pins.push_back(std::move(pin));
    }
    return std::nullopt;
  }

  std::optional<std::string> readAxisUses(const Json &entries) {
    if (!entries.is_object())
      return fmt::format("expected an object under \"axes\", found {}", entries.dump());
    for (auto &[key, value] : entries.items()) {
      std::expected<AxisIndex, std::string> axis = readAxis(Json(key), mesh);
      if (!axis)
        return fmt::format("\"axes\": {}", axis.error());
      std::expected<std::vector<std::string>, std::string> dims = readNames(value, "names of dims");
      if (!dims)
        return fmt::format("\"axes\": '{}': {}", key, dims.error());
      file.axes[*axis] = std::move(*dims);
    }
    return std::nullopt;
  }

  std::optional<std::string> readStages(const Json &entries) {
    if (!entries.is_array() || entries.empty())
      return fmt::format("\"stages\": expected a list with a list of node patterns for each stage, found {}",
                         entries.dump());
    for (const Json &entry : entries) {
      std::expected<std::vector<std::string>, std::string> patterns = readNames(entry, "node patterns");
      if (!patterns)
        return fmt::format("\"stages\": {}", patterns.error());
      file.stages.push_back(std::move(*patterns));
    }
    return std::nullopt;
  }

  std::optional<std::string> readMicrobatches(const Json &value) {
    if (!value.is_number_integer() || value.get<int64_t>() < 1)
      return fmt::format("\"microbatches\": expected a number of at least 1, found {}", value.dump());
    file.microbatches = value.get<int64_t>();
    return std::nullopt;
  }

  const Mesh &mesh;
};

std::string axesText(const AxisList &axes, const Mesh &mesh) {
  std::vector<std::string> names;
  for (AxisIndex axis : axes)
    names.push_back(mesh.axes[axis].name);
  return fmt::format("{}", fmt::join(names, ","));
}

} // namespace

std::optional<Sharding> ShardingPattern::on(const std::vector<std::string> &dimNames) const {
  Sharding sharding = Sharding::replicated(static_cast<int64_t>(dimNames.size()));
  if (!byName && dims.size() != dimNames.size())
    return std::nullopt;
  if (!byName)
    sharding.dims = dims;
  for (auto &[name, axes] : named) {
    auto dim = std::ranges::find(dimNames, name);
    if (dim == dimNames.end())
      return std::nullopt;
    sharding.dims[dim - dimNames.begin()] = axes;
  }
  return sharding;
}

std::string ShardingPattern::str(const Mesh &mesh) const {
  if (!byName)
    return Sharding{dims, {}, ReduceKind::Sum}.str(mesh);
  std::vector<std::string> parts;
  for (auto &[name, axes] : named)
    parts.push_back(axes.empty() ? name : fmt::format("{}:{}", name, axesText(axes, mesh)));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string Pin::str(const Mesh &mesh) const {
  if (kind == Kind::Strategy)
    return fmt::format("pinning '{}' to '{}'", pattern, strategy);
  return fmt::format("{} '{}' {}", kind == Kind::Forbid ? "forbidding" : "pinning", pattern, sharding.str(mesh));
}

std::expected<ConstraintFile, std::string> ConstraintFile::parse(const std::string &text, const Mesh &mesh) {
  Reader reader(mesh);
  if (auto why = reader.read(Json::parse(text, nullptr, /*allow_exceptions=*/false)))
    return std::unexpected(*why);
  return std::move(reader.file);
}

} // namespace froe
