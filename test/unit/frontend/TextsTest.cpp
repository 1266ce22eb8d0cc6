// Every text of the project, and of the notes beside it, becomes ops that verify, each with small configurations; what is not built yet is refused
// with its reason.
#include "compiler/frontend/Parser.h"
#include "test/unit/frontend/Import.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

using namespace heddle::test;
using testing::HasSubstr;
using testing::Not;

namespace {
/// A text, below examples or test/frontend/texts, and a config.json for it.
struct Small {
  const char *text, *config;
};

#define DECODER "\"vocab_size\": 50, \"hidden_size\": 24, \"intermediate_size\": 40, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, "
#define DISTILBERT "\"vocab_size\": 50, \"dim\": 21, \"hidden_dim\": 40, \"n_layers\": 2, \"n_heads\": 3, \"max_position_embeddings\": 64, "
#define SEQUENCES                                                                                                                                    \
  "\"d_model\": 16, \"encoder_layers\": 1, \"encoder_attention_heads\": 2, \"encoder_ffn_dim\": 20, \"decoder_layers\": 1, "                         \
  "\"decoder_attention_heads\": 4, \"decoder_ffn_dim\": 24, \"max_position_embeddings\": 32, "

const Small smalls[] = {
    {"german-numbers/transformer", "{" SEQUENCES "\"vocab_size\": 20, \"decoder_vocab_size\": 30}"},
    {"prenorm-seq2seq", "{" SEQUENCES "\"vocab_size\": 20, \"decoder_vocab_size\": 30}"},
    {"marian", "{" SEQUENCES "\"vocab_size\": 20, \"pad_token_id\": 19}"},
    {"gpt2", R"({"vocab_size": 50, "n_positions": 32, "n_embd": 24, "n_layer": 2, "n_head": 3})"},
    {"gpt2",
     R"({"vocab_size": 50, "n_positions": 32, "n_embd": 24, "n_layer": 2, "n_head": 3, "scale_attn_by_inverse_layer_idx": true, "tie_word_embeddings": false})"},
    {"llama", "{" DECODER "\"num_key_value_heads\": 2}"},
    {"llama", "{" DECODER "\"model_type\": \"mistral\", \"sliding_window\": 8, \"tie_word_embeddings\": true}"},
    {"llama", "{" DECODER "\"model_type\": \"qwen2\", \"head_dim\": 8, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.0}}"},
    {"llama",
     "{" DECODER
     "\"rope_parameters\": {\"rope_theta\": 500000.0, \"rope_type\": \"llama3\", \"factor\": 8.0, \"original_max_position_embeddings\": 64}}"},
    {"llama", "{" DECODER "\"rope_scaling\": {\"rope_type\": \"yarn\", \"factor\": 4.0, \"original_max_position_embeddings\": 64}}"},
    {"qwen3", "{" DECODER "\"num_key_value_heads\": 2, \"head_dim\": 8, \"max_position_embeddings\": 64}"},
    {"gemma", "{" DECODER "\"model_type\": \"gemma2\", \"num_key_value_heads\": 2, \"head_dim\": 8, \"sliding_window\": 8, "
              "\"attn_logit_softcapping\": 50.0, \"final_logit_softcapping\": 30.0}"},
    {"gemma", "{" DECODER "\"model_type\": \"gemma3_text\", \"num_key_value_heads\": 1, \"head_dim\": 8, \"sliding_window\": 8, \"layer_types\": "
              "[\"sliding_attention\", \"full_attention\"]}"},
    {"phi3", "{" DECODER "\"max_position_embeddings\": 64}"},
    {"phi3", "{" DECODER "\"max_position_embeddings\": 64, \"original_max_position_embeddings\": 32, \"rope_scaling\": {\"type\": \"longrope\", "
             "\"short_factor\": [1.0, 1.0, 1.0], \"long_factor\": [1.0, 2.0, 4.0]}}"},
    {"gpt-neox", "{" DECODER "\"max_position_embeddings\": 64, \"rotary_pct\": 0.5}"},
    {"gpt-neox", "{" DECODER "\"max_position_embeddings\": 64, \"use_parallel_residual\": false, \"rotary_pct\": 1.0}"},
    {"bert", "{" DECODER "\"max_position_embeddings\": 64, \"architectures\": []}"},
    {"bert", "{" DECODER "\"max_position_embeddings\": 64, \"model_type\": \"roberta\", \"type_vocab_size\": 1, \"pad_token_id\": 1}"},
    {"bert", "{" DECODER "\"max_position_embeddings\": 64, \"model_type\": \"camembert\", \"architectures\": [\"CamembertModel\"]}"},
    {"distilbert", "{" DISTILBERT "\"pad_token_id\": 0}"},
    {"distilbert", "{" DISTILBERT "\"activation\": \"relu\", \"sinusoidal_pos_embds\": true, \"id2label\": {\"0\": \"a\", \"1\": \"b\"}}"},
    {"t5", R"({"vocab_size": 50, "d_model": 24, "d_kv": 5, "d_ff": 40, "num_layers": 2, "num_heads": 4})"},
    {"t5",
     R"({"vocab_size": 50, "d_model": 24, "d_kv": 5, "d_ff": 40, "num_layers": 1, "num_heads": 4, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": false,
            "relative_attention_num_buckets": 8, "relative_attention_max_distance": 20})"},
    {"whisper", R"({"vocab_size": 50, "num_mel_bins": 8, "d_model": 16, "max_source_positions": 10, "max_target_positions": 12, "encoder_layers": 1,
            "encoder_attention_heads": 2, "encoder_ffn_dim": 20, "decoder_layers": 1, "decoder_attention_heads": 4, "decoder_ffn_dim": 24})"},
    {"vit",
     R"({"image_size": 8, "patch_size": 4, "num_channels": 3, "num_hidden_layers": 2, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 20,
            "id2label": {"0": "a", "1": "b", "2": "c"}})"},
    {"vit", R"({"image_size": 9, "patch_size": 3, "num_channels": 1, "num_hidden_layers": 1, "hidden_size": 15, "num_attention_heads": 3,
            "intermediate_size": 20, "qkv_bias": false, "id2label": {"0": "a"}})"},
    {"attention/attention-lesson", R"({"vocab_size": 12, "d_model": 16, "d_k": 8, "max_position_embeddings": 20})"},
};

namespace fs = std::filesystem;

std::string readFile(const fs::path &path) {
  std::ifstream file(path);
  std::ostringstream text;
  EXPECT_TRUE(file && text << file.rdbuf()) << "no text " << path;
  return text.str();
}

std::string readText(const std::string &name) {
  fs::path root(HEDDLE_SOURCE_DIR), example = root / "examples" / (name.find('/') == name.npos ? name + "/" + name + ".heddle" : name + ".heddle");
  return readFile(fs::exists(example) ? example : root / "test/frontend/texts" / (name + ".heddle"));
}

void expectTaken(const std::string &text, const Small &small) {
  SCOPED_TRACE(std::string(small.text) + " " + small.config);
  Imported imported = import({text, small.config, {}, {}, "seed:1"});
  EXPECT_TRUE(imported.module) << imported.messages;
  EXPECT_THAT(imported.messages, Not(HasSubstr("error")));
}

void expectNotBuiltYet(const std::string &mixtral, const std::string &training) {
  std::string config = "{" DECODER "\"num_key_value_heads\": 2, \"num_local_experts\": 4, \"num_experts_per_tok\": 2}";
  EXPECT_THAT(refusal({mixtral, config, {}, {}, "seed:1"}), HasSubstr("'keep_top' is not built yet"));
  config = "{" SEQUENCES "\"vocab_size\": 20, \"decoder_vocab_size\": 30}";
  EXPECT_THAT(refusal({training, config, {}, {}, "seed:1"}), HasSubstr("'dropout' is not built yet"));
}
} // namespace

TEST(Texts, smallConfigurations) {
  for (const Small &small : smalls)
    expectTaken(readText(small.text), small);
}

/// What a text does not cover is refused by the value that asks for it: the configuration of its family goes on to say more than the text does.
TEST(Texts, configurationsNotCovered) {
  const struct {
    const char *text, *config, *message;
  } refused[] = {
      {"llama", "{" DECODER "\"rope_scaling\": {\"type\": \"dynamic\", \"factor\": 2.0}}", "\"dynamic\""},
      {"qwen3", "{" DECODER "\"rope_scaling\": {\"type\": \"yarn\", \"factor\": 2.0}}", "scaled rotations are in llama.heddle, not in this text"},
      {"gemma", "{" DECODER "\"num_key_value_heads\": 2, \"head_dim\": 8, \"use_bidirectional_attention\": true}",
       "attention in both directions is not in this text"},
      {"gemma", "{" DECODER "\"num_key_value_heads\": 2, \"head_dim\": 8, \"rope_parameters\": {\"full_attention\": {\"rope_type\": \"llama3\"}}}",
       "\"llama3\""},
      {"phi3", "{" DECODER "\"max_position_embeddings\": 64, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.0}}", "\"linear\""},
      {"gpt-neox", "{" DECODER "\"max_position_embeddings\": 64, \"rope_scaling\": {\"type\": \"linear\", \"factor\": 2.0}}",
       "scaled rotations are in llama.heddle, not in this text"},
      {"bert", "{" DECODER "\"max_position_embeddings\": 64, \"is_decoder\": true}", "only encoders of absolute positions are covered"},
      {"distilbert", "{" DISTILBERT "\"activation\": \"swiglu\"}", "\"swiglu\""},
      {"marian", "{" SEQUENCES "\"vocab_size\": 20, \"pad_token_id\": 19, \"tie_word_embeddings\": false}",
       "separate embeddings are not in this text"},
  };
  for (const auto &each : refused)
    EXPECT_THAT(refusal({readText(each.text), each.config, {}, {}, "seed:1"}), HasSubstr(each.message)) << each.text << " " << each.config;
}

TEST(Texts, notBuiltYet) { expectNotBuiltYet(readText("mixtral"), readText("training")); }

/// The texts the language was settled with: older than those under examples, and still texts of it.
TEST(Texts, thoseBesideTheProject) {
  fs::path folder(HEDDLE_TEXTS);
  if (!fs::is_directory(folder))
    GTEST_SKIP() << "there is no " << folder;
  std::set<std::string> names, tested = {"mixtral", "training", "prelude"};
  for (const auto &file : fs::directory_iterator(folder))
    names.insert(file.path().stem());
  for (const Small &small : smalls) {
    std::string name = fs::path(small.text).filename();
    if (!names.contains(name))
      continue; // a younger text
    tested.insert(name);
    expectTaken(readFile(folder / (name + ".heddle")), small);
  }
  expectNotBuiltYet(readFile(folder / "mixtral.heddle"), readFile(folder / "training.heddle"));
  heddle::Diagnostics diagnostics;
  EXPECT_TRUE(heddle::syntax::parseText(readFile(folder / "prelude.heddle"), "prelude.heddle", diagnostics)) << diagnostics.render();
  EXPECT_EQ(names, tested);
}
