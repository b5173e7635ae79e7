// A site with data in a temporary catalog, and a browser that watches what its pages do.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const kChromium = "/usr/bin/chromium";
const kWaitMs = 10_000; // for one element or page

// Starts `ki serve` on a free port over the bundled registry and, where KI_SHARED has it, the whole
// Liger benchmark file, with `whole` also the export there. `stop` ends it and removes its files.
export async function startSite(ki, { whole = false } = {}) {
  const home = mkdtempSync(join(tmpdir(), "ki-e2e-"));
  const db = join(home, "ki.db");
  const run = (...words) => execFileSync(ki, ["--quiet", "--db", db, ...words], { stdio: "pipe" });
  run("import", "registry", "--publish");
  const data = process.env.KI_SHARED ? join(process.env.KI_SHARED, "data") : "";
  const find = (pattern) => existsSync(data) && readdirSync(data).find((name) => pattern.test(name));
  const csv = find(/^liger.*\.csv$/);
  if (csv) run("import", "liger", join(data, csv), "--publish");
  const catalog = whole && find(/^catalog-.*\.jsonl\.zst$/);
  if (catalog) run("import", "export", join(data, catalog), "--publish");
  const server = spawn(ki, ["--quiet", "--db", db, "serve", "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  process.on("exit", () => server.kill()); // when a test program fails before it stops the site
  const said = [];
  const origin = await new Promise((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        said.push(line);
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
        if (address) resolve(address[0]);
      });
    }
    server.on("exit", (code) => reject(new Error(`ki serve ended with ${code}: ${said.join("\n")}`)));
  });
  const stop = async () => {
    server.removeAllListeners("exit");
    const ended = new Promise((resolve) => server.on("exit", resolve));
    server.kill("SIGTERM");
    await ended;
    rmSync(home, { recursive: true });
  };
  return { origin, whole: Boolean(csv), stop };
}

export async function startBrowser() {
  const { chromium } = await import("playwright-core");
  return chromium.launch({
    executablePath: kChromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

// Sums what moved on the page without being asked to.
function watchShifts() {
  window.shifted = { sum: 0, by: [] };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.shifted.sum += entry.value;
      window.shifted.by.push(...entry.sources.map(({ node }) => `${node?.nodeName}.${node?.className ?? ""}`));
    }
  }).observe({ type: "layout-shift", buffered: true });
}

// A window of its own. `faults` gathers what a reader would see go wrong without being told:
// console errors, exceptions, requests to elsewhere and requests that fail.
export async function openWindow(browser, origin, options = {}) {
  const { script = true, ...rest } = options;
  const context = await browser.newContext({
    baseURL: origin, javaScriptEnabled: script, viewport: { width: 1280, height: 900 }, ...rest,
  });
  context.setDefaultTimeout(kWaitMs);
  const faults = [];
  if (script) await context.addInitScript(watchShifts);
  const page = await context.newPage();
  // A page that is not found says so by its status, which the console repeats.
  page.on("console", (message) => {
    const expected = /status of 4\d\d/.test(message.text());
    if (message.type() === "error" && !expected) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`exception: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(origin + "/")) faults.push(`request to ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    if (reason !== "net::ERR_ABORTED") faults.push(`${request.url()}: ${reason}`);
  });
  // How far things moved on the page, and what did.
  const shifts = async () => page.evaluate(() => ({ sum: window.shifted.sum, by: window.shifted.by.join("; ") }));
  return { page, faults, shifts, close: () => context.close() };
}

// Asks the API of the site.
export async function api(origin, path) {
  const answer = await fetch(`${origin}/api/v1${path}`);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}
