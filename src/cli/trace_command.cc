// ki resolve --trace: the shapes of a file, answered one by one and added up.

#include <algorithm>
#include <ostream>
#include <span>

#include <fmt/format.h>

#include "base/files.h"
#include "base/given.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "import/trace.h"
#include "query/listings.h"
#include "query/parse.h"

namespace ki::cli {
namespace {

constexpr std::size_t kTotalsShown = 20;  // in a table; the smallest first

query::TraceRequest request_of(const TraceOptions& options, const importer::TraceFile& file) {
  query::TraceRequest out{.operation = options.operation,
                          .hardware = given(options.hardware),
                          .dtype = given(options.dtype),
                          .pass = given(options.pass),
                          .metric = given(options.metric),
                          .lines = {}};
  for (const importer::TraceRow& row : file.rows) {
    query::TraceLine& line = out.lines.emplace_back();
    line.line = row.line;
    for (const auto& [name, value] : row.axes) line.axes[name] = static_cast<double>(value);
    line.weight = row.weight;
    line.hardware = given(row.hardware);
    line.dtype = given(row.dtype);
    line.pass = given(row.pass);
  }
  return out;
}

// What the file's reader set aside stands with what the resolver did, in the order of the file.
void add_refused(query::TraceAnswer& answer, const importer::TraceFile& file) {
  for (const importer::RefusedRow& row : file.refused) {
    answer.refused.push_back({.line = row.line, .reason = row.reason});
  }
  answer.refused_total += std::ssize(file.refused);
  std::ranges::stable_sort(answer.refused, {}, &query::TraceRefusal::line);
  if (answer.refused.size() > query::kTraceRefusedListed) {
    answer.refused.resize(query::kTraceRefusedListed);
  }
}

std::string axes_text(const query::TraceShape& shape) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : shape.axes) parts.push_back(fmt::format("{}={}", name, value));
  for (const auto& word : {shape.hardware, shape.dtype, shape.pass}) {
    if (word) parts.push_back(*word);
  }
  return join(parts, " ");
}

std::string share_text(const query::TraceShare& share) {
  return fmt::format("{}, {}, {:.1f} % of the weight", query::counted(share.shapes, "shape"),
                     query::counted(share.lines, "line"), 100 * share.share);
}

void print_shapes(const Context& c, const query::TraceAnswer& answer) {
  Table table({{.heading = "line", .align = Align::right},
               {.heading = "weight", .align = Align::right},
               {.heading = "shape", .narrowest = kNarrowest},
               {.heading = "answer"},
               {.heading = "leader", .narrowest = kNarrowest},
               {.heading = "value", .align = Align::right},
               {.heading = "verdict", .narrowest = kNarrowest, .spare = 1},
               {.heading = "cohort", .spare = 2}});
  for (const query::TraceShape& shape : answer.shapes) {
    const std::string what = shape.nearest ? "nearest: " + *shape.nearest : shape.exactness;
    table.add({std::to_string(shape.line), fmt::format("{:g}", shape.weight), axes_text(shape),
               what, shape.leader ? shape.leader->name : "-", value_text(shape.value),
               shape.verdict.value_or("-"), short_run(shape.cohort)});
  }
  table.print(c.out, !c.quiet, c.width);
  if (!c.quiet && answer.shapes_total > std::ssize(answer.shapes)) {
    c.out << "... and " << answer.shapes_total - std::ssize(answer.shapes)
          << " more shapes (--limit)\n";
  }
}

void print_totals(const Context& c, const query::TraceAnswer& answer) {
  for (const query::Reason& reason : answer.incomparable_because) {
    c.out << "No totals: " << printable(reason.text) << " [" << reason.code << "]\n";
  }
  if (answer.implementations.empty()) return;
  if (!c.quiet) c.out << '\n' << ink(c, Ink::bold, "Over the whole trace") << '\n';
  const auto has_total = [](const query::TraceTotal& one) { return one.total.has_value(); };
  const bool totals = std::ranges::any_of(answer.implementations, has_total);
  std::vector<Column> columns = {{.heading = "implementation", .narrowest = kNarrowest},
                                 {.heading = "shapes", .align = Align::right},
                                 {.heading = "lacks", .narrowest = 20}};
  if (totals) {
    columns.insert(columns.begin() + 1, {{.heading = "total", .align = Align::right},
                                         {.heading = "ratio", .align = Align::right}});
  }
  Table table(std::move(columns));
  const auto total_text = [&](double total) {
    query::Primary primary;
    primary.unit = answer.unit.value_or("");
    primary.value = total;
    return value_text(primary);
  };
  const auto shown = std::min(answer.implementations.size(), kTotalsShown);
  for (const query::TraceTotal& one : std::span(answer.implementations).first(shown)) {
    std::vector<std::string> lines;
    for (const std::int64_t line : one.lacking_lines) lines.push_back(std::to_string(line));
    std::string lacks = lines.empty() ? "-" : "lines " + join(lines, ", ");
    if (one.lacking > std::ssize(lines)) {
      lacks += fmt::format(" and {} more", one.lacking - std::ssize(lines));
    }
    std::vector<std::string> cells = {one.implementation.name};
    if (totals) {
      cells.push_back(one.total ? total_text(*one.total) : "-");
      cells.push_back(one.ratio ? fmt::format("{:.2f}×", *one.ratio) : "-");
    }
    cells.push_back(std::to_string(one.shapes));
    cells.push_back(std::move(lacks));
    table.add(std::move(cells));
  }
  table.print(c.out, !c.quiet, c.width);
  if (!c.quiet && answer.implementations_total > static_cast<std::int64_t>(shown)) {
    c.out << "... and " << answer.implementations_total - static_cast<std::int64_t>(shown)
          << " more implementations (--json)\n";
  }
  if (answer.best_of_each_shape) {
    c.out << "The leader of each shape: " << total_text(*answer.best_of_each_shape) << '\n';
  }
}

void print_refused(const Context& c, const query::TraceAnswer& answer) {
  if (answer.refused_total == 0) return;
  c.err << "ki: " << query::counted(answer.refused_total, "line")
        << (answer.refused_total == 1 ? " is" : " are") << " left out\n";
  for (std::size_t i = 0; i < answer.refused.size() && i < kIssuesShownMax; ++i) {
    c.err << "  line " << answer.refused[i].line << ": " << printable(answer.refused[i].reason)
          << '\n';
  }
  if (answer.refused.size() > kIssuesShownMax) c.err << "  ... (--json has more)\n";
}

// 1 when nothing could be used, 3 when a part could not.
int code_of(const query::TraceAnswer& answer) {
  if (answer.refused_total == 0) return kOk;
  return answer.lines == 0 ? kFailed : kPartly;
}

// The option whose value means nothing, with why: it is no line's fault. nullopt where all are
// good.
std::optional<std::string> wrong_option(const TraceOptions& options) {
  using query::KernelRequest;
  using query::RequestEnvironment;
  using query::RequestOperation;
  const std::pair<std::string_view, KernelRequest> asked[] = {
      {"--metric", {.operation = RequestOperation{.metric = given(options.metric)}}},
      {"--pass", {.operation = RequestOperation{.pass = given(options.pass)}}},
      {"--dtype", {.environment = RequestEnvironment{.dtype = given(options.dtype)}}},
      {"--hardware",
       {.environment = RequestEnvironment{.hardware_product = given(options.hardware)}}}};
  for (const auto& [option, request] : asked) {
    if (const Issues faults = query::faults_of(request); !faults.empty()) {
      return fmt::format("{}: {}", option, faults.front().message);
    }
    const auto issues = query::read_request(request).issues;
    if (!issues.empty()) return fmt::format("{}: {}", option, issues.front().message);
  }
  return std::nullopt;
}

}  // namespace

int resolve_trace(const Context& c, const TraceOptions& options) {
  if (options.operation.empty()) {
    c.err << "ki: --trace needs --operation SLUG\n";
    return kUsage;
  }
  if (const auto wrong = wrong_option(options)) {
    c.err << "ki: " << printable(*wrong) << '\n';
    return kUsage;
  }
  const auto text = read_file(options.file, importer::kTraceBytesMax);
  if (!text) return report(c, text.error());
  auto file = importer::read_trace(*text);
  if (!file) {
    Error error = std::move(file.error());
    error.where = options.file;
    return report(c, error);
  }
  query::TraceAnswer answer;
  if (!file->rows.empty()) {
    const auto resolver = open_resolver(c);
    if (!resolver) return report(c, resolver.error());
    // A program gets every shape, a person as many as asked for.
    const auto all = static_cast<std::int64_t>(query::kTraceLinesMax);
    const std::int64_t limit = c.output == Output::table ? options.limit : all;
    auto found = resolver->trace(request_of(options, *file), {.limit = limit});
    if (!found) return report(c, found.error());
    answer = std::move(*found);
  }
  add_refused(answer, *file);
  print_refused(c, answer);
  for (const auto& note : answer.notes) c.err << "note: " << printable(note) << '\n';
  if (c.output == Output::json) {
    print_json(c, answer);
  } else if (c.output == Output::jsonl) {
    print_json_lines(c, answer.shapes);
  } else {
    print_shapes(c, answer);
    if (!c.quiet) {
      c.out << "\nExact: " << share_text(answer.coverage.exact)
            << "\nLeft open: " << share_text(answer.coverage.open)
            << "\nNearest only: " << share_text(answer.coverage.nearest)
            << "\nNever measured: " << share_text(answer.coverage.unmeasured) << '\n';
    }
    print_totals(c, answer);
  }
  return code_of(answer);
}

}  // namespace ki::cli
