// Puts answers into the bytes of a snapshot file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "embed/format.h"

namespace ki::embed {

struct CandidateData {
  std::string implementation, name, project, run, language, framework, install, license;
  double value = 0;
  std::optional<double> low, high;
  std::int32_t rank = 0;
  std::uint32_t evidence = 0;  // 1 to 4
  bool shares_rank = false;
  bool source_available = false;
  bool deployable = false;
};

struct AnswerData {
  std::string comparison_key, hardware, metric, unit, statistic, verdict;
  std::vector<CandidateData> candidates;
};

struct CaseData {
  std::string operation;  // slug
  std::string dtype;      // "": not stated
  std::string hardware;   // "": not stated
  std::string pass;       // "": not stated
  std::map<std::string, std::int64_t> axes;
};

class Writer {
 public:
  Writer(const std::string& catalog_version, const std::string& policy_version);

  // Other names of an operation or of hardware. What is itself the name of one of the cases, or is
  // given for two of them, stands for none of them.
  void name_operation(const std::string& alias, const std::string& slug);
  void name_hardware(const std::string& alias, const std::string& model);

  // Answers with one comparison key are stored once. False when the case is there already.
  bool add(const CaseData& one, const AnswerData& answer);
  std::size_t cases_count() const { return cases_.size(); }

  // The whole file. Code::invalid when a section is too large for the format.
  Result<std::string> finish();

 private:
  struct Names {
    std::map<std::string, std::uint32_t> ids;  // from 1, in the order of arrival
    std::map<std::string, std::set<std::string>> aliases;
    std::uint32_t id_of(const std::string& name);
  };
  Text text(const std::string& text);
  Answer packed(const AnswerData& answer);
  std::vector<Name> sorted(const Names& names);

  std::string texts_ = std::string(1, '\0');
  std::unordered_map<std::string, Text> text_at_;
  Text catalog_;
  Text policy_;
  Names operations_, dtypes_, hardware_;
  std::vector<Axis> axes_;
  std::vector<Case> cases_;
  std::set<std::string> known_cases_;  // all their names and axes
  std::vector<Answer> answers_;
  std::map<std::string, std::uint32_t> answer_at_;  // by comparison key
  std::vector<Candidate> candidates_;
};

}  // namespace ki::embed
