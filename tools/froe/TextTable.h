#pragma once

#include <string>
#include <vector>

namespace froe {

/// Rows of a table as text: columns as wide as what stands in them, those without content left out.
class TextTable {
public:
  enum class Align { Left, Right };
  struct Column {
    std::string head;
    Align align = Align::Right;
  };

  TextTable(std::vector<Column> columns, size_t indent) : columns(std::move(columns)), indent(indent) {}

  /// A cell for each column; missing ones are empty.
  void add(std::vector<std::string> cells);
  /// A line across all columns, as it is.
  void addLine(std::string text);
  std::string str() const;

private:
  struct Row {
    std::vector<std::string> cells;
    std::string line; ///< of a row without cells
  };
  std::string rowText(const std::vector<std::string> &cells, const std::vector<size_t> &widths) const;

  std::vector<Column> columns;
  std::vector<Row> rows;
  size_t indent;
};

} // namespace froe
