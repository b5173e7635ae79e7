#include "tests/surfaces/surfaces.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/answer_cache.h"
#include "base/text.h"
#include "tests/support/http_client.h"
#include "web/site.h"

namespace ki::surfaces {
namespace {

namespace fs = std::filesystem;
const SystemClock kClock;
constexpr std::string_view kRows = "200";  // of each group; no question here has more

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
  }
  return out;
}

json::Document parsed(const std::string& text) {
  auto document = json::parse(text, json::kBundleLimits);
  EXPECT_TRUE(document) << text.substr(0, 400);
  return document ? std::move(*document) : json::Document{};
}

std::string exact_number(double value) {
  std::string out;
  json::append_number(out, value);
  return out;
}

std::string text_of(const json::Value& row, std::string_view member) {
  const json::Value* found = row.find(member);
  return found != nullptr && found->is_string() ? std::string(found->string()) : "";
}

// The text between two others, after `at`, which moves behind it; "" at the end.
std::string between(std::string_view html, std::string_view open, std::string_view close,
                    std::size_t& at) {
  const std::size_t begin = html.find(open, at);
  if (begin == std::string_view::npos) {
    at = begin;
    return {};
  }
  const std::size_t from = begin + open.size();
  const std::size_t end = html.find(close, from);
  at = end;
  return std::string(html.substr(from, end - from));
}

}  // namespace

std::string to_string(const Said& said) {
  return "leader " + said.leader + ", value " + said.value + ", cohort " + said.cohort +
         ", ranks " + join(said.ranks, "; ");
}

Surfaces::Surfaces(const std::string& import_arguments) {
  std::string pattern = (fs::temp_directory_path() / "ki-surfaces-XXXXXX").string();
  home_ = ::mkdtemp(pattern.data());
  run("import " + import_arguments + " --publish");
  run("snapshot " + in_quotes((home_ / "answers.kisnap").string()));
  char message[200];
  EXPECT_EQ(
      ki_snapshot_open((home_ / "answers.kisnap").c_str(), &snapshot_, message, sizeof message),
      KI_OK)
      << message;
  web::ServeOptions options;
  options.database = (home_ / "ki.db").string();
  options.server = {.port = 0, .workers = 1, .log_level = http::Level::off};
  auto server = web::start(options, kClock);
  EXPECT_TRUE(server) << ki::to_string(server.error());
  if (server) server_ = std::move(*server);
}

Surfaces::~Surfaces() {
  ki_snapshot_close(snapshot_);
  server_.reset();
  fs::remove_all(home_);
}

std::string Surfaces::run(const std::string& arguments, const std::string& input) const {
  std::ofstream(home_ / "stdin") << input;
  const std::string command = "cd " + in_quotes(home_.string()) +
                              " && '" KI_BINARY "' --db ki.db " + arguments +
                              " <stdin >stdout 2>stderr";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << arguments << "\n"
                                                             << slurp(home_ / "stderr");
  return slurp(home_ / "stdout");
}

Said Surfaces::of_envelope(const json::Value& envelope) const {
  Said out;
  const json::Value* cohort = envelope.find("cohort");
  if (cohort != nullptr && cohort->is_object()) out.cohort = text_of(*cohort, "comparisonKey");
  const json::Value* groups = envelope.find("groups");
  if (groups == nullptr) return out;
  for (const json::Value& row : groups->find("exact")->items()) {
    const json::Value* rank = row.find("rank");
    const json::Value* shared = row.find("sharesRank");
    std::string place = rank->is_number() ? exact_number(rank->number()) : "-";
    if (shared != nullptr && shared->boolean()) place += "=";
    ids_[text_of(row, "runDigest")] = text_of(row, "runId");
    out.ranks.push_back(place + " " + text_of(row, "runId"));
    if (!out.leader.empty() || !rank->is_number()) continue;
    out.leader = text_of(row, "runId");
    out.value = exact_number(row.find("primary")->find("value")->number());
  }
  return out;
}

Said Surfaces::program(const Question& question) const {
  const bool structured = !question.structure.empty();
  const std::string arguments =
      structured ? "resolve --manifest -" : "search " + in_quotes(question.words);
  const std::string text =
      run(arguments + " --json --limit " + std::string(kRows), question.structure);
  return of_envelope(parsed(text).root);
}

Said Surfaces::api(const Question& question) const {
  const std::string limit = "limit=" + std::string(kRows);
  const auto answer =
      question.structure.empty()
          ? tests::get(server_->port(), "/api/v1/search?" + limit + "&q=" + encoded(question.words))
          : tests::post(server_->port(), "/api/v1/resolve/kernel?" + limit, question.structure);
  EXPECT_EQ(answer.status, 200) << answer.body.substr(0, 400);
  return of_envelope(parsed(answer.body).root);
}

std::vector<Said> Surfaces::agents(const std::vector<Question>& questions) const {
  std::string input =
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
      R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})"
      "\n";
  for (std::size_t i = 0; i < questions.size(); ++i) {
    json::Writer out(input);
    const bool structured = !questions[i].structure.empty();
    out.begin_object().key("jsonrpc").string("2.0").key("id");
    out.integer(static_cast<std::int64_t>(i) + 1).key("method").string("tools/call");
    out.key("params").begin_object().key("name");
    out.string(structured ? "resolve_kernel" : "search_catalog").key("arguments").begin_object();
    if (structured) {
      out.key("request").raw(questions[i].structure);
    } else {
      out.key("q").string(questions[i].words);
    }
    out.key("limit").raw(kRows).key("maxBytes").integer(1 << 20).end_object();
    out.end_object().end_object();
    input += '\n';
  }
  std::vector<Said> out;
  const std::string answers = run("mcp", input);
  for (const std::string_view line : split(answers, '\n')) {
    if (trim(line).empty()) continue;
    const auto document = parsed(std::string(line));
    const json::Value* result = document.root.find("result");
    EXPECT_NE(result, nullptr) << line.substr(0, 400);
    const json::Value* content = result == nullptr ? nullptr : result->find("content");
    if (content == nullptr) continue;  // the answer to initialize
    const auto text = parsed(std::string(content->items()[0].find("text")->string()));
    EXPECT_EQ(text.root.find("omitted"), nullptr);
    out.push_back(of_envelope(text.root));
  }
  return out;
}

Said Surfaces::page(const Question& question) const {
  const auto answer = tests::get(server_->port(), "/search?q=" + encoded(question.words));
  EXPECT_EQ(answer.status, 200);
  const std::string_view html = answer.body;
  Said out;
  std::size_t at = html.find("<dt>comparison key</dt>");
  if (at != std::string_view::npos) out.cohort = between(html, "title=\"", "\"", at);
  // The table with ranks is that of the ranked group; the others have none.
  at = html.find("<th scope=\"col\">Rank</th>");
  if (at == std::string_view::npos) return out;
  const std::string_view table = html.substr(at, html.find("</table>", at) - at);
  at = 0;
  for (;;) {
    std::string rank = between(table, "<td class=\"rank\">", "</td>", at);
    if (at == std::string_view::npos) break;
    const std::string id = between(table, "href=\"/runs/", "\"", at);
    std::size_t after = at;
    if (rank == "–") rank = "-";
    out.ranks.push_back(rank + " " + id);
    if (!out.leader.empty() || rank == "-") continue;
    out.leader = id;
    // "15102833 ns": the value as it is, behind the rounded one.
    const std::string value = between(table, "<span class=\"value\" title=\"", "\"", after);
    out.value = value.substr(0, value.find(' '));
    std::erase(out.value, ',');
  }
  return out;
}

Said Surfaces::library(const ki_case& one) const {
  Said out;
  ki_answer answer;
  const ki_status status = ki_resolve(snapshot_, &one, nullptr, &answer);
  if (status != KI_OK) return out;
  out.cohort = answer.comparison_key;
  for (std::size_t i = 0; i < answer.candidates_count; ++i) {
    ki_candidate candidate;
    EXPECT_EQ(ki_candidate_at(snapshot_, &answer, i, &candidate), KI_OK);
    std::string place = candidate.rank > 0 ? std::to_string(candidate.rank) : "-";
    if (candidate.shares_rank == 1) place += "=";
    const auto id = ids_.find(candidate.run);
    const std::string run = id == ids_.end() ? candidate.run : id->second;
    out.ranks.push_back(place + " " + run);
    if (!out.leader.empty() || candidate.rank == 0) continue;
    out.leader = run;
    out.value = exact_number(candidate.value);
  }
  return out;
}

Question question_of(const ki_case& one) {
  std::string words = "op:" + std::string(one.operation);
  std::string axes;
  for (std::size_t i = 0; i < one.axes_count; ++i) {
    const std::string name = one.axes[i].name;
    const std::string size = std::to_string(one.axes[i].value);
    words += ' ' + name + ':' + size;
    axes += (axes.empty() ? "\"" : ",\"") + name + "\":" + size;
  }
  const auto given = [](const char* text) { return text != nullptr && *text != '\0'; };
  if (given(one.dtype)) words += " dtype:" + std::string(one.dtype);
  if (given(one.hardware)) words += " gpu:\"" + std::string(one.hardware) + '"';
  if (given(one.pass)) words += " pass:" + std::string(one.pass);
  return {.words = std::move(words)};
}

}  // namespace ki::surfaces
