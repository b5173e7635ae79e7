// The reading of one query, word by word. Used by parse.cc and structured.cc; parse.h is the
// interface.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "query/request.h"

namespace ki::query {

// What is wrong with a value that is given for an axis and is no size and no range of sizes.
QueryIssue axis_issue(const std::string& token, std::string_view axis);

class Parser {
 public:
  explicit Parser(std::string_view text);
  // Reads every token of the text.
  void read_tokens();

  // One facet each, from a value as typed; a value that is no such thing becomes an issue. `token`
  // is what the reading and the issue name.
  void operation(const std::string& token, std::string_view value);
  void family(const std::string& token, std::string_view value);
  void model(const std::string& token, std::string_view value);
  void hardware(const std::string& token, std::string_view value);
  void architecture(const std::string& token, std::string_view value);
  void dtype(const std::string& token, std::string_view value);
  void shape(const std::string& token, std::string_view value);
  void layout(const std::string& token, std::string_view value);
  void framework(const std::string& token, std::string_view value);
  void language(const std::string& token, std::string_view value);
  void cuda(const std::string& token, std::string_view value);
  void pass(const std::string& token, std::string_view value);
  void metric(const std::string& token, std::string_view value);
  void cohort(const std::string& token, std::string_view value);
  void trust(const std::string& token, std::string_view value);
  void license(const std::string& token, std::string_view value);
  void source(const std::string& token, std::string_view value);
  void installable(const std::string& token, std::string_view value);
  void vendor(const std::string& token, std::string_view value);
  void memory(const std::string& token, std::string_view value);
  void count(const std::string& token, std::string_view value);
  void driver(const std::string& token, std::string_view value);
  void compiler(const std::string& token, std::string_view value);
  void protocol(const std::string& token, std::string_view value);
  void statistic(const std::string& token, std::string_view value);
  void project(const std::string& token, std::string_view value);
  void package(const std::string& token, std::string_view value);
  void author(const std::string& token, std::string_view value);
  void framework_version(const std::string& token, std::string_view value);
  void toolkit_version(const std::string& token, std::string_view value);
  void axis(const std::string& token, const std::string& name, const Range& size);

  void add_issue(QueryIssue issue);

  // Adds a facet given as structure to the text that stands for the whole request, in the grammar
  // of queries ("gpu:\"NVIDIA H100\""), and returns that token.
  std::string append_token(std::string_view key, std::string_view value);

  Request finish() &&;

 private:
  std::size_t read_at(std::size_t at);  // how many tokens it took
  bool read_quoted(const std::string& token);
  bool read_keyed(const std::string& token, std::string_view bare);
  bool read_shape(const std::string& token, const std::string& lower);
  bool read_digest(const std::string& token, const std::string& lower);
  bool read_word(const std::string& token, const std::string& lower);
  std::size_t read_hardware_at(std::size_t at);
  std::size_t read_operation_at(std::size_t at);
  std::size_t read_axis_at(std::size_t at);
  std::optional<policy::Versions> versions(const std::string& token, std::string_view key,
                                           std::string_view value);
  void text(const std::string& token, Text kind, std::string_view key, std::string_view value);
  // Whether a range holds anything; an empty one becomes an issue.
  bool is_range(const std::string& token, const std::optional<Range>& range,
                std::string_view value);
  void unknown_key(const std::string& token, std::string_view key, std::string_view value);
  bool flag(const std::string& token, std::string_view key, std::string_view value, bool& into);
  void free_word(const std::string& token, std::string_view word, bool quoted = false);
  void set_hardware(const std::string& token, HardwareFacet facet);
  std::size_t add_reading(const std::string& token, std::string kind, std::string meaning,
                          std::string display, std::vector<std::string> alternatives = {});
  // The same for a facet that has one value: what was read for it before is replaced.
  void add_facet(const std::string& facet, const std::string& token, std::string kind,
                 std::string meaning, std::string display,
                 std::vector<std::string> alternatives = {});

  Request request_;
  std::vector<std::string> bare_;   // the tokens without the punctuation of a sentence
  std::vector<std::string> lower_;  // those in lower case
  std::vector<std::vector<std::string>> origins_;     // the tokens of each reading
  std::map<std::string, std::size_t> facet_reading_;  // the reading that stands for each facet
};

}  // namespace ki::query
