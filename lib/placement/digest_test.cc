#include "lib/placement/digest.h"

#include <vector>

#include "gtest/gtest.h"
#include "lib/placement/test_mesh.h"

namespace muster::placement {
namespace {

v1::JobSpec Spec() {
  v1::JobSpec spec = Job(2, 4);
  v1::MeshSpec::Axis& axis = *spec.mutable_mesh()->add_axes();
  axis.set_name("tp");
  axis.set_size(4);
  return spec;
}

TEST(Digest, CanonicalText_IsAsDocumented) {
  const std::vector<NodeUid> nodes = {NodeUid("u-1"), NodeUid("u-2")};
  EXPECT_EQ(CanonicalText(Spec(), nodes),
            "muster placement 1\nmembers 2 workers_per_member 4\nmesh.dialect 8:megatron\nmesh.axes\n"
            "mesh.axes.name 2:tp\nmesh.axes.size 4\nrank 3:u-1\nrank 3:u-2\n");
  // sha256sum of that text.
  EXPECT_EQ(Digest(Spec(), nodes), "4f7aa982f824dfdf461b7a6ae9fd4fdc55bf4b647c5055671bb8dfbe983e3210");
}

TEST(Digest, WhatMatters_ChangesItAndNothingElseDoes) {
  const std::vector<NodeUid> nodes = {NodeUid("a"), NodeUid("b")};
  const std::string digest = Digest(Spec(), nodes);
  v1::JobSpec same = Spec();
  same.mutable_mesh()->set_dialect("megatron");
  same.set_priority(7);
  same.mutable_launch()->add_command("x");
  EXPECT_EQ(Digest(same, nodes), digest);
  EXPECT_NE(Digest(Spec(), {NodeUid("b"), NodeUid("a")}), digest);
  v1::JobSpec other = Spec();
  other.mutable_mesh()->mutable_axes(0)->set_size(2);
  EXPECT_NE(Digest(other, nodes), digest);
  other = Spec();
  other.mutable_mesh()->mutable_megatron()->set_gloo(false);
  EXPECT_NE(Digest(other, nodes), digest);
  // Boundaries between names can't be shifted.
  EXPECT_NE(Digest(Job(2, 1), {NodeUid("a\nrank 1:b"), NodeUid("c")}), Digest(Job(2, 1), {NodeUid("a"), NodeUid("b")}));
}

}  // namespace
}  // namespace muster::placement
