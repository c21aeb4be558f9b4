// Solves every instance of a folder and prints how good, how sure and how fast: `make bench-placement`.
//
//   placement_benchmark INSTANCES [--out DIR] [--steps N] [--only SUBSTRING]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/benchmarks/placement/instance.h"
#include "tests/benchmarks/placement/solve.h"

namespace muster::placement {
namespace {

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

double Ratio(int64_t cost, int64_t reference) {
  return reference == 0 ? (cost == 0 ? 1.0 : INFINITY) : static_cast<double>(cost) / static_cast<double>(reference);
}

struct Totals {
  int rows = 0, wrong = 0, above = 0, more_frag = 0, above_baseline = 0;
  double log_sum = 0, worst = 0;
  std::string worst_name;
};

void PrintRow(const Instance& instance, const Answer& answer, double ms, Totals& totals) {
  if (!answer.feasible || (instance.best.known && !instance.best.feasible)) {
    const bool right = !answer.feasible && !instance.best.feasible && answer.reason == instance.best.reason;
    totals.wrong += right ? 0 : 1;
    std::printf("%-20s infeasible: %s%s\n", instance.name.c_str(), answer.feasible ? "no" : answer.reason.c_str(),
                right ? "" : "  WRONG");
    return;
  }
  const double ratio = instance.best.known ? Ratio(answer.score.total(), instance.best.cost) : NAN;
  std::string baselines;
  for (const auto& [rule, cost] : instance.baselines) {
    char text[64];
    std::snprintf(text, sizeof text, " %s %.2f", rule.c_str(), Ratio(cost, answer.score.total()));
    baselines += text;
    if (answer.score.total() > cost) ++totals.above_baseline;
  }
  const bool worse_frag =
      instance.best.known && answer.score.total() == instance.best.cost && answer.score.frag > instance.best.frag;
  std::printf("%-20s %11lld %11lld %11lld %7.4f %7.4f %4lld %4lld%s %9lld %8.1f %s\n", instance.name.c_str(),
              static_cast<long long>(answer.score.total()), static_cast<long long>(instance.best.cost),
              static_cast<long long>(answer.bound), ratio, Ratio(answer.score.total(), answer.bound),
              static_cast<long long>(answer.score.frag), static_cast<long long>(instance.best.frag),
              worse_frag ? "!" : " ", static_cast<long long>(answer.steps), ms, baselines.c_str());
  if (!instance.best.known) return;
  ++totals.rows;
  totals.log_sum += std::log(ratio);
  totals.above += ratio > 1.02 ? 1 : 0;
  totals.more_frag += worse_frag ? 1 : 0;
  if (ratio > totals.worst) {
    totals.worst = ratio;
    totals.worst_name = instance.name;
  }
}

int Run(int argc, char** argv) {
  std::string instances, out, only;
  SearchOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--out" && i + 1 < argc) {
      out = argv[++i];
    } else if (arg == "--steps" && i + 1 < argc) {
      options.steps = std::stoll(argv[++i]);
    } else if (arg == "--only" && i + 1 < argc) {
      only = argv[++i];
    } else {
      instances = arg;
    }
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(instances)) {
    if (entry.path().extension() == ".json" && entry.path().stem().string().find(only) != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::printf("%-20s %11s %11s %11s %7s %7s %4s %4s  %9s %8s  %s\n", "instance", "cost", "best known", "bound", "/best",
              "/bound", "frag", "best", "steps", "ms", "baselines, each over ours");
  Totals totals;
  for (const std::filesystem::path& file : files) {
    const auto instance = ReadInstance(Read(file));
    if (!instance.ok()) {
      std::printf("%-20s %s\n", file.stem().c_str(), instance.status().ToString().c_str());
      ++totals.wrong;
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    const Answer answer = Solve(*instance, options);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    PrintRow(*instance, answer, took.count(), totals);
    std::fflush(stdout);
    if (!out.empty()) std::ofstream(out + "/" + file.filename().string()) << SolutionJson(*instance, answer);
  }
  std::printf(
      "%d rows: geometric mean %.5f, worst %.4f (%s), above 1.02: %d, more frag at equal cost: %d, above a "
      "baseline: %d, wrong: %d\n",
      totals.rows, std::exp(totals.log_sum / std::max(totals.rows, 1)), totals.worst, totals.worst_name.c_str(),
      totals.above, totals.more_frag, totals.above_baseline, totals.wrong);
  return totals.wrong + totals.above + totals.more_frag + totals.above_baseline > 0 ? 1 : 0;
}

}  // namespace
}  // namespace muster::placement

int main(int argc, char** argv) { return muster::placement::Run(argc, argv); }
