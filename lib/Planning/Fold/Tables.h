#pragma once

#include "LabelMaps.h"
#include "MinPlus.h"

#include "froe/Planning/SharedTable.h"
#include "froe/Planning/Solve.h"

#include <deque>

namespace froe::fold {

/// A cost for each pair of labels of two nodes: `core[rowMap[i]][columnMap[j]]`. What tables say of strategies depends
/// on the layouts they give and need, which are far fewer: work is done on cores.
struct Table {
  Id core, rowMap, columnMap;
};

/// A result less its smallest entry: tables that differ by a constant alone are one. The offset is infinite where all
/// entries are.
struct Found {
  Id id = -1;
  double offset = 0;
};

/// The smallest cost of each class.
std::vector<Number> leastOfClasses(const std::vector<Number> &costs, const LabelMap &map);

/// Vectors (a cost for each label of a node) and tables, each kept once; and the results of all operations on them, so
/// that what repeats is computed once.
class Tables {
public:
  Found vector(const SharedTable<double> &costs);
  Found table(const SharedTable<double> &costs, int rows, int columns);
  /// Bytes as a vector.
  Id bytes(const SharedTable<int64_t> &bytes);
  /// The vector plus a price for each byte.
  Found priced(Id vector, Id bytes, double price);
  Found sum(Id vector, Id other);
  /// One of `parts` equal parts of a vector.
  Found share(Id vector, int parts);
  /// The vector with all labels but one excluded, or with that one excluded.
  Found restrict(Id vector, int label, bool excluded);

  /// What the cheapest label of the node of the rows costs each label of the node of the columns.
  Found message(Id vector, Id table);
  /// The same for a node between two others: rows are the other node of `left`, columns that of `right`; the node
  /// itself has the rows of both.
  Found through(Id vector, Id left, Id right);
  Found sumTables(Id one, Id other);
  Id transposed(Id table);

  const std::vector<Number> &vectorOf(Id id) const { return vectors[id]; }
  /// Adds the column of a label to the costs of the labels of the rows.
  void addColumn(Id table, int label, std::vector<Number> &costs) const;
  const Table &tableOf(Id id) const { return tables[id]; }
  const Matrix &coreOf(Id table) const { return cores[tables[table].core]; }
  LabelMaps &labelMaps() { return maps; }

  int64_t products() const { return productCount; }
  /// Forgets everything if it takes too much memory: ids of an older generation are void.
  void trim();
  int getGeneration() const { return generation; }

private:
  enum class Operation : int { Priced, Sum, Share, Only, Without, Message, Through, SumTables, Transposed };
  struct Key {
    Operation operation;
    Id a, b, c;
    double number;
    bool operator==(const Key &) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key &key) const;
  };

  template <typename Compute> Found remember(const Key &key, Compute &&compute);
  Id internVector(std::vector<Number> values);
  Found normalised(std::vector<Number> values);
  Id internTable(const Table &table);
  Found normalised(Matrix core, Id rowMap, Id columnMap);
  Matrix product(Id vector, const Table &left, const Table &right);

  LabelMaps maps;
  std::deque<std::vector<Number>> vectors;
  std::deque<Matrix> cores;
  std::vector<Table> tables;
  std::unordered_multimap<uint64_t, Id> vectorsByHash, coresByHash;
  std::map<std::tuple<Id, Id, Id>, Id> tableIds;
  std::unordered_map<Key, Found, KeyHash> results;
  /// By identity; the tables are kept, so that no other takes over their place in memory.
  std::map<std::pair<const void *, int>, std::pair<SharedTable<double>, Found>> given;
  std::map<const void *, std::pair<SharedTable<int64_t>, Id>> givenBytes;
  int64_t productCount = 0, bytesHeld = 0;
  int generation = 0;
};

} // namespace froe::fold
