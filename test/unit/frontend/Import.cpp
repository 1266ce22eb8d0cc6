// Writes a model into a temporary folder and imports it.
#include "test/unit/frontend/Import.h"
#include "compiler/frontend/Frontend.h"
#include "mlir/IR/MLIRContext.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

namespace heddle::test {

namespace fs = std::filesystem;

static fs::path makeFolder() {
  std::string name = (fs::temp_directory_path() / "heddle-frontend-XXXXXX").string();
  EXPECT_TRUE(mkdtemp(name.data()));
  return name;
}

static void writeTensors(const fs::path &file, const Model &model) {
  std::string header;
  int64_t offset = 0;
  for (const auto &[name, shape] : model.tensors) {
    std::string extents;
    int64_t bytes = model.element == "F32" ? 4 : 2;
    for (int64_t extent : shape) {
      extents += fmt::format("{}{}", extents.empty() ? "" : ",", extent);
      bytes *= extent;
    }
    header += fmt::format("{}\"{}\":{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", header.empty() ? "{" : ",", name, model.element,
                          extents, offset, offset + bytes);
    offset += bytes;
  }
  header += "}";
  uint64_t length = header.size();
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char *>(&length), 8);
  out << header << std::string(offset, '\0');
}

Imported import(const Model &model) {
  fs::path folder = makeFolder();
  std::ofstream(folder / "x.heddle") << model.text;
  if (!model.config.empty())
    std::ofstream(folder / "config.json") << model.config;
  if (!model.tensors.empty())
    writeTensors(folder / "model.safetensors", model);
  Imported result;
  result.context = std::make_unique<mlir::MLIRContext>();
  Diagnostics diagnostics;
  result.module = importModel(*result.context, {(folder / "x.heddle").string(), model.weights, model.settings, ""}, diagnostics);
  result.messages = diagnostics.render();
  EXPECT_EQ(!result.module, diagnostics.hasErrors()) << result.messages;
  if (result.module) {
    llvm::raw_string_ostream stream(result.ir);
    result.module->print(stream);
  }
  fs::remove_all(folder);
  return result;
}

std::string refusal(const Model &model) {
  Imported imported = import(model);
  EXPECT_FALSE(imported.module) << model.text;
  return imported.messages;
}

std::string accepted(const Model &model) {
  Imported imported = import(model);
  EXPECT_TRUE(imported.module) << imported.messages;
  return imported.ir;
}

std::string entryText(const std::string &body, const std::string &functions, const std::string &result) {
  return fmt::format(R"(heddle 1
model x {{
  config n_embd: int = 64
  config n_head: int = 4
  config n_inner: int = 4 * n_embd
  config n_layer: int = 2
{}
  entry forward(tokens: i32[batch, sequence... <= 128], x: f32[batch, sequence..., n_embd]) -> {} {{
{}
  }}
}}
)",
                     functions, result, body);
}

} // namespace heddle::test
