#include "compiler/support/Npy.h"
#include "SafetensorsFile.h"
#include "TemporaryFolder.h"
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace heddle;
using testing::HasSubstr;

namespace {
std::string npy(std::string header, std::string_view data, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  file.push_back(static_cast<char>(header.size() & 0xFF));
  file.push_back(static_cast<char>(header.size() >> 8));
  if (version > 1)
    file.append(2, '\0');
  return file + header + std::string(data);
}
std::string dictionary(std::string type, std::string order, std::string shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n";
}

std::optional<NpyArray> read(std::string_view contents) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  auto array = readNpy(folder.put("a.npy", contents), diagnostics);
  EXPECT_TRUE(array.has_value()) << diagnostics.render();
  return array;
}
std::string refusal(std::string_view contents) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  EXPECT_FALSE(readNpy(folder.put("a.npy", contents), diagnostics).has_value());
  EXPECT_EQ(diagnostics.errorCount(), 1u);
  return diagnostics.render();
}
std::vector<float> floats(const NpyArray &array) {
  std::vector<float> values(array.data.size() / 4);
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}
} // namespace

TEST(Npy, readsAllVersionsAndOrders) {
  std::string data = floatBytes({1, 2, 3, 4, 5, 6});
  for (char version : {1, 2, 3})
    EXPECT_EQ(floats(*read(npy(dictionary("<f4", "False", "(2, 3)"), data, version))), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  auto fortran = read(npy(dictionary("<f4", "True", "(2, 3)"), data));
  EXPECT_EQ(fortran->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(floats(*fortran), (std::vector<float>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(read(npy(dictionary("|b1", "False", "()"), "\1"))->shape.size(), 0u);
  EXPECT_EQ(read(npy(dictionary("<i8", "False", "(0, 5)"), ""))->element, ElementType::I64);
  EXPECT_EQ(read(npy("{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<i4\"}", "1234"))->shape, std::vector<int64_t>{1});
}

TEST(Npy, whatIsWrittenIsRead) {
  TemporaryFolder folder;
  Diagnostics diagnostics;
  for (std::vector<int64_t> shape : {std::vector<int64_t>{}, {4}, {2, 2}, {1, 0, 7}}) {
    size_t count = 1;
    for (int64_t extent : shape)
      count *= static_cast<size_t>(extent);
    NpyArray array{ElementType::F32, shape, std::vector<char>(count * 4, 'x')};
    ASSERT_TRUE(writeNpy(folder / "a.npy", array, diagnostics)) << diagnostics.render();
    auto again = readNpy(folder / "a.npy", diagnostics);
    ASSERT_TRUE(again) << diagnostics.render();
    EXPECT_EQ(again->shape, array.shape);
    EXPECT_EQ(again->data, array.data);
    EXPECT_EQ((folder.get("a.npy").size() - array.data.size()) % 64, 0u);
  }
}

TEST(Npy, refusesContradictions) {
  EXPECT_THAT(refusal(npy(dictionary("<f4", "False", "(2, 3)"), std::string(25, 'x'))),
              HasSubstr("shape [2, 3] of '<f4' does not agree with 25 bytes"));
  EXPECT_THAT(refusal(npy(dictionary("<f4", "False", "(1000000000000,)"), "1234")), HasSubstr("does not agree with 4 bytes"));
  EXPECT_THAT(refusal(npy(dictionary("<f4", "False", "(4294967296, 4294967296)"), "")), HasSubstr("does not agree with 0 bytes"));
  EXPECT_THAT(refusal(npy(dictionary("<f4", "False", "(0, 4611686018427387904, 4611686018427387904)"), "")), HasSubstr("does not agree"));
  EXPECT_THAT(refusal(npy(dictionary("|b1", "False", "(2,)"), "\1\2")), HasSubstr("a bool that is neither 0 nor 1"));
}

TEST(Npy, refusesOtherElements) {
  for (std::string type : {">f4", "<f2", "|O", "<U3", "<c8", "<u4", "=f4", "f4"})
    EXPECT_THAT(refusal(npy(dictionary(type, "False", "(1,)"), "1234")), HasSubstr("elements of type '" + type + "'"));
}

TEST(Npy, refusesHeadersThatAreNone) {
  std::string good = dictionary("<f4", "False", "(1,)");
  for (std::string header : {std::string(), std::string("{}"), good + "x", std::string("{'descr': '<f4', 'fortran_order': False}"),
                             std::string("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"), dictionary("<f4", "0", "(1,)"),
                             dictionary("<f4", "False", "(1)"), dictionary("<f4", "False", "(-1,)"), dictionary("<f4", "False", "(-0,)"),
                             dictionary("<f4", "False", "[1]"), dictionary("<f4", "False", "(99999999999999999999,)"),
                             std::string("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}")})
    EXPECT_THAT(refusal(npy(header, "1234")), HasSubstr("the header is not one that NumPy writes")) << header;
  EXPECT_THAT(refusal(npy(dictionary("<f4", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"), "1234")), HasSubstr("17 axes, at most 16 are read"));
  EXPECT_THAT(refusal("PK\3\4 something else"), HasSubstr("no .npy file"));
  EXPECT_THAT(refusal(npy(good, "1234", 4)), HasSubstr("version 4.0"));
  std::string tooLong = npy(std::string(65536 - good.size(), ' ') + good, "1234", 2);
  tooLong[10] = 1; // the third byte of the length
  EXPECT_THAT(refusal(tooLong), HasSubstr("the header is said to have 65536 bytes"));
  std::string whole = npy(good, "1234");
  for (size_t size = 0; size < whole.size(); ++size)
    refusal(whole.substr(0, size));
}
