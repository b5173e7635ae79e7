#include "web/html.h"

#include <random>

#include <gtest/gtest.h>

namespace ki::web {
namespace {

TEST(Html, EscapesTextInBothPlaces) {
  const std::string hostile = "<script>alert('x')</script> \"&";
  Html html;
  html.add(R"(<a title="{}">{}</a>)", hostile, hostile);
  const std::string safe = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &quot;&amp;";
  EXPECT_EQ(html.text(), "<a title=\"" + safe + "\">" + safe + "</a>");
}

TEST(Html, InsertsMarkupAsItIsAndNumbersAsTheyAre) {
  Html inner;
  inner.add("<b>{}</b>", std::string("1 < 2"));
  Html outer;
  outer.add("<p>{} {}</p>", inner, 42);
  EXPECT_EQ(outer.text(), "<p><b>1 &lt; 2</b> 42</p>");
}

TEST(Html, ATemplateCharacterInAValueIsText) {
  Html html;
  html.add("<p>{}{}</p>", std::string("{}"), std::string("b"));
  EXPECT_EQ(html.text(), "<p>{}b</p>");
}

TEST(Html, TextCannotReorderWhatFollows) {
  EXPECT_EQ(escaped("a\xE2\x80\xAE"
                    "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(escaped("a\xE2\x81\xA6"
                    "b"),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(escaped("\xD7\x90 é 漢 \U0001F600"), "\xD7\x90 é 漢 \U0001F600");
}

TEST(Html, WhatIsNoTextBecomesTheReplacementCharacter) {
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b", 4)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
  EXPECT_EQ(escaped("\xff\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(escaped("a\tb\nc"), "a\tb\nc");
}

TEST(Html, NoTextEverHoldsMarkup) {
  std::mt19937 random(20260202);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int k = 0; k < 40; ++k) text += static_cast<char>(random() % 256);
    const std::string out = escaped(text);
    EXPECT_EQ(out.find_first_of("<>\"'"), std::string::npos);
  }
}

TEST(Template, FaultsAreFound) {
  using enum PartKind;
  const auto fault = [](std::string_view markup, std::vector<PartKind> kinds) {
    return std::string(template_fault(markup, kinds));
  };
  EXPECT_EQ(fault(R"(<a href="{}" title="{}">{}{}</a>)", {url, text, html, number}), "");
  EXPECT_NE(fault("<p>{}</p>", {}), "");
  EXPECT_NE(fault("<p></p>", {text}), "");
  EXPECT_NE(fault(R"(<a href="{}"></a>)", {text}), "");
  EXPECT_NE(fault(R"(<form action="{}"></form>)", {text}), "");
  EXPECT_NE(fault(R"(<a title="{}"></a>)", {url}), "");
  EXPECT_NE(fault(R"(<a title="{}"></a>)", {html}), "");
  EXPECT_NE(fault("<p>{}</p>", {url}), "");
  EXPECT_NE(fault("<a title={}></a>", {text}), "");
  EXPECT_NE(fault("<p {}></p>", {text}), "");
  EXPECT_NE(fault(R"(<p onclick="{}"></p>)", {text}), "");
  EXPECT_NE(fault(R"(<p style="color:red"></p>)", {}), "");
  EXPECT_NE(fault("<script>", {}), "");
  EXPECT_EQ(fault(R"(<script src="{}"></script>)", {PartKind::url}), "");
  EXPECT_NE(fault(R"(<script src="{}">{}</script>)", {PartKind::url, PartKind::text}), "");
  EXPECT_NE(fault(R"(<script src="/a.js"></script>)", {}), "");
  EXPECT_NE(fault(R"(<script src="{}" async="async"></script>)", {PartKind::url}), "");
  EXPECT_NE(fault("<p title=\"", {}), "");
  EXPECT_NE(fault("<p", {}), "");
}

TEST(Url, EncodesWhatItIsMadeOf) {
  EXPECT_EQ(Url::local({}).text(), "/");
  EXPECT_EQ(Url::local({"runs", "sha256:a/b"}, {{"q", "x&y"}}).text(),
            "/runs/sha256%3Aa%2Fb?q=x%26y");
}

TEST(Url, FromOutsideIsHttpOrNothing) {
  EXPECT_EQ(Url::outside("https://example.org/a?b=\"c\"").text(), "https://example.org/a?b=\"c\"");
  EXPECT_FALSE(Url::outside("HTTP://example.org").empty());
  for (const std::string_view text :
       {"", "javascript:alert(1)", " https://example.org", "https://a b", "//example.org",
        "data:text/html,x", "ftp://example.org", "java\nscript:x"}) {
    EXPECT_TRUE(Url::outside(text).empty()) << text;
  }
  EXPECT_TRUE(Url::outside("https://" + std::string(kUrlBytesMax, 'a')).empty());
}

}  // namespace
}  // namespace ki::web
