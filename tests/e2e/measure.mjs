// node measure.mjs KI: what each kind of page costs, on the most data there is. Nothing is asserted: the
// figures belong to the machine, on which server, wrk and browser share the processors.
import { execFileSync } from "node:child_process";
import { gunzipSync } from "node:zlib";

import { pageKinds } from "./kinds.mjs";
import { openWindow, startBrowser, startSite } from "./site.mjs";

const kVisits = 5;
const kWrkSeconds = 2;
const kConnections = 16;

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

// Bytes of an answer, as it is and as it travels.
async function sizes(url) {
  const plain = await fetch(url, { headers: { "Accept-Encoding": "identity" } });
  const bytes = (await plain.arrayBuffer()).byteLength;
  const packed = execFileSync("curl", ["-s", "-H", "Accept-Encoding: gzip", url]);
  return { bytes, packed: packed[0] === 0x1f ? packed.length : bytes, whole: packed[0] !== 0x1f || gunzipSync(packed).length === bytes };
}

// Pages a second and the 99th percentile, as wrk has them; "-" without it.
function driven(url) {
  try {
    const said = execFileSync("wrk", ["-t2", `-c${kConnections}`, `-d${kWrkSeconds}s`, "--latency", url]).toString();
    return { rate: Math.round(Number(/Requests\/sec:\s*([\d.]+)/.exec(said)[1])), p99: /99%\s*(\S+)/.exec(said)[1] };
  } catch {
    return { rate: "-", p99: "-" };
  }
}

// First byte, largest contentful paint (both ms) and layout shift as the browser's own timeline has them.
async function seen(browser, origin, path) {
  const visits = [];
  for (let i = 0; i < kVisits; ++i) {
    const { page, shifts, close } = await openWindow(browser, origin);
    await page.goto(path);
    const times = await page.evaluate(() => new Promise((resolve) => {
      const [way] = performance.getEntriesByType("navigation");
      new PerformanceObserver((list) => {
        resolve({ first: way.responseStart - way.requestStart, paint: list.getEntries().at(-1).startTime });
      }).observe({ type: "largest-contentful-paint", buffered: true });
    }));
    visits.push({ ...times, shift: (await shifts()).sum });
    await close();
  }
  const of = (name) => median(visits.map((visit) => visit[name]));
  return { first: of("first"), paint: of("paint"), shift: of("shift") };
}

const site = await startSite(process.argv[2], { whole: true });
const browser = await startBrowser();
const line = (...cells) => console.log(cells.map((cell, i) => i === 0
  ? String(cell).slice(0, 56).padEnd(56) : String(cell).padStart(i < 3 ? 9 : 8)).join(" "));
line("page", "bytes", "gzip", "pages/s", "p99", "byte ms", "LCP ms", "CLS");
for (const { path, status } of await pageKinds(site.origin)) {
  if (status !== 200) continue;
  const { bytes, packed, whole } = await sizes(site.origin + path);
  if (!whole) throw new Error(`${path}: the packed page is another`);
  const { rate, p99 } = driven(site.origin + path);
  const { first, paint, shift } = await seen(browser, site.origin, path);
  line(path, bytes, packed, rate, p99, first.toFixed(1), paint.toFixed(0), shift.toFixed(3));
}
const links = [...(await (await fetch(site.origin)).text()).matchAll(/(?:href|src)="(\/static\/[^"]+)"/g)];
for (const [, path] of links) {
  const { bytes, packed } = await sizes(site.origin + path);
  line(path, bytes, packed, "", "", "", "", "");
}
await browser.close();
await site.stop();
