// ki import: read, report, and publish when asked.

#include <algorithm>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/documents.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "cli/table.h"
#include "import/export/export.h"
#include "import/importer.h"
#include "import/liger/liger.h"
#include "import/manifests.h"
#include "import/registry.h"

namespace ki::cli {
namespace {

// A bar on the terminal, drawn over itself; nothing anywhere else.
class Bar {
 public:
  explicit Bar(const Context& context) : context_(context) {}
  ~Bar() {
    if (drawn_) context_.err << "\r\x1b[K";
  }
  importer::Progress progress() {
    if (!context_.err_terminal || context_.quiet) return {};
    return [this](std::uint64_t done, std::uint64_t total) { draw(done, total); };
  }

 private:
  void draw(std::uint64_t done, std::uint64_t total) {
    constexpr std::uint64_t kCells = 40;
    if (total == 0) return;
    const std::uint64_t cells = std::min(kCells, done * kCells / total);
    if (drawn_ && cells == cells_) return;
    cells_ = cells;
    drawn_ = true;
    context_.err << "\r[" << std::string(cells, '#') << std::string(kCells - cells, '.') << "] "
                 << done * 100 / total << " %" << std::flush;
  }
  const Context& context_;
  std::uint64_t cells_ = 0;
  bool drawn_ = false;
};

// A pattern that the shell left alone must match something.
Result<std::vector<std::string>> expand(const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  for (const std::string& pattern : patterns) {
    const auto found = matching_files(pattern);
    if (found.empty()) return fail(Code::not_found, "no file matches", pattern);
    names.insert(names.end(), found.begin(), found.end());
  }
  if (!std::ranges::all_of(names, is_utf8)) {
    return fail(Code::invalid, "a file name is not UTF-8; rename the file", "import");
  }
  std::ranges::sort(names);
  return names;
}

Result<std::vector<importer::InputFile>> read_all(const std::vector<std::string>& names) {
  std::vector<importer::InputFile> files;
  for (const std::string& name : names) {
    auto file = TRY(importer::read_input(name));
    files.push_back(std::move(file));
  }
  return files;
}

Result<importer::Prepared> prepare(const ImportOptions& options,
                                   const importer::Progress& progress) {
  if (options.source == "registry") return importer::prepare_registry();
  const auto names = TRY(expand(options.files));
  const auto files = TRY(read_all(names));
  if (options.source == "manifests") return importer::prepare_manifests(files, progress);
  if (options.source == "export") {
    if (files.size() != 1) return fail(Code::invalid, "give one export at a time");
    return importer::prepare_export(files.front(), progress);
  }
  importer::LigerOptions liger;
  liger.mapping = TRY(importer::parse_mapping(options.mapping));
  for (const std::string& argument : options.protocols) {
    auto protocol = TRY(importer::read_protocol(argument));
    liger.protocols.push_back(std::move(protocol));
  }
  return importer::prepare_liger(files, liger, progress);
}

// What a dry run compares with, and may write to: a copy of the catalog that nobody else sees, or
// an empty one while there is none. The catalog itself is only read.
Result<catalog::Catalog> scratch_of(const std::string& database) {
  std::unique_ptr<db::Connection> copy;
  if (is_absent(database)) {
    copy = TRY(db::open(":memory:", {.mode = db::Mode::create}));
  } else {
    const auto original = TRY(db::open(database, {.mode = db::Mode::read_only}));
    copy = TRY(original->private_copy());
  }
  auto catalog = catalog::Catalog::open(std::move(copy), clock(), db::Mode::create);
  if (!catalog) return std::unexpected(catalog::within(std::move(catalog).error(), database));
  return catalog;
}

Result<importer::Report> run(const Context& c, const ImportOptions& options) {
  Bar bar(c);
  // Made before anything is written, so that a report that cannot be kept stops the import.
  std::optional<NewFile> file;
  if (!options.report.empty()) {
    auto made = TRY(NewFile::create(options.report));
    file.emplace(std::move(made));
  }
  const importer::ImportOptions how{.publish = options.publish, .actor = options.actor};
  // Read before the catalog is touched: a file that cannot be read leaves no catalog behind.
  auto prepared = TRY(prepare(options, bar.progress()));
  auto catalog =
      TRY(options.publish ? catalog::Catalog::open(c.db, clock(), {.mode = db::Mode::create})
                          : scratch_of(c.db));
  auto report = TRY(importer::run_import(catalog, std::move(prepared), clock(), how));
  if (file) {
    const auto write = [&]() -> Status {
      TRY(file->write(json::to_json(report) + '\n'));
      return file->finish();
    };
    Status written = write();
    if (!written) {
      written.error().message += "; " + report.plan;  // what happened to the catalog all the same
      return std::unexpected(std::move(written.error()));
    }
  }
  return report;
}

}  // namespace

int import(const Context& c, const ImportOptions& options) {
  if (names_stream_twice(options.files)) {
    c.err << "ki: " << kStreamTwice << '\n';
    return kUsage;
  }
  const auto done = run(c, options);
  if (!done) return report_options(c, done.error(), {{"actor", "--actor"}});
  if (done->published) keep(c, done->plan);
  if (c.output != Output::table) {
    print_json(c, *done);
  } else if (!c.quiet) {
    c.out << printable_lines(importer::to_text(*done));
    if (!options.publish && done->accepted() != importer::Accepted::nothing)
      c.out << "add --publish to write it\n";
  } else if (!done->issues.empty()) {
    c.err << printable_lines(importer::to_text(*done));
  }
  switch (done->accepted()) {
    case importer::Accepted::everything:
      return kOk;
    case importer::Accepted::part:
      return kPartly;
    case importer::Accepted::nothing:
      return kFailed;
  }
  KI_UNREACHABLE();
}

}  // namespace ki::cli
