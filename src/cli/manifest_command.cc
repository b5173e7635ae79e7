#include "cli/manifest_command.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/documents.h"
#include "cli/table.h"
#include "json/write.h"
#include "manifest/documents.h"
#include "manifest/doubts.h"
#include "manifest/examples.h"
#include "manifest/json_schema.h"

namespace ki::cli {
namespace {

using manifest::Documents;
using manifest::Entry;
using manifest::Kind;

// A pattern that matches nothing is taken for a name, which then is not found.
std::vector<std::string> expanded(const std::string& argument) {
  const auto names = matching_files(argument);
  return names.empty() ? std::vector{argument} : names;
}

struct File {
  std::string name;
  Documents documents;
};

// Reads each file and hands it over; the outcome is kFailed when any file had an issue, kUsage when
// they cannot all be read.
int for_each_file(const Context& context, const std::vector<std::string>& arguments,
                  const std::function<void(const File&)>& use) {
  if (names_stream_twice(arguments)) {
    context.err << "ki: " << kStreamTwice << '\n';
    return kUsage;
  }
  int outcome = kOk;
  for (const std::string& argument : arguments) {
    for (const std::string& name : expanded(argument)) {
      const auto text = read_file(name, json::kBundleLimits.bytes_max);
      if (!text) {
        outcome = report(context, text.error());
        continue;
      }
      const File file{.name = name,
                      .documents = manifest::read_documents(*text, name, json::kBundleLimits)};
      if (!file.documents.issues.empty()) outcome = report(context, file.documents.issues);
      use(file);
    }
  }
  return outcome;
}

std::string place(const std::string& file, const Entry& entry) {
  return entry.pointer.empty() ? file : file + "#" + entry.pointer;
}

void write_identity(json::Writer& json, const Entry& entry) {
  json.key("pointer").string(entry.pointer);
  json.key("kind").string(name_of(entry.manifest.kind()));
  json.key("name").string(entry.manifest.name());
  json.key("digest").string(to_string(entry.manifest.digest()));
}

// What each manifest says that contradicts itself, an operation being looked for in the same file.
std::vector<std::pair<const Entry*, manifest::Doubt>> doubts_of(const File& file) {
  std::vector<std::pair<const Entry*, manifest::Doubt>> out;
  for (const Entry& entry : file.documents.entries) {
    const json::Value* const named = entry.manifest.spec().find("operationSpecDigest");
    const auto is_named = [&](const Entry& other) {
      return named != nullptr && to_string(other.manifest.digest()) == named->string();
    };
    const auto operation = std::ranges::find_if(file.documents.entries, is_named);
    for (auto& doubt : manifest::doubts_of(entry.manifest, operation == file.documents.entries.end()
                                                               ? nullptr
                                                               : &operation->manifest)) {
      out.emplace_back(&entry, std::move(doubt));
    }
  }
  return out;
}

std::string validation_json(const File& file) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.key("file").string(file.name);
  json.key("valid").boolean(file.documents.issues.empty());
  json.key("manifests").begin_array();
  for (const Entry& entry : file.documents.entries) {
    json.begin_object();
    write_identity(json, entry);
    json.end_object();
  }
  json.end_array();
  json.key("issues").begin_array();
  for (const Issue& issue : file.documents.issues) {
    json.begin_object();
    json.key("code").string(issue.code);
    json.key("message").string(issue.message);
    json.key("pointer").string(issue.pointer);
    json.key("offset").integer(static_cast<std::int64_t>(issue.place.offset));
    json.key("line").integer(issue.place.line);
    json.key("column").integer(issue.place.column);
    json.end_object();
  }
  json.end_array();
  json.key("warnings").begin_array();
  for (const auto& [entry, doubt] : doubts_of(file)) {
    json.begin_object();
    json.key("manifest").string(entry->manifest.name());
    json.key("pointer").string(entry->pointer + doubt.pointer);
    json.key("message").string(doubt.message);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out;
}

std::string digest_json(const std::string& file, const Entry& entry, bool explain) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.key("file").string(file);
  write_identity(json, entry);
  if (explain) {
    json.key("canonical").string(entry.manifest.canonical_body());
    json.key("changes").begin_array();
    for (const manifest::Change& change : entry.manifest.changes()) {
      json.begin_object();
      json.key("pointer").string(change.pointer);
      json.key("rule").string(change.rule);
      json.key("before").raw(change.before);
      json.key("after").raw(change.after);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  return out;
}

void explain_in_words(std::ostream& out, const manifest::Manifest& manifest) {
  const std::string body = manifest.canonical_body();
  const std::string shown = printable(body);
  out << "  " << shown << '\n';
  if (shown != body) {
    out << "  (characters that could disturb a terminal are shown as blanks; --json has them "
           "all)\n";
  }
  for (const manifest::Change& change : manifest.changes()) {
    out << "  " << change.pointer << ": " << change.rule << ": " << change.before << " -> "
        << change.after << '\n';
  }
  if (manifest.changes().empty()) out << "  no normalisation changed anything\n";
}

// A list of JSON values, or one a line.
class JsonOutput {
 public:
  explicit JsonOutput(Output output) : lines_(output == Output::jsonl) {}
  void add(const std::string& value) {
    if (!text_.empty()) text_ += lines_ ? "\n" : ",";
    text_ += value;
  }
  void print(std::ostream& out) const {
    if (!lines_) {
      out << '[' << text_ << "]\n";
    } else if (!text_.empty()) {
      out << text_ << '\n';
    }
  }

 private:
  bool lines_;
  std::string text_;
};

// What the kinds of a kernel's record are called for short.
constexpr std::pair<std::string_view, Kind> kShortNames[] = {
    {"project", Kind::software_project},
    {"operation", Kind::operation_spec},
    {"workload", Kind::workload_case},
    {"suite", Kind::workload_suite},
    {"implementation", Kind::implementation_revision},
    {"protocol", Kind::benchmark_protocol},
    {"environment", Kind::execution_environment},
    {"run", Kind::benchmark_run},
};

// The kind of this name, or short name, in any case.
std::optional<Kind> find_kind(const Context& context, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [word, kind] : kShortNames) {
    if (equals_ignoring_case(word, name)) return kind;
  }
  for (const Kind kind : manifest::all_kinds()) {
    if (equals_ignoring_case(name_of(kind), name)) return kind;
    names.emplace_back(name_of(kind));
  }
  const std::string near(nearest(name, {names.begin(), names.end()}));
  context.err << "ki: there is no kind \"" << printable(excerpt(name)) << "\""
              << (near.empty() ? "" : "; did you mean " + near + "?")
              << (near.empty() ? "; the kinds are " + join(names, ", ") : "") << '\n';
  return std::nullopt;
}

}  // namespace

int manifest_validate(const Context& context, const std::vector<std::string>& files) {
  if (context.output == Output::table) {
    return for_each_file(context, files, [&](const File& file) {
      for (const Entry& entry : file.documents.entries) {
        context.out << "valid  " << name_of(entry.manifest.kind()) << "  "
                    << printable(entry.manifest.name()) << "  "
                    << printable(place(file.name, entry)) << '\n';
      }
      for (const auto& [entry, doubt] : doubts_of(file)) {
        context.err << "ki: warning: "
                    << printable(fmt::format("{}: {}: {}", place(file.name, *entry),
                                             entry->manifest.name(), manifest::to_string(doubt)))
                    << '\n';
      }
    });
  }
  JsonOutput json(context.output);
  const int outcome =
      for_each_file(context, files, [&](const File& file) { json.add(validation_json(file)); });
  json.print(context.out);
  return outcome;
}

int manifest_digest(const Context& context, const ManifestDigestOptions& options) {
  JsonOutput json(context.output);
  const int outcome = for_each_file(context, options.files, [&](const File& file) {
    if (!file.documents.issues.empty()) return;
    for (const Entry& entry : file.documents.entries) {
      if (context.output != Output::table) {
        json.add(digest_json(file.name, entry, options.explain));
        continue;
      }
      context.out << to_string(entry.manifest.digest()) << "  "
                  << printable(place(file.name, entry));
      if (file.documents.entries.size() > 1) {
        context.out << "  " << name_of(entry.manifest.kind()) << ' '
                    << printable(entry.manifest.name());
      }
      context.out << '\n';
      if (options.explain) explain_in_words(context.out, entry.manifest);
    }
  });
  if (context.output != Output::table) json.print(context.out);
  return outcome;
}

int manifest_init(const Context& context, const ManifestInitOptions& options) {
  std::vector<Kind> kinds;
  for (const std::string& name : options.kinds) {
    const auto found = find_kind(context, name);
    if (!found) return kUsage;
    if (std::ranges::find(kinds, *found) == kinds.end()) kinds.push_back(*found);
  }
  if (options.all) kinds.assign(manifest::all_kinds().begin(), manifest::all_kinds().end());
  if (kinds.empty()) {
    context.err << "ki: name a kind, several, or --all\n";
    return kUsage;
  }
  for (const Kind kind : kinds) {
    context.out << (kind == kinds.front() ? "" : "---\n") << manifest::example_of(kind);
  }
  return kOk;
}

int manifest_schema(const Context& context, std::string_view kind) {
  const auto found = find_kind(context, kind);
  if (!found) return kUsage;
  context.out << manifest::json_schema(*found);
  return kOk;
}

}  // namespace ki::cli
