// The example's trained model, from its text through the interpreter, against the figures that an independent implementation stored with it.
#include "ReferenceTest.h"
#include "compiler/frontend/Frontend.h"
#include "compiler/support/File.h"
#include "compiler/support/Json.h"

using namespace heddle;

namespace {
const std::string example = HEDDLE_SOURCE_DIR "/examples/german-numbers";

class Example : public ReferenceTest {
protected:
  void SetUp() override {
    module = importModel(context, {example + "/transformer.heddle", example, {}, {}}, diagnostics);
    weights = Checkpoint::open(example, diagnostics);
    auto text = readFile(example + "/expected.json", 1 << 20, diagnostics);
    ASSERT_TRUE(module && weights && text) << diagnostics.render();
    stored = parseJson(*text, "expected.json", diagnostics);
    ASSERT_TRUE(stored) << diagnostics.render();
  }

  Tensor entry(const std::string &name, llvm::ArrayRef<Tensor> arguments, const Environment &environment = {}) {
    auto results = evaluateEntry(module->lookupSymbol<mlir::func::FuncOp>(name), arguments, environment, weights.get(), diagnostics);
    EXPECT_TRUE(results) << diagnostics.render();
    return results ? results->front() : Tensor();
  }

  static std::vector<double> numbers(const Json &json) {
    std::vector<double> all;
    for (const Json &element : json.elements())
      if (auto number = element.number())
        all.push_back(*number);
      else
        llvm::append_range(all, numbers(element));
    return all;
  }

  std::unique_ptr<Checkpoint> weights;
  std::optional<Json> stored;
};

constexpr double start = 1; // decoder_start_token_id of the example
} // namespace

TEST_F(Example, encoderOutputAndFirstLogits) {
  for (const Json &word : stored->find("details")->elements()) {
    std::vector<double> ids = numbers(*word.find("source_ids"));
    Tensor memory = entry("encode", Tensor({1, static_cast<int64_t>(ids.size())}, ids));
    expectNear(memory.data, numbers(*word.find("encoder_output")), 2e-6); // the stored figures are float32
    Tensor logits = entry("decode", {Tensor({1, 1}, start), memory});
    expectNear(logits.data, numbers(*word.find("first_step_logits")), 1e-5);
  }
}

TEST_F(Example, aPaddedBatchGivesWhatEachRowGives) {
  const Json &batch = *stored->find("batch");
  int64_t rows = static_cast<int64_t>(batch.find("source_ids")->elements().size());
  std::vector<double> ids = numbers(*batch.find("source_ids"));
  int64_t width = static_cast<int64_t>(ids.size()) / rows;
  Environment environment;
  for (int64_t b = 0; b < rows; ++b) {
    int64_t length = width;
    while (length && ids[b * width + length - 1] == 0) // padding
      --length;
    environment.ragged["source"].lengths.push_back(length);
    environment.ragged["source"].starts.push_back(0);
  }
  Tensor memory = entry("encode", Tensor({rows, width}, ids), environment);
  Tensor logits = entry("decode", {Tensor({rows, 1}, start), memory}, environment);
  expectNear(logits.data, numbers(*batch.find("first_step_logits")), 1e-5);
}
