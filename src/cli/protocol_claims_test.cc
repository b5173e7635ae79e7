// What the policy reads out of the protocols that the runner writes.
#include <algorithm>
#include <iterator>
#include <vector>

#include <gtest/gtest.h>

#include "json/read.h"
#include "policy/facts.h"
#include "runner/protocol.h"

namespace ki::cli {
namespace {

TEST(ProtocolClaims, ThePolicyKnowsTheSmallestEffectOfEachProtocol) {
  std::vector<runner::Protocol> all = runner::protocols();
  std::ranges::copy(runner::worker_protocols(), std::back_inserter(all));
  for (const runner::Protocol& protocol : all) {
    for (const auto pass : {policy::Pass::forward, policy::Pass::backward, policy::Pass::full}) {
      const auto manifest = json::parse(runner::manifest_of(protocol, policy::name_of(pass)));
      ASSERT_TRUE(manifest);
      EXPECT_EQ(policy::timed_pass(manifest->root), pass) << protocol.name;
      const bool paired = protocol.order == runner::Order::paired;
      EXPECT_EQ(policy::effect_min_of(manifest->root), paired ? protocol.effect_min : 0)
          << protocol.name;
    }
  }
}

}  // namespace
}  // namespace ki::cli
