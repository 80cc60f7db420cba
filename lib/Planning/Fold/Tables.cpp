#include "Tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace froe {

namespace fold {

namespace {
constexpr Number kInfinity = std::numeric_limits<Number>::infinity();
/// Bytes of tables above which everything is forgotten; a model's layer under one price takes a few million.
constexpr int64_t kMaxBytes = int64_t(100) << 20;

uint64_t hashOf(const std::vector<Number> &values) {
  return XXH3_64bits(values.data(), values.size() * sizeof(Number));
}

/// Takes the smallest entry out of all.
double takeOffset(std::vector<Number> &values) {
  double least = leastOf(values.data(), values.size());
  if (least == kInfinity)
    std::ranges::fill(values, 0);
  else if (least != 0)
    for (Number &value : values)
      value -= least;
  return least;
}

/// The rows in classes of equal ones, each class's first.
LabelMap classesOfRows(const Number *values, int rows, int columns, std::vector<int> &firsts) {
  LabelMap map;
  std::unordered_multimap<uint64_t, int> classesByHash;
  for (int i = 0; i < rows; ++i) {
    const Number *row = values + static_cast<size_t>(i) * columns;
    uint64_t hash = XXH3_64bits(row, columns * sizeof(Number));
    int found = -1;
    for (auto [it, end] = classesByHash.equal_range(hash); it != end && found < 0; ++it)
      if (std::equal(row, row + columns, values + static_cast<size_t>(firsts[it->second]) * columns))
        found = it->second;
    if (found < 0) {
      found = map.classes++;
      firsts.push_back(i);
      classesByHash.emplace(hash, found);
    }
    map.classOf.push_back(found);
  }
  return map;
}

/// The same of the columns, of these rows alone. Two different columns with equal hashes make each column a class.
LabelMap classesOfColumns(const Number *values, int columns, const std::vector<int> &rows, std::vector<int> &firsts) {
  std::vector<uint64_t> hashes(columns, 0);
  for (int row : rows)
    hashEach(hashes.data(), values + static_cast<size_t>(row) * columns, columns);
  LabelMap map;
  std::unordered_map<uint64_t, int> classOfHash;
  for (int j = 0; j < columns; ++j) {
    auto [it, isNew] = classOfHash.try_emplace(hashes[j], map.classes);
    if (isNew) {
      firsts.push_back(j);
      ++map.classes;
    }
    map.classOf.push_back(it->second);
  }
  auto isRight = [&](int row) {
    const Number *of = values + static_cast<size_t>(row) * columns;
    for (int j = 0; j < columns; ++j)
      if (of[j] != of[firsts[map.classOf[j]]])
        return false;
    return true;
  };
  if (!std::ranges::all_of(rows, isRight)) {
    map.classes = columns;
    map.classOf.resize(columns);
    std::iota(map.classOf.begin(), map.classOf.end(), 0);
    firsts = map.classOf;
  }
  return map;
}

} // namespace

std::vector<Number> leastOfClasses(const std::vector<Number> &costs, const LabelMap &map) {
  std::vector<Number> least(map.classes, kInfinity);
  for (size_t label = 0; label < costs.size(); ++label)
    least[map.classOf[label]] = std::min(least[map.classOf[label]], costs[label]);
  return least;
}
size_t Tables::KeyHash::operator()(const Key &key) const {
  uint64_t words[] = {static_cast<uint64_t>(key.operation) << 32 | static_cast<uint32_t>(key.a),
                      static_cast<uint64_t>(key.b) << 32 | static_cast<uint32_t>(key.c),
                      std::bit_cast<uint64_t>(key.number)};
  return XXH3_64bits(words, sizeof words);
}

template <typename Compute> Found Tables::remember(const Key &key, Compute &&compute) {
  if (auto it = results.find(key); it != results.end())
    return it->second;
  Found found = compute();
  results.emplace(key, found);
  return found;
}

Id Tables::internVector(std::vector<Number> values) {
  uint64_t hash = hashOf(values);
  for (auto [it, end] = vectorsByHash.equal_range(hash); it != end; ++it)
    if (vectors[it->second] == values)
      return it->second;
  bytesHeld += static_cast<int64_t>(values.size() * sizeof(Number));
  vectors.push_back(std::move(values));
  return vectorsByHash.emplace(hash, static_cast<Id>(vectors.size() - 1))->second;
}

Found Tables::normalised(std::vector<Number> values) {
  double offset = takeOffset(values);
  return {internVector(std::move(values)), offset};
}

Id Tables::internTable(const Table &table) {
  auto [it, isNew] = tableIds.try_emplace({table.core, table.rowMap, table.columnMap}, static_cast<Id>(tables.size()));
  if (isNew)
    tables.push_back(table);
  return it->second;
}

Found Tables::normalised(Matrix core, Id rowMap, Id columnMap) {
  double offset = takeOffset(core.values);
  uint64_t hash = hashOf(core.values);
  for (auto [it, end] = coresByHash.equal_range(hash); it != end; ++it)
    if (cores[it->second].columns == core.columns && cores[it->second].values == core.values)
      return {internTable({it->second, rowMap, columnMap}), offset};
  bytesHeld += static_cast<int64_t>(core.values.size() * sizeof(Number));
  cores.push_back(std::move(core));
  Id id = coresByHash.emplace(hash, static_cast<Id>(cores.size() - 1))->second;
  return {internTable({id, rowMap, columnMap}), offset};
}

Found Tables::vector(const SharedTable<double> &costs) {
  auto [it, isNew] = given.try_emplace({costs.identity(), 0});
  if (isNew)
    it->second = {costs, normalised(costs.get())};
  return it->second.second;
}

Found Tables::table(const SharedTable<double> &costs, int rows, int columns) {
  auto [it, isNew] = given.try_emplace({costs.identity(), rows});
  if (!isNew)
    return it->second.second;
  const Number *values = costs.get().data();
  std::vector<int> firstRows, firstColumns;
  LabelMap rowMap = classesOfRows(values, rows, columns, firstRows);
  LabelMap columnMap = classesOfColumns(values, columns, firstRows, firstColumns);
  Matrix core(rowMap.classes, columnMap.classes);
  for (int i = 0; i < core.rows; ++i)
    for (int j = 0; j < core.columns; ++j)
      core.row(i)[j] = values[static_cast<size_t>(firstRows[i]) * columns + firstColumns[j]];
  Found found = normalised(std::move(core), maps.intern(std::move(rowMap)), maps.intern(std::move(columnMap)));
  it->second = {costs, found};
  return found;
}

Id Tables::bytes(const SharedTable<int64_t> &bytes) {
  auto [it, isNew] = givenBytes.try_emplace(bytes.identity());
  if (isNew)
    it->second = {bytes, internVector({bytes.begin(), bytes.end()})};
  return it->second.second;
}

Found Tables::priced(Id vector, Id bytes, double price) {
  if (price == 0)
    return {vector, 0};
  return remember({Operation::Priced, vector, bytes, 0, price}, [&] {
    std::vector<Number> values = vectors[vector];
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += price * vectors[bytes][i];
    return normalised(std::move(values));
  });
}

Found Tables::sum(Id vector, Id other) {
  return remember({Operation::Sum, vector, other, 0, 0}, [&] {
    std::vector<Number> values = vectors[vector];
    for (size_t i = 0; i < values.size(); ++i)
      values[i] += vectors[other][i];
    return normalised(std::move(values));
  });
}

Found Tables::share(Id vector, int parts) {
  return remember({Operation::Share, vector, parts, 0, 0}, [&] {
    std::vector<Number> values = vectors[vector];
    for (Number &value : values)
      value /= parts;
    return normalised(std::move(values));
  });
}

Found Tables::restrict(Id vector, int label, bool excluded) {
  return remember({excluded ? Operation::Without : Operation::Only, vector, label, 0, 0}, [&] {
    std::vector<Number> values = vectors[vector];
    for (size_t i = 0; i < values.size(); ++i)
      if ((static_cast<int>(i) == label) == excluded)
        values[i] = kInfinity;
    return normalised(std::move(values));
  });
}

Found Tables::message(Id vector, Id id) {
  return remember({Operation::Message, vector, id, 0, 0}, [&] {
    const Table &table = tables[id];
    const Matrix &core = cores[table.core];
    std::vector<Number> own = leastOfClasses(vectors[vector], maps[table.rowMap]), least(core.columns, kInfinity);
    for (int row = 0; row < core.rows; ++row)
      if (own[row] != kInfinity)
        relax(least.data(), core.row(row), own[row], core.columns);
    std::vector<Number> values;
    for (int column : maps[table.columnMap].classOf)
      values.push_back(least[column]);
    return normalised(std::move(values));
  });
}

/// On classes: of all labels in the same pair of classes only the cheapest matters. One matrix is relaxed by these
/// pairs, the other then multiplied.
Matrix Tables::product(Id vector, const Table &left, const Table &right) {
  const Join &join = maps.join(left.rowMap, right.rowMap);
  std::vector<Number> own = leastOfClasses(vectors[vector], maps[join.map]);
  const Matrix &leftCore = cores[left.core], &rightCore = cores[right.core];
  ++productCount;
  bool relaxLeft = rightCore.rows <= leftCore.rows;
  const Matrix &relaxed = relaxLeft ? leftCore : rightCore;
  Matrix middle(relaxLeft ? rightCore.rows : leftCore.rows, relaxed.columns, kInfinity);
  for (size_t pair = 0; pair < own.size(); ++pair)
    if (own[pair] != kInfinity) {
      auto [row, column] = join.parts[pair];
      relax(middle.row(relaxLeft ? column : row), relaxed.row(relaxLeft ? row : column), own[pair], relaxed.columns);
    }
  return relaxLeft ? minPlusTransposed(middle, rightCore) : minPlusTransposed(leftCore, middle);
}

Found Tables::through(Id vector, Id left, Id right) {
  return remember({Operation::Through, vector, left, right, 0}, [&] {
    const Table leftTable = tables[left], rightTable = tables[right];
    return normalised(product(vector, leftTable, rightTable), leftTable.columnMap, rightTable.columnMap);
  });
}

Found Tables::sumTables(Id one, Id other) {
  return remember({Operation::SumTables, std::min(one, other), std::max(one, other), 0, 0}, [&] {
    const Table first = tables[one], second = tables[other];
    const Join &rows = maps.join(first.rowMap, second.rowMap), &columns = maps.join(first.columnMap, second.columnMap);
    Matrix sum(maps[rows.map].classes, maps[columns.map].classes);
    for (int i = 0; i < sum.rows; ++i) {
      const Number *a = cores[first.core].row(rows.parts[i].first), *b = cores[second.core].row(rows.parts[i].second);
      for (int j = 0; j < sum.columns; ++j)
        sum.row(i)[j] = a[columns.parts[j].first] + b[columns.parts[j].second];
    }
    return normalised(std::move(sum), rows.map, columns.map);
  });
}

Id Tables::transposed(Id id) {
  return remember({Operation::Transposed, id, 0, 0, 0},
                  [&] {
                    const Table table = tables[id];
                    Found found = normalised(transpose(cores[table.core]), table.columnMap, table.rowMap);
                    results.emplace(Key{Operation::Transposed, found.id, 0, 0, 0}, Found{id, 0});
                    return found;
                  })
      .id;
}

void Tables::addColumn(Id id, int label, std::vector<Number> &costs) const {
  const Table &table = tables[id];
  const Matrix &core = cores[table.core];
  const std::vector<int> &rows = maps[table.rowMap].classOf;
  const Number *column = core.values.data() + maps[table.columnMap].classOf[label];
  for (size_t i = 0; i < costs.size(); ++i)
    costs[i] += column[static_cast<size_t>(rows[i]) * core.columns];
}

void Tables::trim() {
  if (bytesHeld <= kMaxBytes)
    return;
  int64_t counted = productCount;
  int next = generation + 1;
  *this = Tables();
  productCount = counted;
  generation = next;
}

} // namespace fold
} // namespace froe
