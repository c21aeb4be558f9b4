#include "server/services/plan.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/job/validate.h"
#include "lib/placement/plan_job.h"
#include "lib/placement/request.h"
#include "lib/selftest/plan.h"
#include "server/core/times.h"

namespace muster::services {
namespace {

absl::StatusOr<placement::Cluster> GivenCluster(const v1::PlanRequest& request, const Tiers& tiers) {
  absl::StatusOr<Tiers> given = tiers;
  if (request.tier_labels_size() > 0)
    given = Tiers::FromLabels({request.tier_labels().begin(), request.tier_labels().end()}, "tier_labels");
  if (!given.ok()) return given.status();
  std::vector<v1::Node> nodes;
  for (const v1::NodeInfo& info : request.nodes()) {
    v1::NodeInfo& node = *nodes.emplace_back().mutable_info();
    node = info;
    if (node.uid().empty()) node.set_uid(node.name());
  }
  return placement::MakeCluster(*given, nodes);
}

void EstimateTest(const v1::PlanRequest& request, v1::PlanResponse& response) {
  if (request.spec().self_test().profile() == v1::SelfTestSpec::NONE || !response.explanation().has_placement()) return;
  absl::StatusOr<std::shared_ptr<const mesh::Mesh>> mesh = MeshOf(request.spec());
  if (!mesh.ok()) return;
  selftest::Setting setting;
  setting.test = TestId("plan");
  setting.mesh = *std::move(mesh);
  setting.workers_per_member = std::max(1, request.spec().workers_per_member());
  setting.world = int64_t{request.spec().members()} * setting.workers_per_member;
  setting.placement = std::make_shared<const v1::Placement>(response.explanation().placement());
  setting.spec = request.spec().self_test();
  if (absl::StatusOr<v1::TestPlan> plan = selftest::MakePlan(setting); plan.ok())
    *response.mutable_self_test_estimate() = plan->estimate();
}

}  // namespace

absl::StatusOr<v1::PlanResponse> PlanJob(const v1::PlanRequest& request, const placement::Cluster& live,
                                         const Tiers& tiers) {
  placement::Cluster cluster = live;
  if (request.nodes_size() > 0) {
    absl::StatusOr<placement::Cluster> given = GivenCluster(request, tiers);
    if (!given.ok()) return given.status();
    cluster = *std::move(given);
  }
  const std::string name = absl::StrCat(request.namespace_().empty() ? "default" : request.namespace_(), "/",
                                        request.name().empty() ? "plan" : request.name());
  // Nodes may still register here; a given list is all there is.
  const auto nodes = request.nodes_size() == 0 ? placement::Nodes::kMayCome : placement::Nodes::kAllThereAre;
  absl::StatusOr<v1::PlanResponse> planned = placement::PlanJob(
      name, request.spec(), std::move(cluster), {request.what_if().begin(), request.what_if().end()}, nullptr, nodes);
  if (!planned.ok()) return planned.status();
  v1::PlanResponse response = *std::move(planned);
  EstimateTest(request, response);
  return response;
}

}  // namespace muster::services
