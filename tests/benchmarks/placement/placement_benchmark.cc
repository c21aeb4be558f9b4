// Solves every instance of a folder and prints how good, how sure and how fast: `make bench-placement`.
//
//   placement_benchmark INSTANCES [--out DIR] [--steps N] [--only SUBSTRING]
//
// Then what laying ranks anew over other schedulers' nodes gains. Times are of the process, not of the wall clock. Ends
// with 1 if a row is above 1.02 × the best known, above a baseline, breaks more at equal cost, or is wrong.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/benchmarks/placement/instance.h"
#include "tests/benchmarks/placement/rerank.h"
#include "tests/benchmarks/placement/solve.h"

namespace muster::placement {
namespace {

constexpr double kMostAboveBest = 1.02;

struct Options {
  std::string instances;
  std::string out;
  std::string only;
  SearchOptions search;
};

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--out" && i + 1 < argc) {
      options.out = argv[++i];
    } else if (arg == "--steps" && i + 1 < argc) {
      options.search.steps = std::stoll(argv[++i]);
    } else if (arg == "--only" && i + 1 < argc) {
      options.only = argv[++i];
    } else {
      options.instances = arg;
    }
  }
  return options;
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

double CpuMs() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double Ratio(int64_t cost, int64_t reference) {
  if (reference == 0) return cost == 0 ? 1.0 : INFINITY;
  return static_cast<double>(cost) / static_cast<double>(reference);
}

double Median(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Totals {
  int rows = 0, infeasible = 0, wrong = 0, above = 0, more_frag = 0, above_baseline = 0;
  double log_sum = 0, worst = 0, ms = 0;
  std::string worst_name;

  int bad() const { return wrong + above + more_frag + above_baseline; }
};

void PrintRow(const Instance& instance, const Answer& answer, double ms, Totals& totals) {
  totals.ms += ms;
  if (!answer.feasible || !instance.best.feasible) {
    const bool right =
        !instance.best.known || (!answer.feasible && !instance.best.feasible && answer.reason == instance.best.reason);
    ++totals.infeasible;
    totals.wrong += right ? 0 : 1;
    std::printf("%-20s infeasible: %s%s\n", instance.name.c_str(), answer.feasible ? "no" : answer.reason.c_str(),
                right ? "" : "  WRONG");
    return;
  }
  const int64_t cost = answer.score.total();
  std::string baselines;
  for (const auto& [rule, theirs] : instance.baselines) {
    char text[64];
    std::snprintf(text, sizeof text, " %s %.2f", rule.c_str(), Ratio(theirs, cost));
    baselines += text;
    if (cost > theirs) ++totals.above_baseline;
  }
  const double ratio = instance.best.known ? Ratio(cost, instance.best.cost) : NAN;
  const bool more_frag = instance.best.known && cost == instance.best.cost && answer.score.frag > instance.best.frag;
  std::printf("%-20s %11lld %11lld %11lld %7.4f %7.4f %4lld %4lld%s %9lld %7.1f %s\n", instance.name.c_str(),
              static_cast<long long>(cost), static_cast<long long>(instance.best.cost),
              static_cast<long long>(answer.bound), ratio, Ratio(cost, answer.bound),
              static_cast<long long>(answer.score.frag), static_cast<long long>(instance.best.frag),
              more_frag ? "!" : " ", static_cast<long long>(answer.steps), ms, baselines.c_str());
  if (!instance.best.known) return;
  ++totals.rows;
  totals.log_sum += std::log(ratio);
  totals.above += ratio > kMostAboveBest ? 1 : 0;
  totals.more_frag += more_frag ? 1 : 0;
  if (ratio > totals.worst) {
    totals.worst = ratio;
    totals.worst_name = instance.name;
  }
}

void PrintTotals(const Totals& totals) {
  std::printf(
      "\n%d placed: geometric mean %.5f x best known, worst %.4f (%s); %d above %.2f, %d that break more at "
      "equal cost, %d above a baseline; %d infeasible; %d wrong; %.0f ms in all\n",
      totals.rows, std::exp(totals.log_sum / std::max(totals.rows, 1)), totals.worst, totals.worst_name.c_str(),
      totals.above, kMostAboveBest, totals.more_frag, totals.above_baseline, totals.infeasible, totals.wrong,
      totals.ms);
}

// The same nodes, only the ranks moved.
void PrintReranked(const std::vector<Instance>& instances, const SearchOptions& options) {
  std::printf("\nranks alone: the rule's nodes kept, its traffic over ours\n%-20s", "instance");
  for (const Baseline rule : AllBaselines()) std::printf(" %10s", BaselineName(rule));
  std::printf("\n");
  std::vector<std::vector<double>> gains(AllBaselines().size());
  for (const Instance& instance : instances) {
    if (!instance.request || !instance.pinned.empty() || !instance.best.feasible) continue;
    std::printf("%-20s", instance.name.c_str());
    for (size_t i = 0; i < AllBaselines().size(); ++i) {
      const absl::optional<Reranked> reranked = Rerank(instance, AllBaselines()[i], options);
      if (!reranked) {
        std::printf(" %10s", "-");
        continue;
      }
      gains[i].push_back(Ratio(reranked->theirs, reranked->ours));
      std::printf(" %10.3f", gains[i].back());
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("%-20s", "median");
  for (const std::vector<double>& gain : gains) std::printf(" %10.3f", Median(gain));
  std::printf("\n");
}

int Run(const Options& options) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.instances)) {
    if (entry.path().extension() == ".json" && entry.path().stem().string().find(options.only) != std::string::npos) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::printf("%-20s %11s %11s %11s %7s %7s %4s %4s  %9s %7s  %s\n", "instance", "cost", "best known", "bound", "/best",
              "/bound", "frag", "best", "steps", "ms", "baselines, each over ours");
  Totals totals;
  std::vector<Instance> instances;
  for (const std::filesystem::path& file : files) {
    auto instance = ReadInstance(Read(file));
    if (!instance.ok()) {
      std::printf("%-20s %s\n", file.stem().c_str(), instance.status().ToString().c_str());
      ++totals.wrong;
      continue;
    }
    const double begin = CpuMs();
    const Answer answer = Solve(*instance, options.search);
    PrintRow(*instance, answer, CpuMs() - begin, totals);
    std::fflush(stdout);
    if (!options.out.empty()) {
      std::ofstream(options.out + "/" + file.filename().string()) << SolutionJson(*instance, answer);
    }
    instances.push_back(*std::move(instance));
  }
  PrintTotals(totals);
  PrintReranked(instances, options.search);
  return totals.bad() > 0 ? 1 : 0;
}

}  // namespace
}  // namespace muster::placement

int main(int argc, char** argv) {
  const muster::placement::Options options = muster::placement::Parse(argc, argv);
  if (options.instances.empty()) {
    std::fprintf(stderr, "usage: %s INSTANCES [--out DIR] [--steps N] [--only SUBSTRING]\n", argv[0]);
    return 2;
  }
  return muster::placement::Run(options);
}
