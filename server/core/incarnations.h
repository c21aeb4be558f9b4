#pragma once
// Incarnations between the contract and lib/gang.

#include "lib/gang/incarnation.h"
#include "proto/muster/v1/identity.pb.h"
#include "server/core/times.h"

namespace muster::core {

inline gang::Incarnation IncarnationOf(const v1::Incarnation& from) {
  return {from.restart_attempt(), TimeOf(from.created()), from.uid(), from.ordinal()};
}

inline void SetIncarnation(const gang::Incarnation& from, v1::Incarnation* out) {
  out->set_restart_attempt(from.restart_attempt);
  SetTime(from.created, out->mutable_created());
  out->set_uid(from.uid);
  out->set_ordinal(from.ordinal);
}

}  // namespace muster::core
