#pragma once
// When each step of a round must be over, so that one that hangs takes no other with it.

#include "proto/muster/v1/selftest.pb.h"

namespace muster::selftest {

// Sets the deadline of every step, counted from the start of the round: a third of the round for whatever hangs first,
// then equal shares of half of it, and a rest to report in. A worker whose step hung is free again before those that
// wait for it in a later step give up, whichever steps they were in before: so a dead link breaks the groups that have
// it and no others.
void Schedule(v1::TestPlan& plan);

}  // namespace muster::selftest
