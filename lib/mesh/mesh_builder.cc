#include "lib/mesh/mesh_builder.h"

#include <utility>

namespace muster::mesh {

MeshBuilder::MeshBuilder(std::string dialect, int64_t world, Grid dense) : mesh_(new Mesh) {
  mesh_->dialect_ = std::move(dialect);
  mesh_->world_ = world;
  mesh_->dense_ = std::move(dense);
}

void MeshBuilder::SetExpert(Grid expert) { mesh_->expert_ = std::move(expert); }

void MeshBuilder::Add(Family family) {
  std::vector<Family> alone;
  alone.push_back(std::move(family));
  AddInTurns(std::move(alone), 1);
}

void MeshBuilder::AddInTurns(std::vector<Family> families, int64_t rounds) {
  CreationStep step;
  step.rounds = rounds;
  for (Family& family : families) {
    step.families.push_back(mesh_->families_.size());
    mesh_->families_.push_back(std::move(family));
  }
  mesh_->creation_.push_back(std::move(step));
}

void MeshBuilder::Alias(std::string alias, std::string family) {
  mesh_->aliases_.emplace_back(std::move(alias), std::move(family));
}

void MeshBuilder::Note(std::string sentence) { mesh_->notes_.push_back(std::move(sentence)); }

std::shared_ptr<const Mesh> MeshBuilder::Build() && { return std::move(mesh_); }

}  // namespace muster::mesh
