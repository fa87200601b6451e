#include "base/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "base/files.h"

namespace seam {
namespace {

std::filesystem::path scratch(const std::string& file) {
  return std::filesystem::path(testing::TempDir()) / ("seam_npy_" + file);
}

TEST(Npy, RoundTripsEveryShape) {
  for (const DType dtype : {DType::F32, DType::F16, DType::S64, DType::Pred, DType::U8, DType::C64}) {
    for (const std::vector<std::int64_t>& dims : {std::vector<std::int64_t>{}, {5}, {2, 3}, {0, 4}, {2, 1, 7}}) {
      Array array = make_array(dtype, dims);
      for (std::size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<std::byte>(i % 2);
      ASSERT_TRUE(write_npy(scratch("rt.npy"), array));
      const Result<Array> back = read_npy(scratch("rt.npy"));
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_EQ(*back, array);
    }
  }
}

std::string file_with(const std::string& dict, const std::string& data) {
  std::string header = dict + "\n";
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size());
  out += '\0';
  return out + header + data;
}

TEST(Npy, ReadsFortranOrderAndBigEndian) {
  const std::string data("\x00\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06", 12);
  ASSERT_TRUE(write_file(scratch("be.npy"), file_with("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }", data)));
  const Result<Array> array = read_npy(scratch("be.npy"));
  ASSERT_TRUE(array) << array.error().message;
  for (int i = 0; i < 6; ++i) EXPECT_EQ(load_as_double(DType::S16, &array->data[static_cast<std::size_t>(i) * 2]), i + 1);
}

TEST(Npy, RefusesDamage) {
  const std::string good = file_with("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", std::string(8, '\0'));
  ASSERT_TRUE(write_file(scratch("good.npy"), good));
  ASSERT_TRUE(read_npy(scratch("good.npy")));
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    ASSERT_TRUE(write_file(scratch("cut.npy"), good.substr(0, cut)));
    EXPECT_FALSE(read_npy(scratch("cut.npy"))) << cut;
  }
  for (const char* dict : {"{'descr': '<O', 'fortran_order': False, 'shape': (2,), }", "{'descr': '<f4', 'shape': (2,), }",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }"}) {
    ASSERT_TRUE(write_file(scratch("bad.npy"), file_with(dict, "")));
    const Result<Array> array = read_npy(scratch("bad.npy"));
    ASSERT_FALSE(array);
    EXPECT_EQ(array.error().code, Error::Code::BadInput);
  }
  EXPECT_EQ(read_npy(scratch("absent.npy")).error().code, Error::Code::NotFound);
}

}  // namespace
}  // namespace seam
