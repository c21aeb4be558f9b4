#pragma once
// Internal to record: the small messages, each way.

#include <optional>

#include "lib/gang/record.pb.h"
#include "lib/gang/state.h"

namespace muster::gang {

store::v1::Instant Write(absl::Time time);
absl::Time Read(const store::v1::Instant& record);

store::v1::IncarnationRecord Write(const Incarnation& incarnation);
Incarnation Read(const store::v1::IncarnationRecord& record);

store::v1::RemainsRecord Write(const Remains& remains);
Remains Read(const store::v1::RemainsRecord& record);

store::v1::MemberRecord Write(PodIndex index, const Member& member);
Member Read(const store::v1::MemberRecord& record);

store::v1::FactsRecord Write(const Facts& facts);
Facts Read(const store::v1::FactsRecord& record);

store::v1::VerdictRecord Write(const VerdictOwed& verdict);
VerdictOwed Read(const store::v1::VerdictRecord& record);

store::v1::ReleasedRecord Write(const Released& released);
Released Read(const store::v1::ReleasedRecord& record);

}  // namespace muster::gang
