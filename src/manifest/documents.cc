#include "manifest/documents.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "manifest/complaints.h"
#include "manifest/page.h"

namespace ki::manifest {

bool is_yaml_name(std::string_view file) {
  return file.ends_with(".yaml") || file.ends_with(".yml");
}

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

using json::Document;
using json::Member;
using json::Value;

std::expected<std::vector<Document>, Issues> parse(std::string_view text, json::Format format,
                                                   const json::Limits& limits, Issues& flaws) {
  if (format == json::Format::yaml) return json::parse_yaml(text, limits, &flaws);
  auto document = json::parse(text, limits, &flaws);
  if (!document) return std::unexpected(std::move(document).error());
  std::vector<Document> documents;
  documents.push_back(std::move(*document));
  return documents;
}

// ---- taking a document apart

struct Section {
  std::string_view name;
  std::vector<Kind> kinds;  // empty: run documents
};

const std::vector<Section>& sections() {
  static const std::vector<Section> kSections = {
      {"projects", {Kind::software_project}},
      {"operations", {Kind::operation_spec}},
      {"workloads", {Kind::workload_case, Kind::workload_suite}},
      {"implementations", {Kind::implementation_revision}},
      {"runs", {}},
  };
  return kSections;
}

struct Part {
  std::string_view name;
  Role role;
  Kind kind;
};
constexpr std::array<Part, 3> kParts = {
    {{"run", Role::run, Kind::benchmark_run},
     {"protocol", Role::protocol, Kind::benchmark_protocol},
     {"environment", Role::environment, Kind::execution_environment}}};

class Reader {
 public:
  Reader(std::string_view text, std::string_view file)
      : text_(text), file_(file), tally_{.lines = Lines(text)} {}

  // `only`: nothing else is in the text.
  void document(Document document, bool only) {
    const Value root = document.root;
    if (root.is_array()) {
      const auto items = root.items();
      for (std::size_t i = 0; i < items.size(); ++i) item(items[i], fmt::format("/{}", i));
      if (items.empty()) add("too_small", "the list holds no manifest", "", root.offset());
    } else if (is_submission(root)) {
      submission(root);
    } else if (is_run_document(root)) {
      run_document(root, "");
    } else if (only && text_.size() > json::kManifestLimits.bytes_max) {
      add("size",
          fmt::format("is {} bytes long; one manifest has at most {}", text_.size(),
                      json::kManifestLimits.bytes_max),
          "", json::kNoOffset);
    } else if (auto entry = decoded(std::move(document), "")) {
      keep(std::move(*entry));
    }
  }

  Documents take() {
    add_unlisted(out_.issues, tally_, file_);
    return std::move(out_);
  }

 private:
  static bool is_manifest(const Value& value) {
    return value.find("apiVersion") != nullptr || value.find("kind") != nullptr ||
           value.find("spec") != nullptr;
  }
  static bool is_run_document(const Value& value) {
    return !is_manifest(value) && std::ranges::any_of(kParts, [&](const Part& part) {
      return value.find(part.name) != nullptr;
    });
  }
  static bool is_submission(const Value& value) {
    return !is_manifest(value) && std::ranges::any_of(sections(), [&](const Section& section) {
      return value.find(section.name) != nullptr;
    });
  }

  void add(std::string_view code, std::string message, std::string pointer, std::uint32_t offset) {
    if (++tally_.found > kIssuesKeptMax) return;
    Issue issue{.code = std::string(code),
                .message = std::move(message),
                .pointer = std::move(pointer),
                .file = std::string(file_),
                .place = {}};
    if (offset != json::kNoOffset) issue.place = tally_.lines.at(offset);
    out_.issues.push_back(std::move(issue));
  }

  // One element of a list: a manifest or a run document.
  void item(const Value& value, const std::string& pointer) {
    if (is_run_document(value)) {
      run_document(value, pointer);
    } else if (auto entry = decoded(json::copy_of(value), pointer)) {
      keep(std::move(*entry));
    }
  }

  std::optional<Entry> decoded(Document document, std::string pointer) {
    auto manifest = decode(std::move(document),
                           {.text = text_, .file = file_, .pointer = pointer, .tally = &tally_});
    if (!manifest) {
      std::ranges::move(manifest.error(), std::back_inserter(out_.issues));
      return std::nullopt;
    }
    return Entry{.manifest = std::move(*manifest),
                 .role = Role::single,
                 .group = 0,
                 .pointer = std::move(pointer),
                 .project_slug = {}};
  }

  void keep(Entry entry) {
    entry.group = groups_++;
    out_.entries.push_back(std::move(entry));
  }

  // Whether the manifest is one of `kinds`, which its place in the document asks for.
  bool has_kind(const Entry& entry, std::span<const Kind> kinds, std::uint32_t offset) {
    if (std::ranges::find(kinds, entry.manifest.kind()) != kinds.end()) return true;
    std::string wanted;
    for (const Kind kind : kinds) {
      if (!wanted.empty()) wanted += " or ";
      wanted += name_of(kind);
    }
    add("invalid_value",
        fmt::format("must be of kind {} here, but is of kind {}", wanted,
                    name_of(entry.manifest.kind())),
        entry.pointer + "/kind", offset);
    return false;
  }

  void unknown_members(const Value& value, const std::vector<std::string_view>& known,
                       const std::string& pointer) {
    std::string names;
    std::size_t count = 0;
    std::uint32_t offset = json::kNoOffset;
    for (const Member& member : value.members()) {
      if (std::ranges::find(known, member.key) != known.end()) continue;
      if (++count == 1) offset = member.key_offset;
      if (count <= kIssuesShownMax) {
        names += fmt::format("{}\"{}\"", count == 1 ? "" : ", ", excerpt(member.key));
      }
    }
    if (count == 0) return;
    if (count > kIssuesShownMax) names += fmt::format(" and {} more", count - kIssuesShownMax);
    add("unrecognized_keys",
        fmt::format("unknown members {}; known here: {}", names, fmt::join(known, ", ")), pointer,
        offset);
  }

  void run_document(const Value& value, const std::string& pointer) {
    const std::size_t found_before = tally_.found;
    std::vector<Entry> entries;
    for (const Part& part : kParts) {
      const std::string here = pointer + "/" + std::string(part.name);
      const Value* const member = value.find(part.name);
      if (member == nullptr) {
        add("invalid_type", fmt::format("is missing: a run comes with its {}", part.name), here,
            value.offset());
        continue;
      }
      auto entry = decoded(json::copy_of(*member), here);
      if (!entry || !has_kind(*entry, {&part.kind, 1}, member->offset())) continue;
      entry->role = part.role;
      entries.push_back(std::move(*entry));
    }
    unknown_members(value, {kParts[0].name, kParts[1].name, kParts[2].name}, pointer);
    if (tally_.found == found_before) check_references(entries);
    if (tally_.found != found_before) return;
    for (Entry& entry : entries) {
      entry.group = groups_;
      out_.entries.push_back(std::move(entry));
    }
    ++groups_;
  }

  // A run names its protocol and its environment by digest; those beside it have to be these.
  void check_references(const std::vector<Entry>& entries) {
    const Manifest& run = entries[0].manifest;
    for (std::size_t i = 1; i < kParts.size(); ++i) {
      const std::string member = std::string(kParts[i].name) + "Digest";
      const Value& named = *run.spec().find(member);
      const std::string is = to_string(entries[i].manifest.digest());
      if (named.string() == is) continue;
      add("mismatch",
          fmt::format("names {}, but the {} beside it is {}", named.string(), kParts[i].name, is),
          entries[0].pointer + "/spec/" + member, named.offset());
    }
  }

  void submission(const Value& root) {
    std::vector<std::string_view> known;
    for (const Section& section : sections()) {
      known.push_back(section.name);
      const Value* const list = root.find(section.name);
      if (list == nullptr) continue;
      const std::string pointer = "/" + std::string(section.name);
      if (!list->is_array()) {
        add("invalid_type", "must be a list", pointer, list->offset());
        continue;
      }
      for (std::size_t i = 0; i < list->items().size(); ++i) {
        section_item(section, list->items()[i], fmt::format("{}/{}", pointer, i));
      }
    }
    unknown_members(root, known, "");
  }

  void section_item(const Section& section, const Value& value, const std::string& pointer) {
    if (section.kinds.empty()) return run_document(value, pointer);
    if (section.name == "implementations") return implementation(value, section, pointer);
    auto entry = decoded(json::copy_of(value), pointer);
    if (entry && has_kind(*entry, section.kinds, value.offset())) keep(std::move(*entry));
  }

  // {manifest, projectSlug}
  void implementation(const Value& value, const Section& section, const std::string& pointer) {
    const Value* const manifest = value.find("manifest");
    const Value* const slug = value.find("projectSlug");
    if (manifest == nullptr || slug == nullptr || !slug->is_string() || slug->string().empty()) {
      add("invalid_type",
          "must be a mapping of \"manifest\" and a \"projectSlug\" that is not empty", pointer,
          value.offset());
      return;
    }
    unknown_members(value, {"manifest", "projectSlug"}, pointer);
    auto entry = decoded(json::copy_of(*manifest), pointer + "/manifest");
    if (!entry || !has_kind(*entry, section.kinds, manifest->offset())) return;
    entry->project_slug = slug->string();
    keep(std::move(*entry));
  }

  std::string_view text_;
  std::string_view file_;
  Tally tally_;
  std::size_t groups_ = 0;
  Documents out_;
};

// What reading found, and then what else is wrong. Nothing of such a text is taken.
Documents refused(Documents out, Issues flaws, std::string_view file) {
  for (Issue& flaw : flaws) flaw.file = file;
  std::erase_if(out.issues, [&](const Issue& issue) {
    return std::ranges::find(flaws, issue.pointer, &Issue::pointer) != flaws.end();
  });
  const auto room = kIssuesKeptMax - std::min(kIssuesKeptMax, flaws.size());
  if (out.issues.size() > room) out.issues.resize(room);
  std::ranges::move(out.issues, std::back_inserter(flaws));
  return {.entries = {}, .issues = std::move(flaws)};
}

}  // namespace

Documents read_documents(std::string_view text, std::string_view file, const json::Limits& limits) {
  std::string page;
  json::Format format = json::Format::yaml;
  if (text.starts_with(kByteOrderMark) && opens_json(trim(text.substr(kByteOrderMark.size())))) {
    page = std::string(kByteOrderMark.size(), ' ').append(text.substr(kByteOrderMark.size()));
    text = page;
  }
  if (!is_yaml_name(file)) {
    if (file.ends_with(".json") || opens_json(trim(text))) {
      format = json::Format::json;
    } else if (is_page(text)) {
      auto found = json_of_page(text);
      if (!found) {
        found.error().file = file;
        return {.entries = {}, .issues = {std::move(found.error())}};
      }
      format = json::Format::json;
      page = std::move(*found);
      text = page;
    }
  }
  Issues flaws;
  auto documents = parse(text, format, limits, flaws);
  if (!documents) {
    for (Issue& issue : documents.error()) issue.file = file;
    return {.entries = {}, .issues = std::move(documents).error()};
  }
  Reader reader(text, file);
  const bool only = documents->size() == 1;
  for (Document& document : *documents) reader.document(std::move(document), only);
  Documents out = reader.take();
  if (out.entries.empty() && out.issues.empty()) {
    out.issues.push_back({.code = "too_small",
                          .message = "the text holds no manifest",
                          .pointer = {},
                          .file = std::string(file),
                          .place = {}});
  }
  return flaws.empty() ? std::move(out) : refused(std::move(out), std::move(flaws), file);
}

}  // namespace ki::manifest
