#include <array>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/issue.h"
#include "base/text.h"

namespace ki {
namespace {

constexpr std::string_view kEmptyHex =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Digest, OfTheEmptyTextIsTheWellKnownOne) {
  const std::string text = "sha256:" + std::string(kEmptyHex);
  EXPECT_EQ(to_string(sha256("")), text);
  EXPECT_EQ(parse_digest(text), sha256(""));
}

TEST(Digest, IsReadInLowerCaseOnly) {
  EXPECT_FALSE(parse_digest("sha256:" + ascii_upper(kEmptyHex)));
  EXPECT_FALSE(parse_digest("sha256:e3b0"));
  EXPECT_FALSE(parse_digest(kEmptyHex));
}

TEST(Digest, IsRefusedForOneWrongDigitAnywhere) {
  const std::string text = "sha256:" + std::string(kEmptyHex);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char wrong : {'g', 'A', ' ', '/', '`', '\x80'}) {
      std::string damaged = text;
      damaged[i] = wrong;
      EXPECT_FALSE(parse_digest(damaged)) << damaged;
    }
  }
  EXPECT_FALSE(parse_digest(text + "0"));
}

// A short text is read by overlapping words; a constant one byte by byte.
TEST(Bytes, TheFirstOnesAreTheSameReadEitherWay) {
  constexpr std::string_view kText =
      "\xFE"
      "bcdefg\x80ij";
  constexpr std::array<std::uint64_t, 11> kExpected = {first_bytes(kText.substr(0, 0)),
                                                       first_bytes(kText.substr(0, 1)),
                                                       first_bytes(kText.substr(0, 2)),
                                                       first_bytes(kText.substr(0, 3)),
                                                       first_bytes(kText.substr(0, 4)),
                                                       first_bytes(kText.substr(0, 5)),
                                                       first_bytes(kText.substr(0, 6)),
                                                       first_bytes(kText.substr(0, 7)),
                                                       first_bytes(kText.substr(0, 8)),
                                                       first_bytes(kText.substr(0, 9)),
                                                       first_bytes(kText)};
  for (std::size_t size = 0; size < kExpected.size(); ++size) {
    const std::string copy(kText.substr(0, size));
    EXPECT_EQ(first_bytes(copy), kExpected[size]) << size;
  }
  EXPECT_NE(mark_of(std::string("a")), mark_of(std::string("a\0", 2)));
}

TEST(Instant, IsReadLenientlyAndPrintedInMilliseconds) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"2025-05-06 07:08:09.123456+00:00", "2025-05-06T07:08:09.123Z"},
      {"2025-05-06T07:08:09", "2025-05-06T07:08:09.000Z"},
      {"2025-05-06T07:08:09+02:00", "2025-05-06T05:08:09.000Z"},
      {"2025-05-06", "2025-05-06T00:00:00.000Z"},
      {"2025-05-06T07:08:09.1z", "2025-05-06T07:08:09.100Z"},
  };
  for (const auto& [input, expected] : cases) {
    const auto instant = parse_instant(input);
    ASSERT_TRUE(instant) << input;
    EXPECT_EQ(to_iso(*instant), expected);
  }
}

TEST(Instant, RefusesWhatIsNoTime) {
  for (const std::string_view bad : {"", "2025", "2025-02-29", "2025-13-01", "2025-05-06T24:00",
                                     "2025-05-06T07:08:60", "2025-05-06T07:08:09.Z", "yesterday"}) {
    EXPECT_FALSE(parse_instant(bad)) << bad;
  }
}

TEST(Uuid, IsOrderedWithinOneMillisecond) {
  const Instant now = *parse_instant("2026-01-02T03:04:05.678Z");
  std::string last = uuid_v7(now);
  EXPECT_TRUE(is_uuid(last));
  EXPECT_EQ(last[14], '7');
  for (int i = 0; i < 5000; ++i) {
    std::string next = uuid_v7(now);
    ASSERT_LT(last, next);
    last = std::move(next);
  }
}

TEST(Text, KebabCutsLast) {
  EXPECT_EQ(kebab("NVIDIA GeForce RTX 3090"), "nvidia-geforce-rtx-3090");
  EXPECT_EQ(kebab("  A__b!! "), "a-b");
  EXPECT_EQ(kebab(std::string(99, 'a') + "-b"), std::string(99, 'a') + "-");
}

TEST(Text, CountsUtf16Units) { EXPECT_EQ(utf16_length("a\xC3\xA9\xF0\x9F\x98\x80"), 4U); }

TEST(Text, SuggestsOnlyWhatIsNear) {
  EXPECT_EQ(nearest("gpuu", {"gpu", "op"}), "gpu");
  EXPECT_EQ(nearest("rmsnrom", {"softmax", "rmsnorm"}), "rmsnorm");
  EXPECT_EQ(nearest("colour", {"gpu", "dtype"}), "");
}

TEST(Issue, NamesTheLineAndColumn) {
  const Place place = place_at("ab\ncd", 4);
  EXPECT_EQ(place.line, 2U);
  EXPECT_EQ(place.column, 2U);
}

TEST(Issue, ManyPlacesOfOneTextAreThoseOfEachAlone) {
  for (const std::string_view text : {"", "\n", "ab\ncd", "\n\nabc\n", "no line break"}) {
    Lines lines(text);
    for (std::size_t offset = 0; offset <= text.size() + 2; ++offset) {
      const Place one = place_at(text, offset);
      const Place of_many = lines.at(offset);
      EXPECT_EQ(std::tie(one.offset, one.line, one.column),
                std::tie(of_many.offset, of_many.line, of_many.column))
          << text << " at " << offset;
    }
  }
}

TEST(Files, AreReplacedWholeOrNotAtAll) {
  const auto path = std::filesystem::path(testing::TempDir()) / "ki_base_files_test";
  ASSERT_TRUE(write_file(path, "one"));
  ASSERT_TRUE(write_file(path, "two"));
  EXPECT_EQ(read_file(path, 10).value(), "two");
  EXPECT_EQ(read_file(path, 2).error().code, Code::too_large);
  EXPECT_EQ(read_file(path / "missing", 2).error().code, Code::unavailable);
  EXPECT_EQ(read_file("/nonexistent", 2).error().code, Code::not_found);
  EXPECT_FALSE(write_file("/nonexistent/file", "x"));
}

TEST(Files, ANewFileNeverReplacesAnything) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "ki_base_new_file";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const auto path = folder / "out";
  const auto entries = [&] {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  };
  {
    auto first = NewFile::create(path);
    auto second = NewFile::create(path);
    ASSERT_TRUE(first && second);
    ASSERT_TRUE(first->write("one") && second->write("two"));
    EXPECT_FALSE(std::filesystem::exists(path)) << "not whole yet";
    ASSERT_TRUE(second->finish());
    EXPECT_EQ(first->finish().error().code, Code::conflict);
  }
  EXPECT_EQ(read_file(path, 10).value(), "two");
  EXPECT_EQ(entries(), 1) << "no temporary is left";
  EXPECT_EQ(NewFile::create(path).error().code, Code::conflict);
  EXPECT_EQ(NewFile::create(folder / "none/out").error().code, Code::not_found);
  std::filesystem::create_symlink("elsewhere", folder / "link");
  EXPECT_EQ(NewFile::create(folder / "link").error().code, Code::conflict);
}

// Where files can be without a name, even SIGKILL leaves nothing behind.
TEST(Files, ASignalThatEndsTheProgramLeavesNoUnfinishedFile) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "ki_base_signal";
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGKILL}) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    if (const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR, 0600); fd >= 0) {
      ::close(fd);
    } else if (signal == SIGKILL) {
      GTEST_SKIP() << "this file system has no files without a name";
    }
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (signal != SIGKILL) ::signal(signal, SIG_DFL);
      auto file = NewFile::create(folder / "out");
      if (file && file->write("half of it")) ::raise(signal);
      ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << signal;
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << signal;
  }
  std::filesystem::remove_all(folder);
}

TEST(Files, ANameIsGivenOnce) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "ki_base_give_name";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(write_file(folder / "a", "a") && write_file(folder / "b", "b"));
  EXPECT_TRUE(give_name(folder / "a", folder / "out"));
  EXPECT_EQ(give_name(folder / "b", folder / "out").error().code, Code::conflict);
  EXPECT_EQ(read_file(folder / "out", 10).value(), "a");
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
  EXPECT_EQ(give_name(folder / "none", folder / "other").error().code, Code::not_found);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ki
