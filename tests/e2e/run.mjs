// node run.mjs KI: the browser tests, against `KI serve` on a catalog of its own.
// Ends with 77 and says why where what they need from npm or Debian is not installed.
import { existsSync } from "node:fs";
import { after } from "node:test";

import { kChromium, startBrowser, startSite } from "./site.mjs";

async function missing() {
  if (!existsSync(kChromium)) return `no ${kChromium} (Debian's package chromium)`;
  for (const name of ["playwright-core", "axe-core", "html-validate"]) {
    if (!existsSync(new URL(`node_modules/${name}/package.json`, import.meta.url))) {
      return `no npm package ${name} (npm ci in tests/e2e)`;
    }
  }
  return "";
}

const lacking = await missing();
if (lacking) {
  console.log(`SKIPPED: ${lacking}; tools/setup tests installs it.`);
  process.exit(77);
}
const { pageKinds } = await import("./kinds.mjs");
const { testJourneys } = await import("./journeys.mjs");
const { testPages } = await import("./pages.mjs");
const { testLinks } = await import("./links.mjs");

const started = await startSite(process.argv[2]);
const site = { ...started, browser: await startBrowser(), kinds: await pageKinds(started.origin) };
after(async () => {
  await site.browser.close();
  await site.stop();
});
testJourneys(site);
testPages(site);
testLinks(site);
