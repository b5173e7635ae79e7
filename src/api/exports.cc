#include "api/exports.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "http/open_file.h"
#include "http/problem.h"

namespace ki::api {
namespace {

constexpr std::string_view kStart = "catalog-";
constexpr std::string_view kEnd = ".jsonl.zst";
constexpr std::string_view kDate = "dddd-dd-dd-";
constexpr std::size_t kDigits = 8;

std::unexpected<http::Problem> none() {
  return std::unexpected(http::make_problem(
      404, "EXPORT_NOT_AVAILABLE",
      "this server offers no export: ki export FOLDER writes one, ki serve --exports FOLDER "
      "offers the newest"));
}

http::Outcome file(const std::string& folder, const std::string& name) {
  // Nothing else of the folder can be named, whatever lies there.
  if (folder.empty() || !is_export_name(name)) return none();
  auto opened = http::OpenFile::open(std::filesystem::path(folder) / name);
  if (!opened && opened.error().code == Code::not_found) return none();
  if (!opened) return std::unexpected(http::problem_of(opened.error()));
  http::Response response{.status = 200,
                          .content_type = "application/zstd",
                          .body = {},
                          .cache = http::Cache::immutable,
                          .file = std::move(*opened)};
  response.tag = '"' + name.substr(0, name.size() - kEnd.size()) + '"';
  response.headers.push_back({"Content-Disposition", "attachment; filename=\"" + name + "\""});
  return response;
}

}  // namespace

http::Outcome newest_export(const Serving& serving) {
  const auto names =
      serving.exports.empty() ? std::vector<std::string>() : exports_in(serving.exports);
  if (names.empty()) return none();
  http::Response response = http::found("/exports/" + names.front());
  response.cache = http::Cache::brief;
  return response;
}

std::string export_name(Instant now, const Digest& digest) {
  constexpr std::size_t kPrefix = std::string_view("sha256:").size();
  return std::string(kStart) + to_iso(now).substr(0, 10) + "-" +
         to_string(digest).substr(kPrefix, kDigits) + std::string(kEnd);
}

bool is_export_name(std::string_view name) {
  if (name.size() != kStart.size() + kDate.size() + kDigits + kEnd.size()) return false;
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return false;
  const std::string_view date = name.substr(kStart.size(), kDate.size());
  const bool dated = std::ranges::equal(date, kDate, [](char c, char wanted) {
    return wanted == 'd' ? c >= '0' && c <= '9' : c == wanted;
  });
  const std::string_view digits = name.substr(kStart.size() + kDate.size(), kDigits);
  return dated && digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::vector<std::string> exports_in(const std::filesystem::path& folder) {
  std::vector<std::pair<std::filesystem::file_time_type, std::string>> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    std::string name = at->path().filename().string();
    std::error_code unreadable;
    if (!is_export_name(name) || !at->is_regular_file(unreadable)) continue;
    const auto time = at->last_write_time(unreadable);
    if (!unreadable) found.emplace_back(time, std::move(name));
  }
  std::ranges::sort(found, std::greater());
  std::vector<std::string> names;
  for (auto& [time, name] : found) names.push_back(std::move(name));
  return names;
}

void add_exports(http::Router& router, const Serving& serving) {
  router.add({.method = http::Method::get,
              .pattern = "/exports/catalog.jsonl.zst",
              .handler = [serving](const http::Request&,
                                   const http::Captures&) { return newest_export(serving); },
              .name = "newestExport"});
  router.add({.method = http::Method::get,
              .pattern = "/exports/{file}",
              .handler = [folder = serving.exports](
                             const http::Request&,
                             const http::Captures& captures) { return file(folder, captures[0]); },
              .name = "export"});
}

}  // namespace ki::api
