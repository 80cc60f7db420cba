#include "froe/Import/Import.h"

#include "mlir/IR/MLIRContext.h"

#include "onnx-ml.pb.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace froe {
namespace {

std::string smallModel() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(18);
  onnx::GraphProto &graph = *model.mutable_graph();
  for (const char *name : {"x", "y"}) {
    onnx::ValueInfoProto &value = *(*name == 'x' ? graph.add_input() : graph.add_output());
    value.set_name(name);
    value.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
    for (int64_t size : {2, 3})
      value.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(size);
  }
  onnx::TensorProto &weight = *graph.add_initializer();
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(3);
  weight.add_dims(40);
  weight.set_raw_data(std::string(480, '\0'));
  onnx::NodeProto &node = *graph.add_node();
  node.set_op_type("MatMul");
  node.add_input("x");
  node.add_input("w");
  node.add_output("y");
  return model.SerializeAsString();
}

class BrokenModels : public testing::Test {
protected:
  std::string path = testing::TempDir() + "/broken-" + std::to_string(getpid()) + ".onnx";
  mlir::MLIRContext context;

  ~BrokenModels() override { std::filesystem::remove(path); }

  /// The exit code, 0 where the bytes are a model after all.
  int import(const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    auto module = importOnnx(context, path);
    EXPECT_TRUE(module || !module.error().lines.empty());
    return module ? 0 : module.error().exitCode;
  }
};

TEST_F(BrokenModels, TheWholeModelIsImported) { EXPECT_EQ(import(smallModel()), 0); }

TEST_F(BrokenModels, EveryTruncationIsRefused) {
  std::string whole = smallModel();
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(import(whole.substr(0, length)), 1) << length << " of " << whole.size() << " bytes";
}

TEST_F(BrokenModels, NoChangedByteIsABug) {
  std::string whole = smallModel();
  for (size_t position = 0; position < whole.size(); ++position)
    for (char change : {'\x01', '\x80', '\x7f'}) {
      std::string changed = whole;
      changed[position] ^= change;
      EXPECT_NE(import(changed), 3) << "byte " << position << " changed by " << int(change);
    }
}

} // namespace
} // namespace froe
