#include "json/wire.h"

#include <gtest/gtest.h>

#include "json/read.h"

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

// Looking up the place of each of n issues from the start of the text took n times the text.
TEST(Wire, OfATextInWhichEverythingIsWrongTheFirstHundredPlacesAreNamed) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\n\"" + std::to_string(i) + "\":1,";
  text.back() = '}';
  const auto document = parse(text, kBundleLimits);
  ASSERT_TRUE(document) << to_string(document.error());
  const auto dog = read<Dog>(document->root, text);
  ASSERT_FALSE(dog);
  EXPECT_EQ(dog.error().size(), 100U);
  EXPECT_EQ(dog.error().back().place.line, 100U);  // the first says that legs are missing
  std::string list = "[";
  for (int i = 0; i < 100'000; ++i) list += "1,";
  list.back() = ']';
  const auto items = parse(list, kBundleLimits);
  ASSERT_TRUE(items);
  const auto dogs = read<std::vector<Dog>>(items->root, list);
  ASSERT_FALSE(dogs);
  EXPECT_EQ(dogs.error().size(), 100U);
}

}  // namespace
}  // namespace ki::json
