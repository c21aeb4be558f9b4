#pragma once
// A mesh in one line.

#include <memory>
#include <string>

#include "lib/mesh/mesh.h"
#include "proto/muster/v1/job.pb.h"

namespace muster::cli {

// "tp 4  cp 2  dp 4  pp 2", `gap` between; axes of size 1 are left out. `mesh` adds degrees that follow from the world
// and may be null.
std::string AxesText(const v1::MeshSpec& spec, const mesh::Mesh* mesh, const std::string& gap = "  ");
// "megatron tp-cp-ep-dp-pp   tp 4  cp 2  dp 4  pp 2"; empty without a mesh.
std::string MeshText(const v1::JobSpec& spec, const mesh::Mesh* mesh);

}  // namespace muster::cli
