// What a newcomer does, with and without JavaScript. Every step is a link, a form or a key.
import assert from "node:assert/strict";
import { test } from "node:test";

import { api, openWindow } from "./site.mjs";

const kExact = "fused neighborhood attention backward 3090";

const heading = (page, name) => page.getByRole("heading", { name, level: 1 });
const main = (page) => page.getByRole("main");
const resultRows = (page) => page.locator("table.results tbody tr:not(.more)");

async function searchFor(page, words) {
  await page.goto("/");
  const field = page.getByLabel("Operation, shape, dtype, hardware");
  await field.fill(words);
  await field.press("Enter");
  await page.waitForURL(/\/search\?q=/);
}

async function seen(locator) {
  await locator.first().waitFor({ state: "visible" });
}

// What is said below a row of a table of results, opened.
async function openRow(row) {
  const more = row.locator("xpath=following-sibling::tr[1]");
  await more.getByText(/^Why/).click();
  await seen(more.getByRole("link", { name: "Run dossier" }));
  return more;
}

const journeys = {
  async "a search leads to the exact answer"({ page }) {
    await searchFor(page, kExact);
    await seen(heading(page, "Neighborhood attention"));
    const first = resultRows(page).first();
    assert.match(await first.locator("td.rank").innerText(), /^1=?$/);
    await seen(page.getByRole("heading", { name: /^Fastest known/ }));
    await seen((await openRow(first)).locator("ul.reasons li"));
  },

  async "a shape that nobody measured leads to its nearest cases"({ page }) {
    await searchFor(page, "op:fused-neighborhood-attention seq:3000");
    const nearest = page.locator("section", { has: page.getByRole("heading", { name: "Nearest measured cases" }) });
    await nearest.getByRole("link").first().click();
    await seen(heading(page, "Neighborhood attention"));
    assert.ok((await resultRows(page).count()) > 0);
  },

  async "a word of several operations leads to a choice and its answer"({ page }) {
    await searchFor(page, "attention bf16");
    await seen(heading(page, "Which operation?"));
    await main(page).getByRole("link", { name: "Sparse multi-token attention", exact: true }).click();
    await seen(heading(page, "Sparse multi-token attention"));
    assert.ok((await resultRows(page).count()) > 0);
    await seen(page.getByRole("link", { name: /^Remove / }));
  },

  async "an operation leads to an implementation and how it is installed"({ page }) {
    await page.goto("/operations");
    await main(page).getByRole("link", { name: "GeGLU MLP" }).click();
    const list = page.locator("section", { has: page.getByRole("heading", { name: "Implementations" }) });
    await list.getByRole("link", { name: "Liger", exact: true }).click();
    const use = page.locator("section", { has: page.getByRole("heading", { name: "Use it" }) });
    await seen(use.getByText(/liger-kernel/));
  },

  async "a run dossier leads to a comparison with the leader"({ page }) {
    await searchFor(page, kExact);
    const more = await openRow(resultRows(page).nth(1));
    await more.getByRole("link", { name: "Run dossier" }).click();
    await page.waitForURL(/\/runs\//);
    await main(page).getByRole("link", { name: "Compare with #1" }).click();
    await seen(heading(page, "Compare runs"));
    await seen(page.getByRole("row", { name: /times the first run/ }));
    assert.equal(await page.getByText("Not comparable.").count(), 0);
    await page.getByText("Markdown", { exact: true }).click();
    await seen(page.getByText(/^\| implementation \|/));
  },

  async "two runs that do not compare are told apart"({ page, origin }) {
    const run = async (slug) => (await api(origin, `/operations/${slug}`)).records[0].runId;
    await page.goto(`/compare?run=${await run("rope")}`);
    await page.getByLabel("Add a run by id or digest").fill(await run("geglu-mlp"));
    await page.getByRole("button", { name: "Add" }).click();
    await seen(page.getByText("Not comparable."));
    await seen(page.getByText(/^First material difference/));
    assert.equal(await page.getByRole("row", { name: /times the first run/ }).count(), 0);
  },

  async "records are filtered, and the back button undoes it"({ page }) {
    await page.goto("/records");
    const all = await page.getByText(/^\d+ of \d+ records$/).innerText();
    await page.getByLabel("Operation, implementation, machine").fill("rope");
    await page.getByLabel("First").selectOption("largest gain");
    await page.getByLabel("with source").check();
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/q=rope/);
    const links = main(page).locator("tbody th a");
    assert.ok((await links.count()) > 0);
    for (const link of await links.all()) assert.match(await link.getAttribute("href"), /rope/);
    assert.equal(await page.getByLabel("First").inputValue(), "gain");
    assert.ok(await page.getByLabel("with source").isChecked());
    await page.goBack();
    assert.equal(await page.getByText(/^\d+ of \d+ records$/).innerText(), all);
    assert.equal(await page.getByLabel("Operation, implementation, machine").inputValue(), "");
  },

  async "a map of winners leads to a comparison group"({ page }) {
    await page.goto("/operations/geglu-mlp");
    const map = page.getByRole("link", { name: /map of winners/ });
    // One case alone has no map to lead to.
    if ((await map.count()) > 0) await map.click();
    else await page.goto("/operations/geglu-mlp/winners");
    await seen(heading(page, /^Who leads GeGLU MLP where/));
    await page.locator("figure a[href*='cohort=']").first().click();
    await page.waitForURL(/cohort=/);
    await seen(heading(page, "GeGLU MLP"));
    assert.ok((await resultRows(page).count()) > 0);
  },

  async "the overview of serving leads to a run"({ page }) {
    await page.goto("/");
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Serving" }).click();
    await main(page).locator("a[href^='/serving/runs/']").first().click();
    await page.waitForURL(/\/serving\/runs\//);
    await seen(page.getByRole("heading", { level: 1 }));
    await seen(page.getByText(/tokens\/s|output_token_throughput/));
  },

  async "keys alone lead from home to a dossier"({ page, script }) {
    await page.goto("/");
    await page.keyboard.press("Tab");
    assert.equal(await page.locator(":focus").innerText(), "Skip to content");
    await tabTo(page, page.getByLabel("Operation, shape, dtype, hardware"));
    if (script) {
      await page.keyboard.type("geglu");
      await seen(page.getByRole("option", { name: /GeGLU MLP/ }));
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
    } else {
      await page.keyboard.type("op:geglu-mlp");
      await page.keyboard.press("Enter");
    }
    await page.waitForURL(/\/search\?q=op/);
    await tabTo(page, resultRows(page).first().getByRole("rowheader").getByRole("link").first());
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/runs\//);
    await seen(page.getByRole("heading", { level: 1 }));
  },
};

// Presses Tab until `target` has the focus, which has to be seen on the way.
async function tabTo(page, target) {
  const wanted = await target.elementHandle();
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const state = await wanted.evaluate((element) => {
      const now = document.activeElement;
      const style = getComputedStyle(now);
      const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
      return { reached: now === element, name: now.outerHTML.slice(0, 80), ring };
    });
    assert.ok(state.ring, `the focus on ${state.name} is seen`);
    if (state.reached) return;
  }
  assert.fail("80 times Tab did not reach it");
}

export function testJourneys(site) {
  for (const script of [true, false]) {
    test(script ? "journeys" : "journeys without JavaScript", async (t) => {
      for (const [name, walk] of Object.entries(journeys)) {
        await t.test(name, async () => {
          const { page, faults, close } = await openWindow(site.browser, site.origin, { script });
          try {
            await walk({ page, script, origin: site.origin });
            assert.deepEqual(faults, []);
          } finally {
            await close();
          }
        });
      }
    });
  }
  test("comfort that a script adds", async (t) => {
    await t.test("the theme is remembered", async () => {
      const { page, close } = await openWindow(site.browser, site.origin, { colorScheme: "light" });
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await page.goto("/");
      const day = await background();
      const button = page.getByRole("button", { name: /^Theme: / });
      await button.click();
      await button.click();
      assert.equal(await button.innerText(), "Theme: dark");
      assert.notEqual(await background(), day);
      await page.goto("/records");
      assert.notEqual(await background(), day);
      await close();
    });
    await t.test("a slash leads to the search field", async () => {
      const { page, close } = await openWindow(site.browser, site.origin);
      await page.goto("/records");
      await page.keyboard.press("/");
      await page.keyboard.type("rope");
      assert.equal(await page.locator(":focus").inputValue(), "rope");
      await close();
    });
  });
}
