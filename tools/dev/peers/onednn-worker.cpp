// oneDNN in a waiting process of tools/dev/bench-peers: one product with its bias, the weights in the layout that it chooses. A line asks, a line
// answers.
//   load M N K COPIES WEIGHTS BIASES X OURS    each a file and, where its numbers begin, an offset: builds, runs, compares with the result in OURS
//   time MS                                    runs for that long at least, and five times
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <sstream>
#include <vector>

using namespace dnnl;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int fewestRuns = 5, mostRuns = 2000, warmUp = 2;
/// Calls between two waits: the price of waiting, and of waking for it, is no part of the product's.
constexpr int64_t callsPerRun = 8;

double secondsSince(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Place {
  std::string file;
  int64_t offset;
};

std::istream &operator>>(std::istream &in, Place &place) { return in >> place.file >> place.offset; }

std::vector<float> read(const Place &place, int64_t count) {
  std::vector<float> values(count);
  std::ifstream file(place.file, std::ios::binary);
  file.seekg(place.offset).read(reinterpret_cast<char *>(values.data()), count * 4);
  if (!file)
    throw std::runtime_error("cannot read " + place.file);
  return values;
}

void write(const memory &to, const std::vector<float> &values) {
  float *data = to.map_data<float>();
  std::copy(values.begin(), values.end(), data);
  to.unmap_data(data);
}

class Product {
public:
  /// Builds and runs; returns the greatest difference to `ours`, relative to the greatest value.
  double load(std::istream &line) {
    Place weightFile, biasFile, xFile, oursFile;
    line >> m >> n >> k >> copies >> weightFile >> biasFile >> xFile >> oursFile;
    using tag = memory::format_tag;
    constexpr auto f32 = memory::data_type::f32;
    memory::desc x({m, k}, f32, tag::ab), anyWeights({k, n}, f32, tag::any), bias({1, n}, f32, tag::ab), y({m, n}, f32, tag::ab);
    matmul::primitive_desc description(device, x, anyWeights, bias, y);
    product = matmul(description);
    arguments.clear();
    memory xMemory(x, device);
    yMemory = memory(y, device);
    write(xMemory, read(xFile, m * k));
    for (int64_t i = 0; i < copies; ++i) {
      memory plain({{k, n}, f32, tag::ab}, device), packed(description.weights_desc(), device), biasMemory(bias, device);
      write(plain, read({weightFile.file, weightFile.offset + 4 * i * k * n}, k * n));
      write(biasMemory, read({biasFile.file, biasFile.offset + 4 * i * n}, n));
      reorder(plain, packed).execute(queue, plain, packed);
      queue.wait();
      arguments.push_back({{DNNL_ARG_SRC, xMemory}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_BIAS, biasMemory}, {DNNL_ARG_DST, yMemory}});
    }
    double error = difference(read(oursFile, m * n));
    for (int i = 0; i < warmUp; ++i)
      run();
    return error;
  }

  /// Milliseconds of one run through all copies.
  double run() {
    int64_t turns = copies == 1 ? callsPerRun : 1;
    auto begin = Clock::now();
    for (int64_t turn = 0; turn < turns; ++turn)
      for (const auto &one : arguments)
        product.execute(queue, one);
    queue.wait();
    return secondsSince(begin) * 1e3 / double(turns);
  }

private:
  /// The result of several copies is the sum of theirs.
  double difference(const std::vector<float> &ours) {
    std::vector<float> sum(m * n);
    for (const auto &one : arguments) {
      product.execute(queue, one);
      queue.wait();
      float *data = yMemory.map_data<float>();
      std::transform(sum.begin(), sum.end(), data, sum.begin(), std::plus<float>());
      yMemory.unmap_data(data);
    }
    double apart = 0, greatest = 0;
    for (size_t i = 0; i < sum.size(); ++i) {
      apart = std::max(apart, std::abs(double(sum[i]) - ours[i]));
      greatest = std::max(greatest, std::abs(double(ours[i])));
    }
    return apart / greatest;
  }

  engine device{engine::kind::cpu, 0};
  stream queue{device};
  matmul product;
  memory yMemory;
  int64_t m = 0, n = 0, k = 0, copies = 0;
  std::vector<std::unordered_map<int, memory>> arguments;
};

/// Milliseconds of each run, until they make `least` together.
void time(Product &product, double least) {
  double sum = 0;
  std::printf("{\"times\": [");
  for (int runs = 0; runs < mostRuns && (runs < fewestRuns || sum < least); ++runs) {
    double took = product.run();
    sum += took;
    std::printf("%s%.6f", runs ? ", " : "", took);
  }
  std::printf("]}\n");
}

void answer(Product &product, std::istream &line) {
  std::string word;
  line >> word;
  if (word == "load") {
    auto begin = Clock::now();
    double error = product.load(line);
    std::printf("{\"setup\": %.3f, \"error\": %.3g}\n", secondsSince(begin), error);
  } else {
    double least = 0;
    line >> least;
    time(product, least);
  }
}

} // namespace

int main() {
  std::unique_ptr<Product> product;
  for (std::string line; std::getline(std::cin, line); std::fflush(stdout)) {
    try {
      if (!product)
        product = std::make_unique<Product>();
      std::istringstream words(line);
      answer(*product, words);
    } catch (const std::exception &error) {
      std::printf("{\"failed\": \"%s\"}\n", error.what());
    }
  }
}
