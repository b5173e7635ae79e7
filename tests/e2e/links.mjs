// Every link of the site leads to a page, and every fragment to an element of it.
import assert from "node:assert/strict";
import { test } from "node:test";

const kPagesMax = 1500; // walked
const kOfKindMax = 150; // addresses of one kind

const unescape = (text) => text.replaceAll("&amp;", "&").replaceAll("&#39;", "'").replaceAll("&quot;", '"');

// "/operations/*?cohort": what addresses have in common but for names and values.
function kindOf(url) {
  const [, first, ...others] = url.pathname.split("/");
  const rest = others.map((part) => (/^(v1|winners|runs|card\.png)$/.test(part) ? part : "*"));
  return ["", first, ...rest].join("/") + "?" + [...url.searchParams.keys()].sort().join("&");
}

async function walk(origin, starts) {
  const waiting = starts.map((path) => new URL(path, origin));
  const known = new Set(waiting.map(String));
  const ofKind = new Map();
  const ids = new Map(); // of the pages walked
  const fragments = []; // [page, link]
  const faults = [];
  for (let walked = 0; waiting.length > 0 && walked < kPagesMax; walked += 1) {
    const url = waiting.shift();
    const answer = await fetch(url);
    const body = await answer.text();
    if (answer.status !== 200 && answer.status !== 302) faults.push(`${url.pathname}${url.search}: ${answer.status}`);
    if (!answer.headers.get("content-type")?.startsWith("text/html")) continue;
    ids.set(String(url), new Set([...body.matchAll(/\sid="([^"]*)"/g)].map((match) => unescape(match[1]))));
    for (const [, text] of body.matchAll(/\s(?:href|src|action)="([^"]*)"/g)) {
      const link = new URL(unescape(text), url);
      if (link.origin !== origin) continue;
      if (link.hash) fragments.push([String(url), String(link)]);
      link.hash = "";
      const kind = kindOf(link);
      if (known.has(String(link)) || (ofKind.get(kind) ?? 0) >= kOfKindMax) continue;
      known.add(String(link));
      ofKind.set(kind, (ofKind.get(kind) ?? 0) + 1);
      waiting.push(link);
    }
  }
  for (const [from, to] of fragments) {
    const target = new URL(to);
    const id = decodeURIComponent(target.hash.slice(1));
    target.hash = "";
    const there = ids.get(String(target));
    if (there && !there.has(id)) faults.push(`${from} links to ${to}, which has no such element`);
  }
  return { faults, walked: ids.size };
}

export function testLinks(site) {
  test("links", async () => {
    const { faults, walked } = await walk(site.origin, ["/sitemap.xml", ...site.kinds
      .filter((kind) => kind.status === 200).map((kind) => kind.path)]);
    assert.deepEqual(faults.slice(0, 20), []);
    assert.ok(walked > 60, `${walked} pages`);
  });
}
