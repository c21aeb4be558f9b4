#include "client/cli/receipt_export.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "client/cli/escape.h"
#include "client/cli/format.h"
#include "client/cli/names.h"
#include "client/cli/receipt_view.h"
#include "lib/selftest/bandwidth.h"

namespace muster::cli {
namespace {

constexpr int64_t kElementBytes = 4;

// One line, with nothing that Markdown reads as its own.
std::string Cell(const std::string& text) {
  return absl::StrReplaceAll(Printable(text), {{"\\", "\\\\"},
                                               {"|", "\\|"},
                                               {"`", "\\`"},
                                               {"*", "\\*"},
                                               {"_", "\\_"},
                                               {"<", "&lt;"},
                                               {"[", "\\["},
                                               {"#", "\\#"}});
}

std::string Gbps(double value) { return value > 0 ? GbpsText(value) : "–"; }

void AppendFamilies(const v1::Receipt& receipt, std::string& out) {
  if (receipt.families().empty()) return;
  absl::StrAppend(&out,
                  "\n| family | collective | groups | size | slowest GB/s | median GB/s | floor | last pass | wrong | "
                  "verdict |\n|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n");
  for (const v1::FamilyResult& f : receipt.families()) {
    absl::StrAppend(&out, "| ", Cell(f.family()), " | ", Cell(CollectiveWord(f.collective())), " | ", f.groups(), " × ",
                    f.group_size(), " | ", BytesText(f.bytes()), " | ", Gbps(f.measured() ? f.slowest_gbps() : 0),
                    " | ", Gbps(f.measured() ? f.median_gbps() : 0), " | ", Gbps(f.floor_gbps()), " | ",
                    Gbps(f.history_gbps()), " | ");
    absl::StrAppend(&out, f.wrong_elements(), " | ", VerdictWord(f.verdict()), " |\n");
  }
}

void AppendGroups(const v1::Receipt& receipt, std::string& out) {
  bool headed = false;
  for (const v1::GroupResult& g : receipt.groups()) {
    if (g.verdict() == v1::PASS || g.verdict() == v1::SKIPPED) continue;
    if (!headed) absl::StrAppend(&out, "\n| group | collective | GB/s | verdict | why |\n|---|---|--:|---|---|\n");
    headed = true;
    absl::StrAppend(&out, "| ", Cell(g.family()), " ", g.group_index(), " | ", Cell(CollectiveWord(g.collective())),
                    " | ", Gbps(g.measured() ? g.busbw_gbps() : 0), " | ", VerdictWord(g.verdict()), " | ",
                    Cell(g.error().empty() ? g.why() : g.error()), " |\n");
  }
}

}  // namespace

std::string ReceiptAsMarkdown(const v1::Receipt& receipt) {
  std::string out = absl::StrCat("### Self-test ", Cell(receipt.id()), ": ", ReceiptVerdict(receipt), "\n\n");
  if (!receipt.job().empty()) {
    absl::StrAppend(&out, "Job ", Cell(absl::StrCat(receipt.namespace_(), "/", receipt.job())), ", attempt ",
                    receipt.attempt(), ". ");
  }
  absl::StrAppend(&out, Count(receipt.members(), "member"), ", ",
                  Count(int64_t{receipt.members()} * receipt.workers_per_member(), "worker"), ", backend ",
                  Cell(receipt.backend()), ", placement ", Cell(receipt.placement_digest()), ".\n\n",
                  Cell(receipt.summary()), "\n");
  AppendFamilies(receipt, out);
  AppendGroups(receipt, out);
  for (const v1::Accusation& accusation : receipt.accused()) {
    absl::StrAppend(&out, "\n**Accused: ", Cell(AccusedText(accusation)), "**\n\n");
    for (const std::string& evidence : accusation.evidence()) absl::StrAppend(&out, "- ", Cell(evidence), "\n");
    if (!accusation.hint().empty()) absl::StrAppend(&out, "- hint: ", Cell(accusation.hint()), "\n");
  }
  for (const std::string& action : receipt.actions()) absl::StrAppend(&out, "\nDone: ", Cell(action), "\n");
  const std::map<std::string, std::string> annotations(receipt.annotations().begin(), receipt.annotations().end());
  if (!annotations.empty()) absl::StrAppend(&out, "\n| noted | |\n|---|---|\n");
  for (const auto& [key, value] : annotations) absl::StrAppend(&out, "| ", Cell(key), " | ", Cell(value), " |\n");
  return out;
}

std::string ReceiptAsNcclTests(const v1::Receipt& receipt) {
  std::string out = absl::StrFormat(
      "# muster %s %s %s/%s attempt %d: %d workers, backend %s\n", Printable(receipt.id()), ReceiptVerdict(receipt),
      Printable(receipt.namespace_()), Printable(receipt.job()), receipt.attempt(),
      int64_t{receipt.members()} * receipt.workers_per_member(), Printable(receipt.backend()));
  absl::StrAppend(&out, "# in each family its slowest group\n");
  int64_t wrong = 0;
  double sum = 0;
  int lines = 0;
  for (const v1::FamilyResult& f : receipt.families()) {
    wrong += f.wrong_elements();
    absl::StrAppend(&out, "#\n# ", Printable(f.family()), " ", CollectiveWord(f.collective()), ": ", f.groups(),
                    " groups of ", f.group_size(), ", ", VerdictWord(f.verdict()), "\n");
    absl::StrAppendFormat(&out, "# %10s %12s %8s %6s %6s %8s %7s %7s %6s %8s %7s %7s %6s\n", "size", "count", "type",
                          "redop", "root", "time", "algbw", "busbw", "#wrong", "time", "algbw", "busbw", "#wrong");
    if (!f.measured() || f.slowest_gbps() <= 0 || f.group_size() < 2) continue;
    const bool sums = f.collective() == v1::ALL_REDUCE || f.collective() == v1::REDUCE_SCATTER;
    const double algbw = f.slowest_gbps() / selftest::BusFactor(f.collective(), f.group_size());
    absl::StrAppendFormat(&out, "%12d %12d %8s %6s %6d %8.1f %7.2f %7.2f %6d %8s %7s %7s %6s\n", f.bytes(),
                          f.bytes() / kElementBytes, "uint32", sums ? "sum" : "none", -1,
                          static_cast<double>(f.bytes()) / algbw / 1e3, algbw, f.slowest_gbps(), f.wrong_elements(),
                          "N/A", "N/A", "N/A", "N/A");
    sum += f.slowest_gbps();
    ++lines;
  }
  absl::StrAppendFormat(&out, "# Out of bounds values : %d %s\n", wrong, wrong == 0 ? "OK" : "FAILED");
  if (lines > 0) absl::StrAppendFormat(&out, "# Avg bus bandwidth    : %g\n", sum / lines);
  return out;
}

}  // namespace muster::cli
