#include "client/cli/compare_placements.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/cli/contender.h"
#include "client/cli/exit_code.h"
#include "client/cli/format.h"
#include "client/cli/job_source.h"
#include "client/cli/live_nodes.h"
#include "client/cli/nodes_source.h"
#include "client/cli/plan_offline.h"
#include "client/cli/table.h"
#include "lib/job/validate.h"
#include "lib/placement/what_if.h"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Side {
  std::string name;
  v1::Placement placement;
};

int64_t NodesInCommon(const Side& left, const Side& right) {
  std::set<std::string> names;
  for (const v1::PlacedNode& rank : left.placement.ranks()) names.insert(rank.node());
  std::set<std::string> both;
  for (const v1::PlacedNode& rank : right.placement.ranks()) {
    if (names.count(rank.node()) > 0) both.insert(rank.node());
  }
  return static_cast<int64_t>(both.size());
}

// How many domains of the tier the ranks touch; an unknown one counts by itself.
int64_t DomainsTouched(const v1::Placement& placement, int tier) {
  std::set<std::string> domains;
  for (const v1::PlacedNode& rank : placement.ranks()) {
    std::string path;
    for (int i = 0; i <= tier; ++i) absl::StrAppend(&path, rank.topology_path(i), "/");
    if (rank.topology_path(tier).empty()) absl::StrAppend(&path, rank.node());
    domains.insert(path);
  }
  return static_cast<int64_t>(domains.size());
}

const v1::FamilyCrossings* Find(const v1::Placement& placement, const std::string& family) {
  for (const v1::FamilyCrossings& one : placement.crossings()) {
    if (one.family() == family) return &one;
  }
  return nullptr;
}

class ComparePlacements final : public Command {
 public:
  void Declare(FlagSet& flags) override {
    flags.Arguments(&names_, "PLACEMENT", 2, 2);
    source_.Declare(flags);
    nodes_.Declare(flags);
  }

  absl::StatusOr<int> Run(Context& context) override {
    if (absl::Status status = nodes_.Check(); !status.ok()) return status;
    if (source_.file == "-" && nodes_.file == "-") {
      return UsageError("--file and --nodes can't both be standard input");
    }
    const absl::StatusOr<JobFile> job = source_.Read(context.in);
    if (!job.ok()) return job.status();
    const auto mesh = MeshOf(job->spec);
    if (!mesh.ok()) return AboutFile(WithLine(mesh.status(), *job));
    v1::JobSpec spec = job->spec;
    // What is compared is where ranks sit; a contender that keeps them by index says so itself.
    spec.mutable_placement()->set_rank_by(v1::PlacementSpec::TOPOLOGY);
    const auto request = placement::RequestOf(absl::StrCat(job->ns, "/", job->name), spec, *mesh);
    if (!request.ok()) return AboutFile(WithLine(request.status(), *job));
    std::vector<std::string> notes;
    absl::StatusOr<placement::Cluster> cluster = placement::Cluster();
    if (nodes_.given()) {
      auto read = nodes_.ReadNodes(context.in, GpusNeeded(job->spec), context.now());
      if (!read.ok()) return read.status();
      cluster = std::move(read->cluster);
      notes = std::move(read->notes);
    } else {
      cluster = LiveCluster(context);
    }
    if (!cluster.ok()) return cluster.status();
    for (const std::string& change : nodes_.what_if) {
      if (absl::Status status = placement::ApplyWhatIf(change, *cluster); !status.ok())
        return UsageError(std::string(status.message()));
    }
    std::vector<Side> sides;
    for (const std::string& name : names_) {
      absl::StatusOr<v1::Placement> placed = PlaceContender(context, name, *request, *cluster);
      if (!placed.ok()) return placed.status();
      sides.push_back({name, *std::move(placed)});
    }
    if (ForPrograms(context.format)) {
      PrintJson(context.out, context.format, Document(request->job, sides[0], sides[1]));
    } else {
      Print(context, request->job, sides[0], sides[1]);
      for (const std::string& note : notes) context.out.Line({Span("note: ", Style::kDim), note});
    }
    return kExitOk;
  }

 private:
  static std::string Document(const std::string& job, const Side& left, const Side& right) {
    const auto side = [](const Side& one) {
      return Json{{"name", one.name}, {"placement", Json::parse(ToJson(one.placement), nullptr, false)}};
    };
    Json document{
        {"job", job}, {"left", side(left)}, {"right", side(right)}, {"nodesInCommon", NodesInCommon(left, right)}};
    if (left.placement.cost() > 0) {
      document["costRatio"] = static_cast<double>(right.placement.cost()) / static_cast<double>(left.placement.cost());
    }
    return document.dump();
  }

  static void Print(Context& context, const std::string& job, const Side& left, const Side& right) {
    context.out.Line({"job ", Span(job, Style::kBold)});
    Table table({{""}, {left.name, true}, {right.name, true}, {"", true}});
    const auto row = [&](const std::string& what, int64_t a, int64_t b, const std::string& more) {
      table.Row({what, Thousands(a), Thousands(b), more});
    };
    const int64_t a = left.placement.cost();
    const int64_t b = right.placement.cost();
    row("cost", a, b, a > 0 ? RatioText(static_cast<double>(a), static_cast<double>(b)) : "");
    for (int tier = 0; tier < left.placement.tiers_size(); ++tier) {
      row(absl::StrCat(left.placement.tiers(tier), "s touched"), DomainsTouched(left.placement, tier),
          DomainsTouched(right.placement, tier), "");
    }
    for (const v1::FamilyCrossings& family : left.placement.crossings()) {
      const v1::FamilyCrossings* other = Find(right.placement, family.family());
      if (other == nullptr) continue;
      row(absl::StrCat(family.family(), " cost"), family.cost(), other->cost(), "");
      for (int tier = 0; tier < std::min(family.tiers_size(), other->tiers_size()); ++tier) {
        const int64_t here = family.tiers(tier).crossing_edges();
        const int64_t there = other->tiers(tier).crossing_edges();
        if (!context.wide() && here == 0 && there == 0) continue;
        row(absl::StrCat(family.family(), " edges across ", family.tiers(tier).tier(), "s"), here, there,
            absl::StrCat("of ", Thousands(family.edges())));
      }
    }
    table.Print(context.out);
    const int64_t common = NodesInCommon(left, right);
    context.out.Line(
        absl::StrCat(common, " of ", left.placement.ranks_size(), " node ranks' nodes are in both",
                     left.placement.digest() == right.placement.digest() ? "; the placements are the same" : ""));
  }

  std::vector<std::string> names_;
  JobSource source_;
  NodesSource nodes_;
};

}  // namespace

void AddComparePlacements(std::vector<CommandInfo>& commands) {
  commands.push_back({"compare", "placements",
                      "two ways to place a job: Muster's, other schedulers', a job's, a file's",
                      "muster compare placements muster kueue -f job.yaml\n"
                      "muster compare placements kueue kueue+muster -f job.yaml --nodes nodes.json\n"
                      "muster compare placements job:team-a/llama mine.txt -f job.yaml",
                      Make<ComparePlacements>});
}

}  // namespace muster::cli
