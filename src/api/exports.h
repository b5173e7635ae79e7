// Exports of the whole catalog that a server offers: files that `ki export FOLDER` has written, so
// that nobody can make a server export by asking.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes.h"
#include "base/clock.h"
#include "base/digest.h"

namespace ki::api {

// "catalog-2026-08-16-94af2ae7.jsonl.zst": the day (UTC) and the start of the file's digest.
std::string export_name(Instant now, const Digest& digest);
bool is_export_name(std::string_view name);

// The exports in a folder, the newest first: by time of the file, then by name. Empty when it
// cannot be read.
std::vector<std::string> exports_in(const std::filesystem::path& folder);

// GET /exports/catalog.jsonl.zst: 302 to the newest export, 404 EXPORT_NOT_AVAILABLE without one.
http::Outcome newest_export(const Serving& serving);

// The same at the root, where people look, and GET /exports/{file}, the files themselves.
void add_exports(http::Router& router, const Serving& serving);

}  // namespace ki::api
