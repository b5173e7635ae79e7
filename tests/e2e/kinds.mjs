// One address or more of every kind of page, as the catalog at hand has them.
import { api } from "./site.mjs";

const encode = encodeURIComponent;

// Pages whose length is that of a list or a text, and not bounded to a reader's page.
export const isLong = (path) => /^\/(docs\/|feed)/.test(path);

// [{ path, status }], each path once.
export async function pageKinds(origin) {
  const first = async (path, list) => (await api(origin, path))[list][0];
  const { operation, records, implementations } = await api(origin, "/operations/geglu-mlp");
  const other = (await api(origin, "/operations/rope")).records[0].runId;
  const runs = records.map((row) => row.runId);
  const slug = operation.slug;
  const product = (await first("/hardware", "hardware")).slug;
  const project = (await first("/projects", "projects")).slug;
  const serving = (await first("/serving-runs", "runs")).id;
  const { serving: served } = await api(origin, "/models");
  const docs = [...(await (await fetch(`${origin}/docs`)).text()).matchAll(/href="(\/docs\/[^"#]+)"/g)];
  const found = [
    "/",
    "/search",
    "/search?q=attention",
    `/search?q=${encode("fused neighborhood attention backward 3090")}`,
    `/search?q=${encode("op:fused-neighborhood-attention seq:3000")}`,
    `/search?q=${encode("op:geglu-mlp")}&group=compatible`,
    `/search?q=${encode("rope nonsense:1 gpu:h100 trust:verified")}`,
    "/search?q=zzzz-no-such-kernel",
    "/operations",
    "/operations?q=mlp",
    `/operations/${slug}`,
    `/operations/${slug}/winners`,
    `/implementations/${implementations[0].slug}`,
    `/runs/${runs[0]}`,
    `/runs/${runs[1]}`,
    "/compare",
    `/compare?run=${runs[0]}&run=${runs[1]}`,
    `/compare?run=${runs[0]}&run=${other}`,
    "/records",
    "/records?q=rope&sort=gain&with=source",
    "/records?trust=verified",
    "/records?hardware=none",
    "/records?view=broken",
    "/records?view=history",
    "/hardware",
    `/hardware/${product}`,
    "/models",
    ...served.map((one) => `/models/${one.slug}`).slice(0, 1),
    "/projects",
    "/projects?sort=records",
    `/projects/${project}`,
    "/serving",
    "/serving?objective=ttft_ms&tpot_ms=40",
    `/serving/runs/${serving}`,
    "/feed",
    "/sources",
    "/legal",
    "/docs",
    ...new Set(docs.map((match) => match[1])),
  ].map((path) => ({ path, status: 200 }));
  return [...found,
    { path: "/operations/none", status: 404 },
    { path: "/records?view=none", status: 400 }];
}
