#include "client/cli/live_nodes.h"

#include <utility>
#include <vector>

#include "lib/inventory/inventory.h"
#include "lib/topology/tiers.h"

namespace muster::cli {

absl::StatusOr<placement::Cluster> LiveCluster(Context& context) {
  std::vector<v1::Node> nodes;
  std::vector<Tier> tiers;
  v1::ListNodesRequest request;
  request.set_page_size(1000);
  do {
    absl::StatusOr<v1::ListNodesResponse> page = context.coordinator().ListNodes(request);
    if (!page.ok()) return page.status();
    if (tiers.empty()) {
      for (const std::string& name : page->tiers()) tiers.push_back({name, inventory::LabelKey(name)});
    }
    for (v1::Node& node : *page->mutable_nodes()) {
      // The tiers' label keys are the server's own affair; the path says where the node is.
      for (int i = 0; i < node.topology_path_size() && i < static_cast<int>(tiers.size()); ++i) {
        (*node.mutable_info()->mutable_labels())[tiers[i].label] = node.topology_path(i);
      }
      nodes.push_back(std::move(node));
    }
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  const absl::StatusOr<Tiers> made = Tiers::Create(std::move(tiers));
  if (!made.ok()) return made.status();
  return placement::MakeCluster(*made, nodes);
}

}  // namespace muster::cli
