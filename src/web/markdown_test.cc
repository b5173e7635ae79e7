#include "web/markdown.h"

#include <gtest/gtest.h>

#include "web/testing.h"

namespace ki::web {
namespace {

std::string html_of(std::string_view text) {
  const auto target = [](std::string_view to) {
    return to == "here.md" ? Url::local({"docs", "here"}) : Url::outside(to);
  };
  return std::string(read_markdown(text, target).body.text());
}

TEST(Markdown, ReadsTheFormsOfOurDocuments) {
  EXPECT_EQ(html_of("# A *b* `c`\n\nTwo\nlines"),
            "<h1 id=\"a-b-c\">A <em>b</em> <code>c</code></h1><p>Two\nlines</p>");
  EXPECT_EQ(html_of("- one\n  more\n- **two**\n\n1. first\n2. second"),
            "<ul><li>one\nmore</li><li><strong>two</strong></li></ul>"
            "<ol><li>first</li><li>second</li></ol>");
  EXPECT_EQ(html_of("- a\n  - b\n- c"), "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>");
  EXPECT_EQ(html_of("```sh\nki <x>\n```\nafter"),
            "<pre class=\"copyable\" tabindex=\"0\"><code>ki &lt;x&gt;\n</code></pre><p>after</p>");
  EXPECT_EQ(html_of("| a | b |\n|---|---|\n| `x\\|y` | z |"),
            "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">a</th>"
            "<th scope=\"col\">b</th></tr></thead><tbody><tr><td><code>x|y</code></td>"
            "<td>z</td></tr></tbody></table></div>");
  EXPECT_EQ(html_of("<!-- not shown -->\ntext"), "<p>text</p>");
}

TEST(Markdown, ALinkThatLeadsNowhereIsItsText) {
  EXPECT_EQ(html_of("[a](here.md) [b](src/x.h) [c](javascript:alert(1))"),
            "<p><a href=\"/docs/here\">a</a> b c)</p>");
}

TEST(Markdown, TextIsTextAndMarksWithoutAnEndAreToo) {
  EXPECT_EQ(html_of("<script>alert(1)</script>"), "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>");
  EXPECT_EQ(html_of("2 * 3 * 4 and a `tick and [b"), "<p>2 * 3 * 4 and a `tick and [b</p>");
  for (const std::string_view text : {"*", "**", "`", "[", "[](", "|", "| a |", "- ", "#", "# ",
                                      "```", "\\", "1. ", "\n\n", "- a\n\n\n- b", "* a **b* c**"}) {
    EXPECT_EQ(fault_of(html_of(text)), "") << text;
  }
}

TEST(Markdown, HeadingsHaveIdsOfTheirOwn) {
  const Document document = read_markdown("# A\n## B c\n## B c\n### `x`",
                                          [](std::string_view) { return Url::outside(""); });
  ASSERT_EQ(document.headings.size(), 4U);
  EXPECT_EQ(document.headings[1].id, "b-c");
  EXPECT_EQ(document.headings[2].id, "b-c--2");
  EXPECT_EQ(document.headings[3].text, "x");
}

}  // namespace
}  // namespace ki::web
