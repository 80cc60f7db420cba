// Constant data of the emitted object: bytes, text, and C structs with pointers between them.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cstring>

namespace froe {

/// An array of C structs as the compiler of this program lays them out. Pointer fields are zero in `bytes`, and named
/// here by their place.
struct Record {
  std::string bytes;
  llvm::SmallVector<std::pair<size_t, mlir::StringAttr>> pointers; ///< offset, symbol

  template <class T> void append(const T &value) { bytes.append(reinterpret_cast<const char *>(&value), sizeof(T)); }
  /// A pointer at `offset` in the struct appended last.
  template <class T> void point(size_t offset, mlir::StringAttr symbol) {
    pointers.push_back({bytes.size() - sizeof(T) + offset, symbol});
  }
};

/// Adds globals to a module, each content once.
class ConstantData {
public:
  explicit ConstantData(mlir::ModuleOp module);

  /// Zero-terminated.
  mlir::StringAttr text(llvm::StringRef text);
  mlir::StringAttr bytes(llvm::StringRef bytes, int64_t alignment);
  /// Elements as the runtime stores them: row-major, booleans as bytes, 64-byte aligned. Printed as elements, so that
  /// dumps elide large ones.
  mlir::StringAttr elements(mlir::Location loc, mlir::ElementsAttr elements);
  /// Under a generated name, private; or under `name`, visible to the linker.
  mlir::StringAttr record(const Record &record, llvm::StringRef name = {});

  template <class T> mlir::StringAttr plain(const T &value) {
    return bytes({reinterpret_cast<const char *>(&value), sizeof(T)}, alignof(T));
  }
  template <class T> mlir::StringAttr plainArray(llvm::ArrayRef<T> values) {
    return bytes({reinterpret_cast<const char *>(values.data()), sizeof(T) * values.size()}, alignof(T));
  }

private:
  mlir::OpBuilder builder;
  mlir::Location loc;
  std::map<std::pair<std::string, int64_t>, mlir::StringAttr> known;
  int next = 0;

  mlir::StringAttr nextName();
};

/// The elements of a constant as bytes in the runtime's layout.
std::string bytesOf(mlir::ElementsAttr elements);

} // namespace froe
