// What the ops of a plan cost, as a table in which equal layers stand once.
#include "PlanText.h"
#include "TextTable.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <vector>

namespace froe {
namespace {

using Json = nlohmann::ordered_json;
using Nodes = std::vector<const Json *>;

bool isSource(const Json &node) {
  std::string op = node.at("op");
  return op == "input" || op == "output" || op == "weight" || op == "constant";
}

double microseconds(const Json &node) {
  return node.value("compute_us", 0.0) + node.value("communication_us", 0.0) + node.value("reshard_us", 0.0);
}

double microseconds(const Nodes &nodes) {
  double total = 0;
  for (const Json *node : nodes)
    total += microseconds(*node);
  return total;
}

/// Parts of a plan that are told one after the other.
struct Section {
  std::string title;
  Nodes nodes;                 ///< of one of its layers
  const Nodes *like = nullptr; ///< most layers' nodes: only what differs from them is told
};

/// `0-3, 7`.
std::string spansText(const std::vector<int> &numbers) {
  std::string text;
  for (size_t i = 0, end; i < numbers.size(); i = end) {
    for (end = i + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;)
      ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", numbers[i]);
    if (end > i + 1)
      text += fmt::format("-{}", numbers[end - 1]);
  }
  return text;
}

/// Two nodes of one role are told as one where this is equal: what is decided, and whether something is sent.
std::string signatureOf(const Json &node) {
  return fmt::format("{}/{}/{}/{}", node.value("role", -1), node.at("strategy").get<std::string>(),
                     node.value("communication_us", 0.0) > 0, node.value("reshard_us", 0.0) > 0);
}

std::string signatureOf(const Nodes &layer) {
  std::string text;
  for (const Json *node : layer)
    text += signatureOf(*node) + ";";
  return text;
}

/// The nodes that some layer does otherwise than the layer that is told in full.
Nodes differing(const Nodes &nodes, const Nodes &from) {
  std::set<std::string> known;
  for (const Json *node : from)
    known.insert(signatureOf(*node));
  Nodes others;
  for (const Json *node : nodes)
    if (!known.contains(signatureOf(*node)))
      others.push_back(node);
  return others;
}

/// Layers decided alike, those that most are like first.
class LayerGroups {
public:
  explicit LayerGroups(const std::map<int, Nodes> &layers) {
    std::map<std::string, std::vector<int>> alike;
    for (auto &[number, nodes] : layers)
      alike[signatureOf(nodes)].push_back(number);
    for (auto &[signature, numbers] : alike)
      groups.push_back(numbers);
    std::ranges::sort(groups, [](const auto &a, const auto &b) {
      return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front();
    });
  }

  std::vector<std::vector<int>> groups;
};

std::string titleOf(const std::vector<int> &layers, double each) {
  return layers.size() == 1
             ? fmt::format("layer {}: {}", layers.front(), timeText(each))
             : fmt::format("layers {}: {} equal ones of {}", spansText(layers), layers.size(), timeText(each));
}

/// Roles of an encoder's layers are not those of a decoder's.
bool sameRoles(const Nodes &one, const Nodes &other) {
  return one.front()->value("role", -1) == other.front()->value("role", -1);
}

std::vector<Section> sectionsOf(const Json &plan, PlanDetail detail) {
  constexpr size_t kMostKinds = 3; // of layers, where memory makes many
  std::map<int, Nodes> layers;
  Nodes before, after;
  for (const Json &node : plan.at("nodes")) {
    if (isSource(node))
      continue;
    int layer = node.value("layer", -1);
    (layer >= 0 ? layers[layer] : layers.empty() ? before : after).push_back(&node);
  }
  std::vector<Section> sections{{layers.empty() ? "all ops" : "before the layers", before}};
  std::vector<Section> told;
  std::vector<int> rest;
  for (const std::vector<int> &group : LayerGroups(layers).groups) {
    if (detail == PlanDetail::Brief && told.size() == kMostKinds) {
      rest.insert(rest.end(), group.begin(), group.end());
      continue;
    }
    const Nodes &nodes = layers[group.size() > 1 ? group[1] : group[0]];
    Section section{titleOf(group, microseconds(nodes)), nodes};
    for (const Section &other : told)
      if (!section.like && !other.like && sameRoles(other.nodes, nodes)) {
        section.nodes = differing(nodes, other.nodes);
        section.like = &nodes;
        section.title += section.nodes.empty() ? ", as those" : ", as those but for";
      }
    told.push_back(std::move(section));
  }
  sections.insert(sections.end(), told.begin(), told.end());
  if (!rest.empty()) {
    std::ranges::sort(rest);
    sections.push_back(
        {fmt::format("layers {}: {} of other kinds (froe explain --all tells them)", spansText(rest), rest.size()),
         {},
         &before});
  }
  sections.push_back({"after the layers, or for all of them", after});
  return sections;
}

std::string shorten(const std::string &text, size_t width) {
  if (text.size() <= width)
    return text;
  return "..." + text.substr(text.size() - width + 3); // what tells names apart is at their end
}

/// What the names of a section's told ops begin with, up to a `/`; empty where it is not worth a word.
std::string commonFolder(const Nodes &nodes) {
  if (nodes.size() < 2)
    return "";
  constexpr size_t kWorthAWord = 10;
  std::string common = nodes.front()->at("name");
  for (const Json *node : nodes) {
    const std::string name = node->at("name");
    common.resize(std::ranges::mismatch(common, name).in1 - common.begin());
  }
  size_t slash = common.rfind('/');
  return slash == std::string::npos || slash < kWorthAWord ? "" : common.substr(0, slash + 1);
}

std::string orNothing(double microseconds) { return microseconds > 0 ? timeText(microseconds) : ""; }

class Table {
public:
  Table(const Json &plan, PlanDetail detail)
      : detail(detail), table({{plan.value("microbatches", 1) > 1 ? "of one microbatch" : "", TextTable::Align::Left},
                               {"op", TextTable::Align::Left},
                               {"what is cut over which axis", TextTable::Align::Left},
                               {"compute"},
                               {"combine"},
                               {"reshard"},
                               {"next best", TextTable::Align::Left}},
                              2) {
    for (const Json &node : plan.at("nodes"))
      total += microseconds(node);
  }

  void add(const Section &section) {
    if (section.nodes.empty() && !section.like)
      return;
    Nodes told, others;
    double most = microseconds(section.nodes);
    for (const Json *node : section.nodes)
      (detail == PlanDetail::Full || tells(*node, most) ? told : others).push_back(node);
    std::string folder = commonFolder(told);
    table.addLine(section.title + (folder.empty() ? "" : fmt::format(" (names begin with {})", folder)));
    for (const Json *node : told)
      addRow(*node, node->at("name").get<std::string>().substr(folder.size()));
    if (!others.empty())
      table.add({fmt::format("{} other{}", others.size(), others.size() == 1 ? "" : "s"), "", "",
                 orNothing(sum(others, "compute_us")), orNothing(sum(others, "communication_us")),
                 orNothing(sum(others, "reshard_us"))});
  }

  std::string str() const { return table.str(); }

  /// What the words of the table mean, as far as they occur.
  std::string legend() const {
    std::string text = "(batch:x = the batch is cut over axis x";
    if (hasSums)
      text += "; sum(ffn):x = each device sums its part of ffn, combine adds the parts up";
    if (hasNext)
      text += "; next best = what another choice there would cost more";
    return text + ")\n";
  }

private:
  /// Whether a row says something: a fiftieth of its section's time, or much that is sent.
  bool tells(const Json &node, double section) const {
    double time = microseconds(node), sent = time - node.value("compute_us", 0.0);
    return time > 0 && (sent > 0.002 * section || (time > 0.02 * section && time > 0.0005 * total));
  }

  static double sum(const Nodes &nodes, const char *key) {
    double total = 0;
    for (const Json *node : nodes)
      total += node->value(key, 0.0);
    return total;
  }

  void addRow(const Json &node, const std::string &name) {
    std::string strategy = node.at("strategy"), next = runnerUpText(node);
    hasSums |= strategy.contains("sum(");
    hasNext |= !next.empty();
    table.add({shorten(name, 33), node.at("op").get<std::string>(), strategy, orNothing(node.value("compute_us", 0.0)),
               orNothing(node.value("communication_us", 0.0)), orNothing(node.value("reshard_us", 0.0)), next});
  }

  PlanDetail detail;
  TextTable table;
  double total = 0;
  bool hasSums = false, hasNext = false;
};

} // namespace

std::string layersText(const Json &plan, PlanDetail detail) {
  Table table(plan, detail);
  for (const Section &section : sectionsOf(plan, detail))
    table.add(section);
  return table.str() + table.legend();
}

} // namespace froe
