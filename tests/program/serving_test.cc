// What a user and a script see of `ki` about served models.

#include "program/program.h"

namespace ki {
namespace {

constexpr std::string_view kRequest = R"(model: mlperf-llama2-70b
hardware: {model: MI325X, countMaximum: 8}
objective: {direction: maximize, metric: output_token_throughput_tps}
constraints:
  - {metric: ttft_ms, operator: "<=", value: 2000}
)";

class Serving : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    ASSERT_EQ(ki("import registry --publish").code, 0);
  }
};

TEST_F(Serving, ARequestInAFileIsAnswered) {
  write("request.yaml", kRequest);
  const auto table = ki("resolve serving --manifest request.yaml");
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("8 of 8 runs match, 4 keep every bound, in 2 groups"), std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("METRIC_NOT_REPORTED:ttft_ms"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("ttft_ms <= 2000 (p99): not measured in 4 of 4 rows, only declared"),
            std::string::npos)
      << table.out;
  const auto json = ki("--json resolve serving --manifest -", std::string(kRequest));
  EXPECT_EQ(field(json.out, {"policyVersion"}), "serving-v1");
  EXPECT_EQ(field(json.out, {"groups", "0", "rows", "0", "configuration"}),
            "GigaComputing · G893-ZX1-AAX2");
  EXPECT_EQ(field(json.out, {"groups", "0", "rows", "0", "constraints", "0", "state"}), "declared");
  EXPECT_EQ(field(json.out, {"groups", "0", "ranking", "statistic"}), "reported");
  const auto lines = ki("--jsonl resolve serving --manifest request.yaml");
  EXPECT_EQ(std::ranges::count(lines.out, '\n'), 2) << "a line for each group";
}

TEST_F(Serving, AWrongRequestNamesItsPlace) {
  const auto direction = ki("resolve serving --manifest -",
                            R"({"objective":{"direction":"maximize","metric":"ttft_ms"}})");
  EXPECT_EQ(direction.code, 1);
  EXPECT_NE(direction.err.find("/objective/direction"), std::string::npos) << direction.err;
  EXPECT_NE(direction.err.find("minimize"), std::string::npos) << direction.err;
  const auto unknown = ki("resolve serving --manifest -", R"({"modell":"x"})");
  EXPECT_NE(unknown.err.find("did you mean \"model\""), std::string::npos) << unknown.err;
  EXPECT_EQ(ki("resolve serving --cohort x --manifest -", "{}").code, 2);
  EXPECT_EQ(ki("resolve serving --manifest -", "[{},{}]").code, 1);
}

TEST_F(Serving, ListsLeadToTheDossier) {
  const auto runs = ki("--json serving runs --hardware mi325 --limit 3");
  ASSERT_EQ(runs.code, 0) << runs.err;
  const std::string digest = field(runs.out, {"runs", "0", "digest"});
  const auto next = ki("--json serving runs --hardware mi325 --limit 5 --cursor " +
                       field(runs.out, {"nextCursor"}));
  EXPECT_EQ(field(next.out, {"nextCursor"}), "null");
  const auto run = ki("--json show serving-run " + digest.substr(7, 12));
  EXPECT_EQ(field(run.out, {"run", "digest"}), digest) << run.err;
  EXPECT_EQ(field(run.out, {"attribution", "license"}), "Apache-2.0");
  EXPECT_NE(ki("show serving-run " + digest).out.find("Llama-2-70B"), std::string::npos);
  EXPECT_EQ(ki("show serving-run sha256:" + std::string(64, '0')).code, 1);
  EXPECT_EQ(field(ki("--json serving configs").out, {"0", "runs"}), "2");
  const auto overview = ki("serving overview");
  EXPECT_NE(overview.out.find("llama2-70b-99 · Server"), std::string::npos) << overview.out;
}

}  // namespace
}  // namespace ki
