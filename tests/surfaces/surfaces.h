// One catalog behind the five surfaces that answer questions about it, each read as its own users
// read it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"
#include "json/read.h"
#include "kernelindex.h"

namespace ki::surfaces {

// What a surface says to a question. What it does not show is left empty, and not compared.
struct Said {
  std::string leader;              // id of the run; "" when nothing is ranked
  std::string value;               // the leader's, to the last digit that is shown
  std::vector<std::string> ranks;  // "1 RUN", "2= RUN", ... in the order of the list
  std::string cohort;              // comparison key
  bool operator==(const Said&) const = default;
};

std::string to_string(const Said& said);

// A question: words, and the same as structure where it is asked that way too.
struct Question {
  std::string words;
  std::string structure{};  // JSON of a request; "" = none
};

class Surfaces {
 public:
  // A catalog made by `ki ARGUMENTS`, in a folder of its own.
  explicit Surfaces(const std::string& import_arguments);
  ~Surfaces();
  Surfaces(const Surfaces&) = delete;
  Surfaces& operator=(const Surfaces&) = delete;

  Said program(const Question& question) const;
  Said api(const Question& question) const;
  Said page(const Question& question) const;
  // All at once: one process of `ki mcp` answers them over its standard input and output.
  std::vector<Said> agents(const std::vector<Question>& questions) const;
  // An exact case, in the words of the others; ask one of them first.
  Said library(const ki_case& one) const;

  const ki_snapshot* snapshot() const { return snapshot_; }

 private:
  std::string run(const std::string& arguments, const std::string& input = "") const;
  Said of_envelope(const json::Value& envelope) const;

  std::filesystem::path home_;
  std::unique_ptr<http::Server> server_;
  ki_snapshot* snapshot_ = nullptr;
  // Of every run that an envelope showed, by its digest: the library names runs by that alone.
  mutable std::map<std::string, std::string> ids_;
};

// The question that asks what a case of a snapshot asks.
Question question_of(const ki_case& one);

}  // namespace ki::surfaces
