// How long a lesson takes, without a browser: `node web/bench.mjs`, after web/build. One thread teaches all 128 learners.
import { readFileSync } from "node:fs";
import { cpuUsage } from "node:process";

const here = (path) => new URL(path, import.meta.url);
const script = (name) => readFileSync(here(`../crates/strat-paper/src/playground/page/${name}.js`), "utf8");
// The page's own scripts, which are no modules.
const { opened, unpackLzma } = new Function(`${script("module")}${script("unpack")}return { opened, unpackLzma };`)();
const seconds = (since) => (cpuUsage(since).user / 1e6).toFixed(2);

let begun = cpuUsage();
const bytes = unpackLzma(new Uint8Array(readFileSync(here("dist/strat.wasm.lzma"))));
console.log(`unpacked to ${bytes.length} bytes: ${seconds(begun)} s`);
const ask = await opened(await WebAssembly.compile(bytes), () => {});
const groups = ["strat", "transformer"].flatMap((kind) =>
  Array.from({ length: 16 }, (_, i) => ({ kind, seeds: [1, 2, 3, 4].map((lane) => 4 * i + lane) })),
);
const { sums } = ask({ ask: "draw", seed: 1 });
const { steps } = ask({ ask: "teach", sums, groups });
begun = cpuUsage();
const errors = groups.flatMap((_, group) => ask({ ask: "advance", group, step: steps }).learners.map(({ error }) => error));
const found = errors.filter((error) => error !== null && error < 100).length;
console.log(`${errors.length} learners, ${steps} steps: ${seconds(begun)} s of processor time; ${found} find the logic`);
