// The commands that README.md and docs/guide show, run as they stand: each `console` block is fed
// to one shell on a terminal, and what it prints is compared with what the page says it prints.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/places.h"

namespace ki {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrompt = "$ ";
constexpr std::string_view kMark = "@@ next command @@";

struct Step {
  std::string command;
  std::string expected;  // what the page shows below it
};

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<Step> steps_of(const fs::path& page) {
  std::ifstream in(page);
  std::vector<Step> steps;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      inside = !inside && line == "```console";
    } else if (inside && line.starts_with(kPrompt)) {
      steps.push_back({.command = line.substr(kPrompt.size()), .expected = ""});
    } else if (inside && !steps.empty()) {
      steps.back().expected += line + "\n";
    }
  }
  return steps;
}

class Docs : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    home_ = fs::path(testing::TempDir()) /
            ("ki_docs_" + std::string(info->name()) + "_" + std::to_string(::getpid()));
    fs::remove_all(home_);
    fs::create_directories(home_ / "build/release");
    fs::create_symlink(KI_BINARY, home_ / "build/release/ki");
  }
  void TearDown() override { fs::remove_all(home_); }

  // What each step prints on a terminal of 110 columns, run one after the other in one shell.
  std::vector<std::string> outputs_of(const std::vector<Step>& steps) const {
    std::ofstream session(home_ / "session.sh");
    // Errors go through a pipe, or a progress bar would be drawn.
    session << "stty cols 110\nexec 2> >(cat)\nunset KI_DB\n"
               "export NO_COLOR=1 PATH=\"$PWD/build/release:$PATH\"\n";
    for (const Step& step : steps) session << "echo '" << kMark << "'\n" << step.command << "\n";
    session.close();
    const std::string command = "cd '" + home_.string() +
                                "' && script -qefc 'bash session.sh' /dev/null "
                                "< /dev/null > printed 2>&1";
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << slurp(home_ / "printed");
    std::string text = slurp(home_ / "printed");
    std::erase(text, '\r');
    std::vector<std::string> outputs;
    const std::string mark = std::string(kMark) + "\n";
    for (auto at = text.find(mark); at != std::string::npos;) {
      const auto begin = at + mark.size();
      at = text.find(mark, begin);
      outputs.push_back(text.substr(begin, at == std::string::npos ? at : at - begin));
    }
    return outputs;
  }
  void expect_true(const fs::path& page) const {
    const auto steps = steps_of(page);
    ASSERT_FALSE(steps.empty()) << page;
    const auto outputs = outputs_of(steps);
    ASSERT_EQ(outputs.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(outputs[i], steps[i].expected) << page << ": " << steps[i].command;
    }
  }
  fs::path home_;
};

TEST_F(Docs, TheGuideLeadsFromNothingToItsAnswer) {
  const fs::path page = places::source_dir() / "docs/guide/first-answer.md";
  expect_true(page);
  EXPECT_TRUE(steps_of(page).back().command.starts_with("ki resolve "));
}

TEST_F(Docs, TheReadmeShowsWhatIsPrinted) {
  fs::create_directories(home_ / "var");
  const std::string fill = "'" KI_BINARY "' --db '" + (home_ / "var/ki.db").string() +
                           "' import registry --publish > /dev/null";
  ASSERT_EQ(std::system(fill.c_str()), 0);
  expect_true(places::source_dir() / "README.md");
}

TEST_F(Docs, TheCommandLinePageNamesEveryCommand) {
  const std::string list = "'" KI_BINARY "' --help > '" + (home_ / "help").string() + "'";
  ASSERT_EQ(std::system(list.c_str()), 0);
  const std::string page = slurp(places::source_dir() / "docs/guide/command-line.md");
  std::ifstream help(home_ / "help");
  bool inside = false;
  std::size_t commands = 0;
  for (std::string line; std::getline(help, line);) {
    if (line == "Subcommands:") {
      inside = true;
    } else if (line.empty()) {
      inside = false;
    } else if (inside && line.size() > 3 && line.starts_with("  ") && line[2] != ' ') {
      ++commands;
      const std::string name = line.substr(2, line.find(' ', 2) - 2);
      EXPECT_NE(page.find("`ki " + name), std::string::npos) << name;
    }
  }
  EXPECT_GT(commands, 20U);
}

}  // namespace
}  // namespace ki
