#include "client/cli/receipt_view.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/cli/mesh_text.h"
#include "client/cli/names.h"
#include "client/cli/pair_map.h"
#include "client/cli/table.h"

namespace muster::cli {
namespace {

constexpr int kShownGroups = 8;
constexpr int kShownDifferences = 20;

std::string ConfidenceWord(const v1::Accusation& accusation) {
  return accusation.confidence() == v1::Accusation::CONFIDENCE_UNSPECIFIED
             ? ""
             : absl::StrCat("   confidence ",
                            absl::AsciiStrToLower(v1::Accusation::Confidence_Name(accusation.confidence())));
}

// "gloo 2022-05-18": the version if all nodes have the same.
std::string BackendText(const v1::Receipt& receipt) {
  std::set<std::string> versions;
  for (const v1::NodeSurroundings& node : receipt.nodes()) {
    const auto version = node.facts().find("backend_version");
    if (version != node.facts().end()) versions.insert(version->second);
  }
  return versions.size() == 1 ? absl::StrCat(receipt.backend(), " ", *versions.begin()) : receipt.backend();
}

std::string ShapeText(const v1::Receipt& receipt) {
  const std::string axes = AxesText(receipt.mesh(), nullptr, ", ");
  return absl::StrCat(Count(receipt.members(), "member"), ", ",
                      Count(int64_t{receipt.members()} * receipt.workers_per_member(), "worker"),
                      axes.empty() ? "" : absl::StrCat(" (", axes, ")"));
}

Span FamilyVerdict(const v1::FamilyResult& family) {
  std::string text = VerdictWord(family.verdict());
  if (family.failed_groups() > 0) {
    absl::StrAppend(&text, "  ", Thousands(family.failed_groups()), " of ", Count(family.groups(), "group"));
  } else if (family.inconclusive_groups() > 0) {
    absl::StrAppend(&text, "  ", Thousands(family.inconclusive_groups()), " of ", Count(family.groups(), "group"));
  }
  return {text, VerdictStyle(family.verdict())};
}

// How far its slowest group falls behind: a bar and the number.
Span ShareText(const v1::FamilyResult& f) {
  if (!f.measured() || f.median_gbps() <= 0 || f.groups() < 2) return "";
  const double share = f.slowest_gbps() / f.median_gbps();
  return {absl::StrCat(Bar(share), absl::StrFormat(" %.2f", share)),
          f.failed_groups() > 0 ? Style::kBad : Style::kPlain};
}

void PrintFamilies(Screen& out, const v1::Receipt& receipt) {
  Table table({{"FAMILY"},
               {"COLLECTIVE"},
               {"GROUPS", true},
               {"SIZE", true},
               {"BUSBW GB/s: slowest", true},
               {"median", true},
               {"SLOWEST OF MEDIAN"},
               {"floor", true},
               {"last pass", true},
               {"DATA"},
               {"VERDICT"}});
  for (const v1::FamilyResult& f : receipt.families()) {
    const std::string data = !f.measured() && f.wrong_elements() == 0 ? "–"
                             : f.wrong_elements() > 0 ? absl::StrCat(Thousands(f.wrong_elements()), " WRONG")
                                                      : "ok";
    table.Row({f.family(), CollectiveWord(f.collective()), absl::StrCat(f.groups(), " × ", f.group_size()),
               BytesText(f.bytes()), f.measured() ? GbpsText(f.slowest_gbps()) : "–",
               f.measured() ? GbpsText(f.median_gbps()) : "–", ShareText(f),
               f.floor_gbps() > 0 ? GbpsText(f.floor_gbps()) : "–",
               f.history_gbps() > 0 ? GbpsText(f.history_gbps()) : "",
               Span(data, f.wrong_elements() > 0 ? Style::kBad : Style::kPlain), FamilyVerdict(f)});
  }
  if (table.empty()) return;
  out.Blank();
  table.Print(out);
}

std::string RanksText(const v1::GroupResult& group) {
  std::vector<int64_t> head(group.ranks_head().begin(), group.ranks_head().end());
  const int64_t more = group.size() - static_cast<int64_t>(head.size());
  return absl::StrCat(RangesText(head), more > 0 ? absl::StrCat(",… ", more, " more") : "");
}

// Groups that are no plain pass, worst first as they come; all of them where asked.
void PrintGroups(Screen& out, const v1::Receipt& receipt, bool all) {
  Table table({{"GROUP"}, {"COLLECTIVE"}, {"RANKS"}, {"BUSBW GB/s", true}, {"VERDICT"}, {"WHY"}});
  int64_t left_out = 0;
  for (const v1::GroupResult& g : receipt.groups()) {
    if (!all && (g.verdict() == v1::PASS || g.verdict() == v1::SKIPPED)) continue;
    if (!all && table.size() == kShownGroups) {
      ++left_out;
      continue;
    }
    std::string why = g.error().empty() ? g.why() : g.error();
    if (!g.hint().empty()) absl::StrAppend(&why, "; hint: ", g.hint());
    if (!g.carried_from().empty())
      absl::StrAppend(&why, why.empty() ? "" : "; ", "carried over from ", g.carried_from());
    table.Row({absl::StrCat(g.family(), " ", g.group_index()), CollectiveWord(g.collective()), RanksText(g),
               g.measured() ? GbpsText(g.busbw_gbps()) : "–", Span(VerdictWord(g.verdict()), VerdictStyle(g.verdict())),
               why});
  }
  if (table.empty()) return;
  out.Blank();
  table.Print(out);
  if (left_out > 0) out.Line(absl::StrCat("… and ", Thousands(left_out), " more (all of them: -o wide)"));
}

void PrintAccused(Screen& out, const v1::Receipt& receipt) {
  if (receipt.accused_size() > 0) out.Blank();
  for (const v1::Accusation& accusation : receipt.accused()) {
    out.Line({Span("accused: ", Style::kDim), Span(AccusedText(accusation), Style::kBad), ConfidenceWord(accusation)});
    for (const std::string& evidence : accusation.evidence()) out.Line(absl::StrCat("  ", evidence));
    if (!accusation.hint().empty()) out.Line({Span("  hint: ", Style::kDim), accusation.hint()});
  }
}

void PrintNext(Screen& out, const v1::Receipt& receipt) {
  for (const v1::Accusation& a : receipt.accused()) {
    if (a.node().empty()) continue;
    out.Line({Span("next: ", Style::kDim),
              absl::StrCat("when ", a.node(), " is repaired: muster selftest node ", a.node(),
                           " (passing readmits it); without a test: muster readmit node ", a.node())});
    return;
  }
  if (!receipt.job().empty() && receipt.verdict() != v1::PASS && !receipt.waived()) {
    out.Line({Span("next: ", Style::kDim),
              absl::StrCat("muster explain job ", TypedName(receipt.namespace_(), receipt.job()))});
  }
}

// What time budgets cut, in one line; nothing if every step ran as often as its profile asks.
void PrintCuts(Screen& out, const v1::Receipt& receipt) {
  int asked = 0, least = 0, most = 0;
  for (const v1::TestPlan& plan : receipt.plans()) {
    for (const v1::TestStep& step : plan.steps()) asked = std::max(asked, step.iterations());
  }
  for (const v1::GroupResult& g : receipt.groups()) {
    if (g.iterations() <= 0) continue;
    least = least == 0 ? g.iterations() : std::min(least, g.iterations());
    most = std::max(most, g.iterations());
  }
  if (least == 0 || least >= asked) return;
  out.Line({Span("timed iterations: ", Style::kDim),
            absl::StrCat(Interval(least, most), " of ", asked, ", cut to each step's share of the profile's time")});
}

void PrintSurroundings(Screen& out, const v1::Receipt& receipt) {
  Table table({{"NODE"}, {"BOOT ID"}, {"AGENT"}, {"ACCELERATORS", true}, {"FACTS"}});
  for (const v1::NodeSurroundings& node : receipt.nodes()) {
    // Maps come in no order.
    const std::map<std::string, std::string> facts(node.facts().begin(), node.facts().end());
    table.Row({node.node(), node.boot_id(), node.agent_version(), absl::StrCat(node.accelerator_uuids_size()),
               absl::StrJoin(facts, "  ", absl::PairFormatter(" "))});
  }
  if (table.empty()) return;
  out.Blank();
  table.Print(out);
}

}  // namespace

std::string AccusedText(const v1::Accusation& a) {
  switch (a.kind()) {
    case v1::Accusation::NODE:
      return a.node();
    case v1::Accusation::ACCELERATOR:
      return absl::StrCat(a.node(), " accelerator ", a.part());
    case v1::Accusation::NIC:
      return absl::StrCat(a.node(), " NIC ", a.part());
    case v1::Accusation::RAIL:
      return a.part();
    case v1::Accusation::LINK:
      return absl::StrCat("link ", a.node(), a.node().empty() || a.part().empty() ? "" : " ↔ ", a.part());
    case v1::Accusation::SWITCH_DOMAIN:
      return absl::StrCat("switch domain ", a.part());
    case v1::Accusation::PLACEMENT:
      return "the placement itself";
    case v1::Accusation::CONFIG:
      return "nobody: the job's own configuration";
    case v1::Accusation::INTERNAL:
      return "nobody: Muster's own fault";
    case v1::Accusation::INFRASTRUCTURE:
      return "nobody: the infrastructure, or something that has passed";
    default:
      return a.node().empty() ? "nobody" : absl::StrCat(a.node(), a.part().empty() ? "" : " ", a.part());
  }
}

std::string ReceiptVerdict(const v1::Receipt& receipt) {
  if (receipt.waived()) return "WAIVED";
  switch (receipt.verdict()) {
    case v1::PASS:
      return "PASSED";
    case v1::WARN:
      return "PASSED WITH WARNINGS";
    case v1::FAIL:
      return "FAILED";
    case v1::SKIPPED:
      return "SKIPPED";
    case v1::INCONCLUSIVE:
      return "INCONCLUSIVE";
    default:
      return "NO VERDICT";
  }
}

Style ReceiptStyle(const v1::Receipt& receipt) {
  return receipt.waived() ? Style::kWarn : VerdictStyle(receipt.verdict());
}

void PrintReceipts(Screen& out, const Look& look, const google::protobuf::RepeatedPtrField<v1::Receipt>& receipts) {
  Table table({{"RECEIPT"},
               {"VERDICT"},
               {"JOB"},
               {"ATTEMPT", true},
               {"WORKERS", true},
               {"BACKEND"},
               {"TRIGGER"},
               {"FINISHED"},
               {look.wide ? "PLACEMENT" : ""},
               {"SUMMARY"}});
  for (const v1::Receipt& r : receipts) {
    table.Row({r.id(), Span(absl::AsciiStrToLower(ReceiptVerdict(r)), ReceiptStyle(r)),
               r.job().empty() ? "" : absl::StrCat(r.namespace_(), "/", r.job()), absl::StrCat(r.attempt()),
               Thousands(int64_t{r.members()} * r.workers_per_member()), r.backend(), r.trigger(),
               r.has_finished() ? look.When(r.finished()) : "", look.wide ? r.placement_digest() : "", r.summary()});
  }
  table.Print(out);
}

void PrintReceipt(Screen& out, const Look& look, const v1::Receipt& receipt) {
  std::vector<std::string> parts = {
      absl::StrCat(receipt.job().empty() ? receipt.id() : absl::StrCat(receipt.namespace_(), "/", receipt.job()),
                   " attempt ", receipt.attempt()),
      ShapeText(receipt)};
  if (!receipt.backend().empty()) parts.push_back(BackendText(receipt));
  if (receipt.has_started() && receipt.has_finished()) {
    parts.push_back(absl::StrCat("took ", DurationText(FromProto(receipt.finished()) - FromProto(receipt.started()))));
  }
  if (receipt.has_finished()) parts.push_back(look.When(receipt.finished()));
  out.Line({Span(ReceiptVerdict(receipt), ReceiptStyle(receipt)), "  ", absl::StrJoin(parts, "   ")});
  out.Line({Span(
      absl::StrCat(
          receipt.id(),
          receipt.placement_digest().empty()
              ? ""
              : absl::StrCat("   placement ",
                             look.wide ? receipt.placement_digest() : receipt.placement_digest().substr(0, 12)),
          receipt.coordinator_version().empty() ? "" : absl::StrCat("   coordinator ", receipt.coordinator_version())),
      Style::kDim)});
  if (!receipt.summary().empty()) out.Line(receipt.summary());
  PrintFamilies(out, receipt);
  PrintGroups(out, receipt, look.wide);
  PrintCuts(out, receipt);
  PrintPairMap(out, receipt);
  if (look.wide) PrintSurroundings(out, receipt);
  PrintAccused(out, receipt);
  if (receipt.actions_size() > 0 || receipt.accused_size() == 0) out.Blank();
  for (const std::string& action : receipt.actions()) out.Line({Span("done: ", Style::kDim), action});
  const std::map<std::string, std::string> annotations(receipt.annotations().begin(), receipt.annotations().end());
  for (const auto& [key, value] : annotations)
    out.Line({Span("noted: ", Style::kDim), absl::StrCat(key, " = ", value)});
  PrintNext(out, receipt);
}

void PrintComparison(Screen& out, const v1::CompareReceiptsResponse& comparison, bool all) {
  out.Line({Span(comparison.same_placement() ? "same placement digest" : "other placement digest",
                 comparison.same_placement() ? Style::kPlain : Style::kWarn),
            "   ",
            Span(comparison.same_shape() ? "same job shape" : "other job shape",
                 comparison.same_shape() ? Style::kPlain : Style::kWarn)});
  if (comparison.differences().empty()) {
    out.Line("nothing changed");
    return;
  }
  Table table({{"CHANGED"}, {"FROM"}, {""}, {"TO"}, {"RATIO", true}});
  const int shown = all ? comparison.differences_size() : std::min(comparison.differences_size(), kShownDifferences);
  for (int i = 0; i < shown; ++i) {
    const v1::ReceiptDifference& d = comparison.differences(i);
    table.Row({d.field(), d.left().empty() ? "(unset)" : d.left(), "→", d.right().empty() ? "(unset)" : d.right(),
               d.has_ratio() ? RatioText(1, d.ratio()) : ""});
  }
  table.Print(out);
  if (shown < comparison.differences_size()) {
    out.Line(absl::StrCat("… and ", comparison.differences_size() - shown, " more (all of them: -o wide)"));
  }
}

}  // namespace muster::cli
