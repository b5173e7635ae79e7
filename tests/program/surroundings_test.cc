// `ki` where its surroundings give it less than it would like: files, folders, homes, disks.
#include "program/program.h"

namespace ki {
namespace {

// Under a shell that sets the limits or variables first.
class Surroundings : public Program {
 protected:
  Finished within(const std::string& before, const std::string& arguments) const {
    const std::string command = "cd '" + home_.string() + "' && " + before +
                                " '" KI_BINARY "' --db '" + db().string() + "' " + arguments +
                                " >stdout 2>stderr </dev/null";
    const int status = std::system(("bash -c \"" + command + "\"").c_str());
    return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .out = slurp(home_ / "stdout"),
            .err = slurp(home_ / "stderr")};
  }
};

TEST_F(Surroundings, AFolderThatCannotBeLookedAtIsNoReasonToAbort) {
  ASSERT_EQ(ki("migrate").code, 0);
  fs::create_symlink("loop", home_ / "loop");
  for (const std::string& folder : {std::string("loop/exports"), std::string(5000, 'x')}) {
    const Finished done = ki("serve --exports " + folder);
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_NE(done.err.find("--exports: there is no folder"), std::string::npos) << done.err;
  }
}

TEST_F(Surroundings, FewFilesAreSaidBeforeAnythingIsServed) {
  ASSERT_EQ(ki("migrate").code, 0);
  const Finished none = within("ulimit -n 40;", "serve --port 0");
  EXPECT_EQ(none.code, 1) << none.err;
  EXPECT_NE(none.err.find("ulimit -n"), std::string::npos) << none.err;
  EXPECT_EQ(none.out.find("Serving"), std::string::npos);
  const Finished few = within("ulimit -n 100; timeout -s TERM 2", "serve --port 0");
  EXPECT_NE(few.err.find("leaves room for 36 connections"), std::string::npos) << few.err;
}

TEST_F(Surroundings, AKeyIsAFileThatIsNamed) {
  EXPECT_EQ(ki("runner init --key k.pem").code, 0) << "a name without a folder";
  EXPECT_TRUE(fs::exists(home_ / "k.pem"));
  for (const char* command : {"runner init --key .", "runner key --key .", "runner key --key /"}) {
    const Finished done = ki(command);
    EXPECT_EQ(done.code, 1) << command;
    EXPECT_NE(done.err.find("folder"), std::string::npos) << command << ": " << done.err;
    EXPECT_EQ(done.err.find("chmod"), std::string::npos) << command;
  }
  for (const char* home :
       {"env -u HOME -u XDG_CONFIG_HOME", "env HOME=here XDG_CONFIG_HOME=there"}) {
    const Finished done = within(home, "runner init");
    EXPECT_NE(done.code, 0) << home;
    EXPECT_NE(done.err.find("--key"), std::string::npos) << done.err;
  }
  EXPECT_FALSE(fs::exists(home_ / ".config")) << "no key where nobody asked for it";
  EXPECT_FALSE(fs::exists(home_ / "here"));
}

TEST_F(Surroundings, WhatCannotBeMigratedLeavesNoFile) {
  // A limit on files is a full disk, as far as a write can tell.
  const Finished done = within("ulimit -f 1;", "migrate");
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_FALSE(fs::exists(db())) << fs::file_size(db());
}

// An export of ours ends with the log of its catalog.
TEST_F(Surroundings, AnExportThatWasCutIsNotTakenForWhole) {
  ASSERT_EQ(ki("import registry --publish").code, 0);
  ASSERT_EQ(ki("export whole.jsonl").code, 0);
  std::ifstream whole(home_ / "whole.jsonl");
  std::ofstream cut(home_ / "cut.jsonl");
  std::string line;
  for (int i = 0; i < 60 && std::getline(whole, line); ++i) cut << line << '\n';
  cut.close();
  for (const char* ending : {"", "-wal", "-shm"}) fs::remove(db().string() + ending);
  const Finished done = ki("import export cut.jsonl --publish");
  EXPECT_EQ(done.code, 3) << done.out << done.err;
  EXPECT_NE((done.out + done.err).find("it was cut short"), std::string::npos) << done.out;
}

}  // namespace
}  // namespace ki
