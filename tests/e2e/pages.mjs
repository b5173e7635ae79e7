// Every kind of page: usable by all (axe), valid, small, still, quiet and as wide as its window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { HtmlValidate } from "html-validate";

import { isLong } from "./kinds.mjs";
import { openWindow } from "./site.mjs";

const kPageBytesMax = 100 * 1024;
// A table may widen while its rows still arrive, which a busy machine makes visible; far below what
// readers notice (0.1).
const kShiftMax = 0.04;
const kWidths = [320, 640, 768, 1920, 2560]; // 640: 1280 at 200 % zoom
const kAxe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const validator = new HtmlValidate({
  root: true,
  extends: ["html-validate:recommended"],
  rules: {
    "no-trailing-whitespace": "off", // of the text that is shown
    "long-title": "off", // names of operations are as long as they are
    "no-raw-characters": ["error", { relaxed: true }],
    "doctype-style": ["error", { style: "uppercase" }],
    "valid-id": ["error", { relaxed: true }], // anything but blanks, as the standard has it
    "form-dup-name": "off", // a comparison has several runs
    "no-implicit-button-type": "off", // a button of a form submits it
    "no-implicit-input-type": "off", // and an input takes text
  },
});

// One line an element that breaks a rule.
async function violations(page, options) {
  const found = await page.evaluate((chosen) => window.axe.run(document, chosen), {
    resultTypes: ["violations"], ...options,
  });
  return found.violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}

async function checkHtml(origin, { path, status }) {
  const answer = await fetch(origin + path);
  assert.equal(answer.status, status);
  const html = await answer.text();
  if (!isLong(path)) assert.ok(html.length <= kPageBytesMax, `${html.length} bytes`);
  const { results } = await validator.validateString(html);
  const faults = results.flatMap(({ messages }) =>
    messages.map((one) => `${one.line}:${one.column} ${one.ruleId}: ${one.message}`));
  assert.deepEqual(faults.slice(0, 10), []);
}

async function checkInBrowser(window, path) {
  const { page, faults, shifts } = window;
  faults.length = 0;
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(path);
  const moved = await shifts();
  if (moved.sum > kShiftMax) faults.push(`the layout shifts by ${moved.sum}: ${moved.by}`);
  await page.evaluate(kAxe);
  // What is behind a disclosure is read, too.
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));
  faults.push(...(await violations(page, {})));
  // The other theme differs in colours alone.
  await page.emulateMedia({ colorScheme: "dark" });
  const colours = { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } };
  faults.push(...(await violations(page, colours)).map((one) => `dark: ${one}`));
  for (const width of kWidths) {
    await page.setViewportSize({ width, height: 900 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) faults.push(`${wide} px wide in a window of ${width}`);
  }
  assert.deepEqual(faults, []);
}

export function testPages(site) {
  test("pages", async (t) => {
    for (const kind of site.kinds) {
      await t.test(`HTML of ${kind.path}`, () => checkHtml(site.origin, kind));
    }
    // Colours are judged where they end, not on their way.
    const window = await openWindow(site.browser, site.origin, { reducedMotion: "reduce" });
    for (const { path } of site.kinds) {
      await t.test(path, () => checkInBrowser(window, path));
    }
    await window.close();
  });
}
