#include "tests/conformance/megatron_args.h"

#include <stdexcept>
#include <string>

namespace muster::conformance {
namespace {

void Read(mesh::MegatronSpec& spec, const std::string& key, const Json& value) {
  if (value.is_null()) return;  // absent
  if (key == "tp") return value.get_to(spec.tp), void();
  if (key == "cp") return value.get_to(spec.cp), void();
  if (key == "ep") return value.get_to(spec.ep), void();
  if (key == "pp") return value.get_to(spec.pp), void();
  if (key == "etp") return spec.etp.emplace(value.get<int64_t>()), void();
  if (key == "gtp") return value.get_to(spec.gtp), void();
  if (key == "egtp") return value.get_to(spec.egtp), void();
  if (key == "order") return value.get_to(spec.order), void();
  if (key == "num_distopt") return value.get_to(spec.num_distopt), void();
  if (key == "hcp") return value.get_to(spec.hcp), void();
  if (key == "hybrid_cp") return value.get_to(spec.hybrid_cp), void();
  if (key == "vpp") return spec.vpp.emplace(value.get<int64_t>()), void();
  if (key == "gloo") return value.get_to(spec.gloo), void();
  if (key == "use_sharp") return value.get_to(spec.use_sharp), void();
  if (key == "sharp_group") return spec.sharp_group.emplace(value.get<std::string>()), void();
  if (key == "pp_backend") return spec.pp_backend.emplace(value.get<std::string>()), void();
  if (key == "rank_offset") return value.get_to(spec.rank_offset), void();
  if (key != "world") throw std::invalid_argument("args." + key + " is unknown");
}

}  // namespace

mesh::MegatronSpec MegatronSpecOf(const Json& config) {
  mesh::MegatronSpec spec;
  for (const auto& [key, value] : config.at("args").items()) Read(spec, key, value);
  // The file's own commit has the gtp axis; entries of another commit are from before it.
  if (config.contains("upstream_commit")) spec.revision = mesh::MegatronRevision::kBeforeGtp;
  spec.all_gather_groups = config.at("kind") == "all_gather_groups";
  return spec;
}

}  // namespace muster::conformance
