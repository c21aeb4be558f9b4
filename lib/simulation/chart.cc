#include "lib/simulation/chart.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace muster::simulation {
namespace {

constexpr int kLeft = 64, kWidth = 800, kHeight = 180, kTop = 40, kGap = 60;

// Of one interval.
struct Column {
  double busy = 0, down = 0, queued = 0;  // means
  int64_t most_queued = 0;
};

std::vector<Column> Columns(const Result& result) {
  std::vector<Column> columns(kWidth);
  const double end = std::max(absl::ToDoubleSeconds(result.end), 1e-9), step = end / kWidth;
  for (size_t i = 0; i < result.levels.size(); ++i) {
    const Level& level = result.levels[i];
    const double from = absl::ToDoubleSeconds(level.at);
    const double to = i + 1 < result.levels.size() ? absl::ToDoubleSeconds(result.levels[i + 1].at) : end;
    for (auto c = static_cast<int>(from / step); c < kWidth && c * step < to; ++c) {
      if (c < 0) continue;
      const double part = std::max(0.0, std::min(to, (c + 1) * step) - std::max(from, c * step)) / step;
      columns[c].busy += part * static_cast<double>(level.busy);
      columns[c].down += part * static_cast<double>(level.down);
      columns[c].queued += part * static_cast<double>(level.queued);
      columns[c].most_queued = std::max(columns[c].most_queued, level.queued);
    }
  }
  return columns;
}

// 1, 2 or 5 times a power of ten, so that at most `most` of them span `range`.
double TickOf(double range, double most) {
  const double least = range / most, power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

// A polyline of one value a column, in a panel whose greatest value is `top`.
std::string Line(const std::vector<Column>& columns, int y, double top, const char* style,
                 const std::function<double(const Column&)>& value) {
  std::string points;
  for (int c = 0; c < kWidth; ++c) {
    absl::StrAppendFormat(&points, "%d,%.1f ", kLeft + c,
                          y + kHeight * (1 - std::clamp(value(columns[c]) / top, 0.0, 1.0)));
  }
  return absl::StrCat("<polyline points=\"", points, "\" fill=\"none\" ", style, "/>\n");
}

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

// A panel's frame with lines at the ticks of its scale.
std::string Panel(int y, double top, double tick, const std::string& title, const char* unit) {
  std::string out = Text(kLeft, y - 8, "start", title);
  for (double value = 0; value <= top * 1.0001; value += tick) {
    const double at = y + kHeight * (1 - value / top);
    absl::StrAppendFormat(&out, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>\n", kLeft, at, kWidth);
    out += Text(kLeft - 6, at + 4, "end", absl::StrFormat("%g%s", value, unit));
  }
  return out;
}

std::string TimeAxis(absl::Duration end, int y) {
  const bool days = end > absl::Hours(48), hours = end > absl::Hours(2);
  const double unit = days ? 86'400 : hours ? 3'600 : 60;
  const double range = std::max(absl::ToDoubleSeconds(end) / unit, 1e-6), tick = TickOf(range, 8);
  std::string out;
  for (double value = 0; value <= range * 1.0001; value += tick)
    out += Text(kLeft + kWidth * value / range, y + 18, "middle", absl::StrFormat("%g", value));
  return out + Text(kLeft + kWidth / 2.0, y + 36, "middle", days ? "days" : hours ? "hours" : "minutes");
}

}  // namespace

std::string Chart(const Result& result) {
  const std::vector<Column> columns = Columns(result);
  int64_t deepest = 1;
  for (const Column& column : columns) deepest = std::max(deepest, column.most_queued);
  const auto nodes = static_cast<double>(std::max<int64_t>(1, result.nodes));
  const int first = kTop, second = kTop + kHeight + kGap, bottom = second + kHeight;
  const double tick = std::max(1.0, TickOf(static_cast<double>(deepest), 5));
  const double top = std::ceil(static_cast<double>(deepest) / tick) * tick;
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kLeft + kWidth + 24, bottom + 48);
  svg += Panel(first, 100, 20, absl::StrFormat("nodes in use, of %d (grey: down)", result.nodes), " %");
  svg += Line(columns, first, nodes, "stroke=\"#999\"", [](const Column& c) { return c.down; });
  svg += Line(columns, first, nodes, "stroke=\"#06c\" stroke-width=\"1.5\"", [](const Column& c) { return c.busy; });
  svg += Panel(second, top, tick, "jobs in the queue (light: the most)", "");
  svg +=
      Line(columns, second, top, "stroke=\"#fb9\"", [](const Column& c) { return static_cast<double>(c.most_queued); });
  svg += Line(columns, second, top, "stroke=\"#c40\" stroke-width=\"1.5\"", [](const Column& c) { return c.queued; });
  return svg + TimeAxis(result.end, bottom) + "</svg>\n";
}

}  // namespace muster::simulation
