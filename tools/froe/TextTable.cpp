#include "TextTable.h"

#include <algorithm>
#include <fmt/format.h>

namespace froe {

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(columns.size());
  rows.push_back({std::move(cells), ""});
}

void TextTable::addLine(std::string text) { rows.push_back({{}, std::move(text)}); }

std::string TextTable::rowText(const std::vector<std::string> &cells, const std::vector<size_t> &widths) const {
  std::string text(indent, ' ');
  for (size_t c = 0; c < columns.size(); ++c) {
    if (widths[c] == 0)
      continue;
    text += columns[c].align == Align::Left ? fmt::format("{:<{}}  ", cells[c], widths[c])
                                            : fmt::format("{:>{}}  ", cells[c], widths[c]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string TextTable::str() const {
  std::vector<size_t> widths(columns.size(), 0);
  std::vector<std::string> heads;
  for (size_t c = 0; c < columns.size(); ++c) {
    heads.push_back(columns[c].head);
    for (const Row &row : rows)
      widths[c] = std::max(widths[c], row.cells.empty() ? 0 : row.cells[c].size());
    if (widths[c] > 0)
      widths[c] = std::max(widths[c], columns[c].head.size());
  }
  std::string text = rowText(heads, widths);
  for (const Row &row : rows)
    text += row.cells.empty() ? row.line + "\n" : rowText(row.cells, widths);
  return text;
}

} // namespace froe
