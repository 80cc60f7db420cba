// Values that were already built and may be used again.
#pragma once

#include "mlir/IR/Value.h"

namespace froe {

/// Values by key, in nested scopes: what was built inside a loop body or a branch is forgotten behind it.
class Memo {
public:
  using Key = std::vector<uintptr_t>;

  Memo() : scopes(1) {}

  mlir::Value find(const Key &key) const {
    for (const std::map<Key, mlir::Value> &scope : llvm::reverse(scopes))
      if (auto it = scope.find(key); it != scope.end())
        return it->second;
    return {};
  }
  void insert(Key key, mlir::Value value) { scopes.back().insert_or_assign(std::move(key), value); }
  size_t depth() const { return scopes.size(); }

  /// Opens a scope for its own life time.
  class Scope {
  public:
    explicit Scope(Memo &memo) : memo(memo) { memo.scopes.emplace_back(); }
    ~Scope() { memo.scopes.pop_back(); }
    Scope(const Scope &) = delete;

  private:
    Memo &memo;
  };

  static uintptr_t key(mlir::Value value) { return reinterpret_cast<uintptr_t>(value.getAsOpaquePointer()); }

private:
  std::vector<std::map<Key, mlir::Value>> scopes;
};

} // namespace froe
