#include "runtime/core/ElementType.h"
#include "runtime/launch/Array.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace froe {
namespace {

using testing::HasSubstr;

class Npy : public testing::Test {
protected:
  ~Npy() override { std::filesystem::remove(file); }

  /// A file as NumPy writes it: 2 bytes of header length in version 1, 4 in the later ones.
  void write(int version, std::string header, const std::string &data) {
    header += '\n';
    std::ofstream stream(file, std::ios::binary);
    stream << "\x93NUMPY" << char(version) << '\0' << char(header.size()) << '\0';
    if (version > 1)
      stream << '\0' << '\0';
    stream << header << data;
  }

  void expectError(froe_type type, const std::string &message) {
    auto array = readNpy(file, type);
    ASSERT_FALSE(array);
    EXPECT_THAT(array.error(), HasSubstr(file.string() + ": "));
    EXPECT_THAT(array.error(), HasSubstr(message));
  }

  std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("froe-npy-test-" + std::to_string(getpid()) + ".npy");
};

std::string bytes(const Array &array) { return {reinterpret_cast<const char *>(array.data.data()), array.data.size()}; }

TEST_F(Npy, RoundTripOfEveryTypeAndRank) {
  for (const rt::ElementType &type : rt::kElementTypes)
    for (const std::vector<int64_t> &shape : {std::vector<int64_t>{}, {3}, {0}, {2, 1, 3}}) {
      Array array{type.type, shape, std::vector<std::byte>(size_t(*elementsOf(shape) * type.bytes), std::byte(1))};
      ASSERT_TRUE(writeNpy(file, array.type, array.shape, array.data));
      auto read = readNpy(file, type.type);
      ASSERT_TRUE(read) << read.error();
      EXPECT_EQ(read->shape, shape);
      EXPECT_EQ(read->data, array.data);
    }
}

TEST_F(Npy, DataIsAlignedTo64Bytes) {
  Array array{FROE_I8, {5}, std::vector<std::byte>(5)};
  ASSERT_TRUE(writeNpy(file, array.type, array.shape, array.data));
  EXPECT_EQ((std::filesystem::file_size(file) - 5) % 64, 0u);
}

TEST_F(Npy, AllVersionsOfTheFormat) {
  for (int version : {1, 2, 3}) {
    write(version, "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }", "abcdef");
    auto array = readNpy(file, FROE_I8);
    ASSERT_TRUE(array) << array.error();
    EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(bytes(*array), "abcdef");
  }
}

TEST_F(Npy, FortranOrderBecomesRowMajor) {
  write(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", "AaDdBbEeCcFf");
  auto array = readNpy(file, FROE_I16);
  ASSERT_TRUE(array) << array.error();
  EXPECT_EQ(bytes(*array), "AaBbCcDdEeFf");
}

TEST_F(Npy, RawBitsOfBFloat16) {
  for (const char *descr : {"|V2", "<V2", "<u2"}) {
    write(1, std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (1,), }", "ab");
    EXPECT_TRUE(readNpy(file, FROE_BF16)) << descr;
  }
}

TEST_F(Npy, OtherType) {
  write(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", "abcd");
  expectError(FROE_I64, "holds elements of '<i4', expected i64 ('<i8')");
  expectError(FROE_F32, "expected f32");
}

TEST_F(Npy, BigEndian) {
  write(1, "{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "abcd");
  expectError(FROE_I32, "holds elements of '>i4'");
}

TEST_F(Npy, TooShortOrTooLong) {
  write(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (4,), }", "abc");
  expectError(FROE_I8, "holds 3 bytes of elements, its shape [4] needs 4");
  write(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }", "abc");
  expectError(FROE_I8, "needs 2");
}

TEST_F(Npy, MalformedHeaders) {
  for (const char *header :
       {"", "{'descr': '|i1', 'fortran_order': False}", "{'descr': '|i1', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (1,",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}"}) {
    write(1, header, "a");
    expectError(FROE_I8, "the .npy header is malformed");
  }
}

TEST_F(Npy, ShapesThatOverflow) {
  write(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", "");
  expectError(FROE_I8, "too large");
}

TEST_F(Npy, NotANpyFile) {
  std::ofstream(file) << "hello";
  expectError(FROE_I8, "not a .npy file");
  std::ofstream(file) << "\x93NUMPY\x07";
  expectError(FROE_I8, "not a .npy file");
  std::ofstream(file, std::ios::binary) << "\x93NUMPY\x01" << '\0' << "\xff\xff";
  expectError(FROE_I8, "truncated");
}

TEST_F(Npy, NoSuchFile) { expectError(FROE_I8, "No such file"); }

} // namespace
} // namespace froe
