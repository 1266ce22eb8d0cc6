// An executable that computes something else than what the interpreter did says which kernel, and by how much.
#include "runtime/SelfTest.h"
#include "runtime/Context.h"
#include "runtime/checksum.h"
#include "runtime/seeded.h"
#include "test/unit/runtime/SmallElf.h"
#include "test/unit/support/TemporaryFolder.h"
#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <unistd.h>

using namespace heddle::runtime;

namespace {

// scaled(x: f32[rows], ids: i32[rows]) -> f32[rows], and a kernel of the same kind.
const heddle_term rowTerm[] = {{1, {0, -1, -1, -1}}};
const heddle_form extents[] = {{1, rowTerm}};
const heddle_dimension dimensions[] = {{"rows", HEDDLE_PLAIN, -1, 0}};
const heddle_value arguments[] = {{"x", HEDDLE_F32, 1, extents, -1, 0, 0, 0}, {"ids", HEDDLE_I32, 1, extents, -1, 3, 0, 0}};
const heddle_value results[] = {{"y", HEDDLE_F32, 1, extents, -1, 0, 0, 0}};
const heddle_entry entries[] = {{"scaled", "", 1, dimensions, 2, arguments, 1, results, {}, {}, 0, nullptr},
                                {"check.scale.0", "", 1, dimensions, 2, arguments, 1, results, {}, {}, 0, nullptr}};
const heddle_kernel kernels[] = {{"scale.0", ""}, {"divides.1", ""}, {"check.scale.0.flatten.0", ""}};

constexpr int64_t rows = 200'000; // of which a third is kept
float added = 0;

float expected(int64_t i) { return heddle_seeded_number(HEDDLE_POSITIVE, 0, i) * static_cast<float>(heddle_seeded_id(1, i, 3)); }

void scale(heddle_context *, void *const *buffers, const int64_t *sizes) {
  for (int64_t i = 0; i < sizes[0]; ++i)
    static_cast<float *>(buffers[2])[i] =
        static_cast<const float *>(buffers[0])[i] * static_cast<float>(static_cast<const int32_t *>(buffers[1])[i]) + added;
}

class SelfTest : public testing::Test {
protected:
  SelfTest() {
    for (int64_t i = 0; i < heddle_kept_count(rows); ++i)
      kept.push_back(expected(heddle_kept_element(i, rows)));
    added = 0;
  }
  /// What --selftest says, or its message.
  std::string run() {
    checks[0].bytes = static_cast<int64_t>(kept.size() * 4);
    std::string bytes(reinterpret_cast<const char *>(kept.data()), kept.size() * 4);
    bytes.resize((bytes.size() + 7) / 8 * 8);
    heddle_checksum sum = {};
    heddle_checksum_add(&sum, bytes.data(), bytes.size());
    uint64_t value = heddle_checksum_value(sum);
    bytes.append(reinterpret_cast<const char *>(&value), 8);
    heddle_model_table model = {};
    model.section_bytes = static_cast<int64_t>(bytes.size());
    model.entry_count = 1, model.entries = entries;
    model.kernel_count = 3, model.kernels = kernels;
    model.check_count = 2, model.checks = checks;
    const heddle_entry_function functions[] = {scale, scale};
    heddle_variant variant = {"x86-64-v3", 3, functions, nullptr};
    heddle_context context;
    context.model = &model, context.variant = &variant;
    Failure failure;
    std::string path = folder.put("model", SmallElf(bytes).bytes());
    EXPECT_TRUE(context.section.map(path.c_str(), model.section_bytes, failure)) << failure.text;
    int file = open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    Output out(file);
    bool ok = selfTest(context, 1, out, failure);
    EXPECT_TRUE(out.finish(failure) || !ok);
    close(file);
    return ok ? folder.get("out") : failure.text;
  }
  const int64_t sizes[1] = {rows};
  heddle_check checks[2] = {{1, "", 1, sizes, HEDDLE_POSITIVE, 0, 0}, {0, "it is too large to be interpreted when it is built", 0, nullptr, 0, 0, 0}};
  std::vector<float> kept;
  heddle::TemporaryFolder folder;
};

TEST_F(SelfTest, SaysWhatIsCheckedAndWhatIsNot) {
  EXPECT_EQ(run(), "weights: " + std::to_string((kept.size() * 4 + 7) / 8 * 8) +
                       " bytes, ok\n"
                       "kernel scale.0: error 0.0e+00, allowed 1e-10, ok\n"
                       "entry scaled: not checked, it is too large to be interpreted when it is built\n"
                       "kernel divides.1: not checked, its shapes divide or multiply dimensions\n");
}
TEST_F(SelfTest, NamesTheKernelThatIsWrong) {
  added = 1e-2f;
  EXPECT_TRUE(run().starts_with("self-test: result 'y' of kernel 'scale.0' is off by ")) << run();
}
TEST_F(SelfTest, FindsANumberWhereNoneShouldBe) {
  kept[7] = NAN;
  EXPECT_EQ(run(), "self-test: result 'y' of kernel 'scale.0' is off by inf (squared differences over squares), allowed 1e-10");
}
TEST_F(SelfTest, DoesNotReadBehindWhatIsStored) {
  kept.pop_back();
  EXPECT_EQ(run(), "self-test: what is stored for kernel 'scale.0' is damaged");
}

TEST(Seeded, KeepsElementsOfEveryColumnAndRow) {
  for (int64_t columns : {64, 704, 768, 1536, 4096})
    for (int64_t rows : {1, 3, 34, 700, 4000}) {
      std::vector<int64_t> ofColumn(static_cast<size_t>(columns)), ofRow(static_cast<size_t>(rows));
      int64_t count = columns * rows;
      for (int64_t i = 0; i < heddle_kept_count(count); ++i) {
        int64_t element = heddle_kept_element(i, count);
        ASSERT_TRUE(element >= 0 && element < count);
        ++ofColumn[static_cast<size_t>(element % columns)], ++ofRow[static_cast<size_t>(element / columns)];
      }
      EXPECT_EQ(std::count(ofColumn.begin(), ofColumn.end(), 0), 0) << rows << " x " << columns;
      EXPECT_EQ(std::count(ofRow.begin(), ofRow.end(), 0), 0) << rows << " x " << columns;
    }
  EXPECT_EQ(heddle_kept_count(0), 0);
}
TEST(Seeded, NumbersAndIdsAreInTheirRanges) {
  double sum = 0;
  for (int64_t i = 0; i < 10'000; ++i) {
    float number = heddle_seeded_number(HEDDLE_AROUND_ZERO, 3, i), positive = heddle_seeded_number(HEDDLE_POSITIVE, 3, i);
    ASSERT_TRUE(number >= -2 && number < 2 && positive > 0 && positive <= 1) << i;
    sum += number;
    int32_t id = heddle_seeded_id(3, i, 5);
    ASSERT_TRUE(id >= 0 && id < 5) << i;
    ASSERT_LT(heddle_seeded_id(3, i, 0), 2) << i;
  }
  EXPECT_NEAR(sum / 10'000, 0, 0.05);
}

} // namespace
