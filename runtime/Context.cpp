#include "runtime/Context.h"
#include "runtime/Profile.h"

using namespace heddle::runtime;

bool heddle_context::open(const heddle_model_table &table, const char *path, Failure &failure) {
  if (table.version != HEDDLE_MODEL_VERSION)
    return failure.contents("the table of this executable has version %lld, expected %d", static_cast<long long>(table.version),
                            HEDDLE_MODEL_VERSION);
  model = &table;
  if (!section.map(path, table.section_bytes, failure))
    return false;
  auto inside = [&](int64_t offset, int64_t bytes) {
    return offset >= 0 && bytes >= 0 && offset <= section.size() && bytes <= section.size() - offset;
  };
  for (int64_t i = 0; i < table.weight_count; ++i)
    if (!inside(table.weights[i].offset, table.weights[i].bytes))
      return failure.contents("weight %s lies outside the section of the weights", Quoted(table.weights[i].name).text());
  for (int64_t i = 0; i < table.tokenizer_count; ++i)
    if (!inside(table.tokenizers[i].offset, table.tokenizers[i].bytes))
      return failure.contents("a tokenizer lies outside the section of the weights");
  for (int64_t i = 0; i < table.check_count; ++i)
    if (!inside(table.checks[i].offset, table.checks[i].bytes))
      return failure.contents("a check lies outside the section of the weights");
  return true;
}

extern "C" void heddle_parallel(heddle_context *context, heddle_region region, void *captured, int64_t count) {
  context->pool.run(region, captured, count);
}

extern "C" void heddle_mark(heddle_context *context, int64_t call) {
  if (context->profile)
    context->profile->mark(call);
}
