#include "json/wire.h"

#include <gtest/gtest.h>

namespace ki::json {
namespace {

struct Cat {
  static constexpr std::string_view kWireName = "Cat";
  std::optional<std::string> name;
  std::optional<std::string> owner;
  template <class V>
  static void describe(V& v) {
    v.field("name", &Cat::name, "");
    v.field("owner", &Cat::owner, "", Presence::optional);
  }
};
struct Dog {
  static constexpr std::string_view kWireName = "Dog";
  std::int64_t legs = 4;
  template <class V>
  static void describe(V& v) {
    v.field("legs", &Dog::legs, "");
  }
};

TEST(Wire, AnAbsentMemberIsNullOrLeftOutAsDescribed) {
  EXPECT_EQ(to_json(Cat{}), R"({"name":null})");
  EXPECT_EQ(to_json(Cat{.name = "a", .owner = "b"}), R"({"name":"a","owner":"b"})");
}

TEST(Wire, AVariantIsWrittenAsWhatItHolds) {
  const std::vector<std::variant<Cat, Dog>> animals = {Dog{}, Cat{.name = "a", .owner = {}}};
  EXPECT_EQ(to_json(animals), R"([{"legs":4},{"name":"a"}])");
  std::string schema;
  Writer out(schema);
  Schemas schemas;
  schemas.write_schema<std::variant<Cat, Dog>>(out);
  EXPECT_EQ(
      schema,
      R"({"oneOf":[{"$ref":"#/components/schemas/Cat"},{"$ref":"#/components/schemas/Dog"}]})");
  EXPECT_TRUE(schemas.named().contains("Dog"));
}

}  // namespace
}  // namespace ki::json
