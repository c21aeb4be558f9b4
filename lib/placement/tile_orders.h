#pragma once
// Orders in which to lay units along a sequence of places: the mesh's dimensions, as units see them, nested and tiled
// in every useful way. In plain order a pipeline's stages are far apart and its replicas near; tiled, a rack holds a
// block of both.

#include <cstdint>
#include <functional>
#include <vector>

namespace muster::placement {

// `strides`: as UnitTraffic::strides. Calls `use` with the unit at each place: the plain order first, each order once,
// until it returns false or at most `limit` orders are out. Where all interleavings of the dimensions' prime factors
// are too many, each dimension is cut once into an inner and an outer part.
void ForEachTileOrder(const std::vector<int64_t>& strides, int32_t units, int limit,
                      const std::function<bool(const std::vector<int32_t>& unit_at)>& use);

}  // namespace muster::placement
