// Walks a document along its tables: judges every value and normalises durations and set-like
// lists. Internal to the module; manifest.h is its face.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "json/value.h"
#include "manifest/complaints.h"
#include "manifest/manifest.h"
#include "manifest/schema.h"

namespace ki::manifest {

class Checker {
 public:
  // `arena` takes what normalisation builds. `kind` says what the spec has to be; without one, the
  // rest of the document is judged.
  Checker(json::Arena& arena, std::optional<Kind> kind, Complaints& complaints)
      : arena_(arena), kind_(kind), complaints_(complaints) {}

  // Judges the whole document and replaces it by its normalised form.
  void document(json::Value& root);

  std::vector<Change> take_changes() { return std::move(changes_); }

 private:
  // Each judges `value` and returns whether normalisation replaces it, by `out`.
  bool value(const json::Value& value, const Type& type, const Path& path, json::Value& out);
  bool mapping(const json::Value& value, const Mapping& mapping, const Path& path,
               json::Value& out);
  bool list(const json::Value& value, const Type& type, const Path& path, json::Value& out);
  bool set(const json::Value& value, const Type& type, const Path& path, json::Value& out);
  bool record(const json::Value& value, const Type& type, const Path& path, json::Value& out);
  void drop_lost_name(const json::Value& value, const Path& path, json::Value& out);
  bool duration(const json::Value& value, const Type& type, const Path& path, json::Value& out);
  bool spec(const json::Value& value, const Path& path, json::Value& out);

  void text(const json::Value& value, const Type& type, const Path& path);
  void number(const json::Value& value, const Type& type, const Path& path);
  void dimension(const json::Value& value, const Type& type, const Path& path);
  void rule(const json::Value& value, Rule rule, const Path& path);
  void changed(const Path& path, std::string_view rule, const json::Value& before,
               const json::Value& after);

  json::Arena& arena_;
  std::optional<Kind> kind_;
  Complaints& complaints_;
  std::vector<Change> changes_;
};

}  // namespace ki::manifest
