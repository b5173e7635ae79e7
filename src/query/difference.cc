#include "query/difference.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"

namespace ki::query {
namespace {

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  Lines out = split(text, '\n');
  for (std::string_view& line : out) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  if (out.size() > kDiffTextLinesMax) out.resize(kDiffTextLinesMax);
  return out;
}

// How far the two texts are alike from here: Myers' algorithm ("An O(ND) Difference Algorithm",
// 1986) keeps for each number of changes how far each diagonal was reached.
struct Trace {
  std::vector<std::vector<int>> reached;  // by changes; index: diagonal + changes
  int changes = 0;
};

// nullopt when more than kDiffChangesMax lines changed.
std::optional<Trace> trace_of(const Lines& before, const Lines& after) {
  const int n = static_cast<int>(before.size());
  const int m = static_cast<int>(after.size());
  Trace trace;
  std::vector<int> last;
  for (int d = 0; d <= static_cast<int>(kDiffChangesMax); ++d) {
    std::vector<int> now(static_cast<std::size_t>(2 * d + 1), 0);
    const auto was = [&](int k) { return last[static_cast<std::size_t>(k + d - 1)]; };
    for (int k = -d; k <= d; k += 2) {
      int x = 0;
      if (d > 0) x = k == -d || (k != d && was(k - 1) < was(k + 1)) ? was(k + 1) : was(k - 1) + 1;
      while (x < n && x - k < m && x - k >= 0 &&
             before[static_cast<std::size_t>(x)] == after[static_cast<std::size_t>(x - k)]) {
        ++x;
      }
      now[static_cast<std::size_t>(k + d)] = x;
      if (k == n - m && x >= n) {
        trace.reached.push_back(std::move(now));
        trace.changes = d;
        return trace;
      }
    }
    trace.reached.push_back(now);
    last = std::move(now);
  }
  return std::nullopt;
}

constexpr std::string_view kAdd = "add";
constexpr std::string_view kDelete = "del";
constexpr std::string_view kContext = "ctx";

struct Edit {
  std::string_view kind;
  std::string_view text;
};

// From the end back to the start.
std::vector<Edit> edits_of(const Trace& trace, const Lines& before, const Lines& after) {
  std::vector<Edit> out;
  int x = static_cast<int>(before.size());
  int y = static_cast<int>(after.size());
  for (int d = trace.changes; d >= 0; --d) {
    const int k = x - y;
    int from_x = 0;
    int from_y = 0;
    if (d > 0) {
      const auto& last = trace.reached[static_cast<std::size_t>(d - 1)];
      const auto was = [&](int at) { return last[static_cast<std::size_t>(at + d - 1)]; };
      const int from = k == -d || (k != d && was(k - 1) < was(k + 1)) ? k + 1 : k - 1;
      from_x = was(from);
      from_y = from_x - from;
    }
    while (x > from_x && y > from_y) {
      out.push_back({kContext, before[static_cast<std::size_t>(--x)]});
      --y;
    }
    if (d == 0) break;
    if (x == from_x) {
      out.push_back({kAdd, after[static_cast<std::size_t>(--y)]});
    } else {
      out.push_back({kDelete, before[static_cast<std::size_t>(--x)]});
    }
  }
  std::ranges::reverse(out);
  return out;
}

std::vector<Edit> all_changed(const Lines& before, const Lines& after) {
  std::vector<Edit> out;
  for (const auto line : before) out.push_back({kDelete, line});
  for (const auto line : after) out.push_back({kAdd, line});
  return out;
}

// Which lines stand near a change.
std::vector<bool> shown_lines(const std::vector<Edit>& edits) {
  std::vector<bool> shown(edits.size());
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].kind == kContext) continue;
    const std::size_t first = i - std::min(i, kDiffContext);
    const std::size_t last = std::min(i + kDiffContext, edits.size() - 1);
    std::fill(shown.begin() + static_cast<std::ptrdiff_t>(first),
              shown.begin() + static_cast<std::ptrdiff_t>(last) + 1, true);
  }
  return shown;
}

DiffLine left_out(std::size_t lines) {
  return {.kind = std::string(kContext),
          .text = "... " + std::to_string(lines) + (lines == 1 ? " line" : " lines") + " ..."};
}

}  // namespace

std::vector<DiffLine> difference(std::string_view before, std::string_view after) {
  const Lines old_lines = lines_of(before);
  const Lines new_lines = lines_of(after);
  const auto trace = trace_of(old_lines, new_lines);
  std::vector<DiffLine> out;
  if (trace && trace->changes == 0) return out;
  const auto edits =
      trace ? edits_of(*trace, old_lines, new_lines) : all_changed(old_lines, new_lines);
  const auto shown = shown_lines(edits);
  std::size_t skipped = 0;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!shown[i]) {
      ++skipped;
      continue;
    }
    if (skipped > 0) out.push_back(left_out(skipped));
    skipped = 0;
    if (out.size() + 1 >= kDiffLinesMax) {
      out.push_back(left_out(edits.size() - i));
      return out;
    }
    out.push_back({.kind = std::string(edits[i].kind), .text = std::string(edits[i].text)});
  }
  if (skipped > 0) out.push_back(left_out(skipped));
  return out;
}

}  // namespace ki::query
