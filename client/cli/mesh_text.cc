#include "client/cli/mesh_text.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace muster::cli {

std::string AxesText(const v1::MeshSpec& spec, const mesh::Mesh* mesh, const std::string& gap) {
  std::vector<std::string> parts;
  std::set<std::string> said;
  for (const v1::MeshSpec::Axis& axis : spec.axes()) {
    said.insert(axis.name());
    if (axis.size() > 1) parts.push_back(absl::StrCat(axis.name(), " ", axis.size()));
  }
  if (mesh != nullptr) {
    for (const mesh::Axis& axis : mesh->dense().axes()) {
      if (axis.size > 1 && said.insert(axis.name).second) parts.push_back(absl::StrCat(axis.name, " ", axis.size));
    }
  }
  return absl::StrJoin(parts, gap);
}

std::string MeshText(const v1::JobSpec& spec, const mesh::Mesh* mesh) {
  if (!spec.has_mesh()) return "";
  const v1::MeshSpec& m = spec.mesh();
  const std::string dialect = m.dialect().empty() ? "megatron" : m.dialect();
  const std::string order = m.order().empty() && dialect == "megatron" ? "tp-cp-ep-dp-pp" : m.order();
  const std::string axes = AxesText(m, mesh);
  return absl::StrCat(dialect, order.empty() ? "" : " ", order, axes.empty() ? "" : "   ", axes);
}

}  // namespace muster::cli
