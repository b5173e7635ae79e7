// node screenshots.mjs KI readme DIR: the pictures of README.md.
// node screenshots.mjs KI all DIR: every kind of page, at every width, in both themes.
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import { pageKinds } from "./kinds.mjs";
import { api, openWindow, startBrowser, startSite } from "./site.mjs";

const kWidths = [360, 768, 1280, 1920];
const kThemes = ["light", "dark"];

async function readme(site, folder) {
  const query = encodeURIComponent("neighborhood attention backward batch:4 seq:2048 heads:12 3090");
  const { records } = await api(site.origin, `/search?q=${query}`).then(({ groups }) => ({ records: groups.exact }));
  const runs = records.map((row) => row.runId);
  const pictures = [
    ["search", "light", `/search?q=${query}`],
    ["dossier", "dark", `/runs/${runs[0]}`],
    ["winners", "light", "/operations/geglu-mlp/winners"],
    ["compare", "dark", `/compare?run=${runs[0]}&run=${runs[1]}`],
  ];
  for (const [name, colorScheme, path] of pictures) {
    const { page, close } = await openWindow(site.browser, site.origin, {
      colorScheme, viewport: { width: 1120, height: 700 },
    });
    await page.goto(path);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await close();
  }
}

async function all(site, folder) {
  const kinds = await pageKinds(site.origin);
  for (const colorScheme of kThemes) {
    const { page, close } = await openWindow(site.browser, site.origin, { colorScheme });
    for (const [number, { path }] of kinds.entries()) {
      await page.goto(path);
      const name = `${String(number).padStart(2, "0")}${path.replace(/[^a-z]+/g, "-")}`.slice(0, 40);
      for (const width of kWidths) {
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
    }
    await close();
  }
}

const [, , ki, what, folder] = process.argv;
mkdirSync(folder, { recursive: true });
const site = { ...(await startSite(ki)), browser: await startBrowser() };
await (what === "all" ? all : readme)(site, folder);
await site.browser.close();
await site.stop();
