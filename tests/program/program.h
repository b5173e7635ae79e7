// `ki` as a user and a script see it: the binary, run in a folder of its own.
#pragma once

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "json/read.h"
#include "support/places.h"

namespace ki {

namespace fs = std::filesystem;

struct Finished {
  int code = -1;
  std::string out;
  std::string err;
};

inline std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Program : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    home_ = fs::path(testing::TempDir()) /
            ("ki_program_" + std::string(info->name()) + "_" + std::to_string(::getpid()));
    fs::remove_all(home_);
    fs::create_directories(home_);
    ::unsetenv("KI_DB");
  }
  void TearDown() override { fs::remove_all(home_); }

  // Runs `ki ARGUMENTS` with the test's own catalog; `arguments` is a shell text.
  Finished ki(const std::string& arguments, const std::string& input = "",
              const std::string& output = "stdout") const {
    std::ofstream(home_ / "stdin") << input;
    const std::string command = "cd '" + home_.string() + "' && '" KI_BINARY "' --db '" +
                                db().string() + "' " + arguments + " <stdin >" + output +
                                " 2>stderr";
    const int status = std::system(command.c_str());
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .out = slurp(home_ / "stdout"),
            .err = slurp(home_ / "stderr")};
  }
  // What `ki ARGUMENTS` prints on a terminal of so many columns.
  std::string on_terminal(int columns, const std::string& arguments) const {
    std::ofstream(home_ / "typed.sh")
        << "stty cols " << columns << "\nNO_COLOR=1 '" KI_BINARY "' --db '" << db().string() << "' "
        << arguments << "\n";
    const std::string command = "cd '" + home_.string() +
                                "' && script -qefc 'bash typed.sh' /dev/null "
                                "< /dev/null > printed 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << arguments;
    std::string text = slurp(home_ / "printed");
    std::erase(text, '\r');
    return text;
  }
  fs::path db() const { return home_ / "ki.db"; }
  fs::path write(const std::string& name, std::string_view text) const {
    std::ofstream(home_ / name, std::ios::binary) << text;
    return home_ / name;
  }
  fs::path home_;
};

// The data beside the checkout; empty when it is not there.
inline fs::path shared() { return places::shared_data("").value_or(""); }

inline std::string field(const std::string& text, std::initializer_list<std::string_view> path) {
  const auto document = json::parse(text, json::kBundleLimits);
  if (!document) return "not JSON: " + text.substr(0, 200);
  const json::Value* value = &document->root;
  for (const auto key : path) {
    value = value->is_array() ? &value->items()[std::stoul(std::string(key))] : value->find(key);
    if (value == nullptr) return "no " + std::string(key);
  }
  std::string out;
  if (value->is_string()) return std::string(value->string());
  if (value->is_number()) return std::to_string(static_cast<std::int64_t>(value->number()));
  return value->is_null()      ? "null"
         : value->is_boolean() ? (value->boolean() ? "true" : "false")
                               : "?";
}

}  // namespace ki
