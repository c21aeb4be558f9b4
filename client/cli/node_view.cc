#include "client/cli/node_view.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/cli/names.h"
#include "client/cli/table.h"

namespace muster::cli {
namespace {

constexpr int kShownAccelerators = 16;

int64_t Accelerators(const v1::NodeInfo& info) {
  const auto gpu = info.capacity().find("gpu");
  return gpu != info.capacity().end() ? gpu->second : info.accelerators_size();
}

std::string PathText(const v1::Node& node) {
  return absl::StrJoin(node.topology_path(), "/",
                       [](std::string* out, const std::string& d) { absl::StrAppend(out, d.empty() ? "-" : d); });
}

std::string UseText(const v1::Node& node) {
  return node.job().empty() ? UseWord(node.use()) : absl::StrCat(UseWord(node.use()), ": ", node.job());
}

// Maps come in no order.
template <typename Map>
std::string Pairs(const Map& map) {
  using Value = typename Map::mapped_type;
  return absl::StrJoin(std::map<std::string, Value>(map.begin(), map.end()), "  ", absl::PairFormatter("="));
}

}  // namespace

std::string ConditionText(const Look& look, const v1::Node& node) {
  std::string out = ConditionWord(node.condition());
  if (node.has_until()) absl::StrAppend(&out, " until ", ClockTime(FromProto(node.until()), look.now, look.zone));
  if (!node.reason().empty()) absl::StrAppend(&out, ": ", node.reason());
  return out;
}

void PrintNodes(Screen& out, const Look& look, const google::protobuf::RepeatedPtrField<v1::Node>& nodes) {
  Table table({{"NODE"},
               {"TOPOLOGY"},
               {"GPUS", true},
               {"USE"},
               {"SEEN"},
               {look.wide ? "ADDRESS" : ""},
               {look.wide ? "AGENT" : ""},
               {look.wide ? "BACKENDS" : ""},
               {look.wide ? "SOURCE" : ""},
               {look.wide ? "UID" : ""},
               {"CONDITION"}});
  for (const v1::Node& node : nodes) {
    const v1::NodeInfo& info = node.info();
    const auto in_wide = [&](const std::string& text) { return look.wide ? text : ""; };
    table.Row({info.name(), PathText(node), Thousands(Accelerators(info)),
               Span(UseText(node), node.use() == v1::FREE ? Style::kGood : Style::kPlain),
               node.has_last_seen() ? look.When(node.last_seen()) : "", in_wide(info.address()),
               in_wide(info.agent_version()), in_wide(absl::StrJoin(info.backends(), ",")), in_wide(node.source()),
               in_wide(info.uid()), Span(ConditionText(look, node), ConditionStyle(node.condition()))});
  }
  table.Print(out);
}

void PrintNode(Screen& out, const Look& look, const v1::Node& node) {
  const v1::NodeInfo& info = node.info();
  out.Line({Span(info.name(), Style::kBold), "  ", Span(ConditionText(look, node), ConditionStyle(node.condition())),
            "   ", UseText(node)});
  if (!node.set_by().empty()) out.Line(absl::StrCat("  set by ", node.set_by()));
  out.Blank();
  Facts facts;
  facts.Add("topology", PathText(node));
  facts.Add("capacity", Pairs(info.capacity()));
  facts.Add("address", info.address());
  facts.Add("agent", info.agent_version().empty()
                         ? "none"
                         : absl::StrCat(info.agent_version(), "   backends ", absl::StrJoin(info.backends(), ", "),
                                        info.allow_launch() ? "   may start workers" : "   may not start workers"));
  facts.Add("source", node.source());
  facts.Add("seen", node.has_last_seen() ? look.When(node.last_seen()) : "");
  facts.Add("uid", info.uid());
  facts.Add("boot id", info.boot_id());
  facts.Add("labels", Pairs(info.labels()));
  facts.Print(out);
  if (info.accelerators_size() > 0) {
    out.Blank();
    Table table({{"ACCELERATOR", true}, {"KIND"}, {"UUID"}, {"PCI"}, {"NUMA", true}});
    const int shown = look.wide ? info.accelerators_size() : std::min(info.accelerators_size(), kShownAccelerators);
    for (int i = 0; i < shown; ++i) {
      const v1::Accelerator& a = info.accelerators(i);
      table.Row({absl::StrCat(a.index()), a.kind(), a.uuid(), a.pci(),
                 a.has_numa_node() && a.numa_node() >= 0 ? absl::StrCat(a.numa_node()) : ""});
    }
    table.Print(out);
    if (shown < info.accelerators_size()) {
      out.Line(absl::StrCat("… and ", info.accelerators_size() - shown, " more (all of them: -o wide)"));
    }
  }
  std::string next;
  if (node.condition() == v1::QUARANTINED || node.condition() == v1::DRAINING) {
    next = absl::StrCat("muster readmit node ", info.name());
  } else if (!node.job().empty()) {
    next = absl::StrCat("muster describe job ", node.job());
  }
  if (next.empty()) return;
  out.Blank();
  out.Line({Span("next: ", Style::kDim), next});
}

}  // namespace muster::cli
