#include "ModelFile.h"
#include "Failure.h"
#include "WireFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <fmt/format.h>

namespace froe::importing {

namespace {

/// The messages on the way from a model to its tensors.
enum class Message { Model, Graph, Function, Node, Attribute, Tensor, SparseTensor, Other };

/// The message in field `field` of `parent`, by the field numbers of onnx.proto.
Message messageIn(Message parent, uint32_t field) {
  switch (parent) {
  case Message::Model:
    return field == 7 ? Message::Graph : field == 25 ? Message::Function : Message::Other;
  case Message::Graph:
    return field == 1    ? Message::Node
           : field == 5  ? Message::Tensor
           : field == 15 ? Message::SparseTensor
                         : Message::Other;
  case Message::Function:
    return field == 7 ? Message::Node : Message::Other;
  case Message::Node:
    return field == 5 ? Message::Attribute : Message::Other;
  case Message::Attribute:
    return field == 5 || field == 10 ? Message::Tensor : field == 6 || field == 11 ? Message::Graph : Message::Other;
  case Message::SparseTensor:
    return field == 1 || field == 2 ? Message::Tensor : Message::Other;
  default:
    return Message::Other;
  }
}

constexpr uint32_t kFloatData = 4, kRawData = 9, kDoubleData = 10, kDocString = 12;

/// Copies a tensor without its elements, if they are large and lie in one piece as they would in raw data. What is left
/// says in its documentation string where they are; its own documentation is dropped.
std::string withoutElements(WireReader reader, std::string_view file) {
  std::string copy;
  std::optional<WireField> large;
  while (std::optional<WireField> field = reader.next()) {
    if (field->number == kDocString)
      continue;
    bool isElements = field->number == kFloatData || field->number == kRawData || field->number == kDoubleData;
    if (isElements && field->isBytes && field->content.size() > ModelFile::kLargeBytes && !large)
      large = field;
    else
      copy += field->whole;
  }
  if (large)
    appendBytes(copy, kDocString, fmt::format("{}:{}", large->content.data() - file.data(), large->content.size()));
  return copy;
}

std::string withoutLargeElements(WireReader reader, Message message, std::string_view file, int depth = 0) {
  if (depth > 200)
    throw Invalid("subgraphs are nested more than 50 deep");
  if (message == Message::Tensor)
    return withoutElements(reader, file);
  std::string copy;
  while (std::optional<WireField> field = reader.next()) {
    Message inner = field->isBytes ? messageIn(message, field->number) : Message::Other;
    if (inner == Message::Other)
      copy += field->whole;
    else
      appendBytes(copy, field->number, withoutLargeElements(WireReader(field->content), inner, file, depth + 1));
  }
  return copy;
}

bool looksLikeText(llvm::StringRef bytes) {
  return llvm::all_of(bytes.take_front(64), [](char c) { return llvm::isPrint(c) || llvm::isSpace(c); });
}

std::unique_ptr<llvm::MemoryBuffer> map(const std::string &path) {
  if (!llvm::sys::fs::exists(path))
    throw Invalid("no such file");
  if (llvm::sys::fs::is_directory(path))
    throw Invalid("is a folder, not an ONNX file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    throw Invalid(fmt::format("cannot be read: {}", buffer.getError().message()));
  return std::move(*buffer);
}

constexpr int64_t kProtobufLimit = (int64_t(1) << 31) - 1;

} // namespace

std::optional<ByteRange> ModelFile::elementsOf(const onnx::TensorProto &tensor) {
  if (!tensor.has_doc_string())
    return std::nullopt;
  auto [offset, length] = llvm::StringRef(tensor.doc_string()).split(':');
  ByteRange range;
  if (offset.getAsInteger(10, range.offset) || length.getAsInteger(10, range.length))
    return std::nullopt;
  return range;
}

ModelFile readModel(const std::string &path) {
  ModelFile file;
  file.path = path;
  file.folder = llvm::sys::path::parent_path(path).str();
  if (file.folder.empty())
    file.folder = ".";
  file.bytes = map(path);
  llvm::StringRef content = file.bytes->getBuffer();
  if (content.empty())
    throw Invalid("is empty");
  if (int64_t(content.size()) > kProtobufLimit)
    throw Invalid("is larger than 2 GiB, which protobuf does not allow; save the model with external data");
  if (looksLikeText(content))
    throw Invalid("is text, not a binary ONNX model");
  std::string graph;
  try {
    std::string_view view(content.data(), content.size());
    graph = withoutLargeElements(WireReader(view), Message::Model, view);
  } catch (const WireError &error) {
    throw Invalid(fmt::format("is no ONNX model, or is truncated: {}", error.what()));
  }
  if (!file.model.ParseFromString(graph))
    throw Invalid("is no ONNX model: it does not parse as one");
  if (!file.model.has_graph() || file.model.opset_import().empty())
    throw Invalid(fmt::format("is no ONNX model: it has no {}", file.model.has_graph() ? "opset" : "graph"));
  return file;
}

} // namespace froe::importing
