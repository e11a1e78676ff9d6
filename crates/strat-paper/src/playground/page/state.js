// What is shown: the lesson, the learners, which of them, and after which step. The address has the same, so that a link
// shows it again.
const LEARNERS = 64;
const MOMENTS = [0, 25, 50, 100, 150, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000];
const LAST = MOMENTS[MOMENTS.length - 1];
const KINDS = ["strat", "transformer"];
const TITLES = { strat: "STRAT", transformer: "Transformer" };
const $ = (id) => document.getElementById(id);

// Lessons that `strat reproduce teaching-sets` finds, good and bad; and one that never shows + and − apart.
const GOOD = [
  "19 + 40 - 56 - 69", "6 - 20 + 42 - 49 + 1", "5 - 3 - 6", "93 - 21 + 74 + 44 - 81", "64 - 11 - 49 - 7",
  "63 + 66 - 85 - 90", "76 - 40 - 69 + 95", "67 - 55 + 9 - 97 - 50 + 91", "43 - 62 + 12 + 86 - 59", "31 + 38 - 0 + 22 - 22",
];
const BAD = [
  "70 + 25 + 53 + 35 + 66 + 93", "45 + 40 - 46 + 27", "74 + 21 + 24", "99 + 25 + 82 + 8 + 24", "20 - 98 - 56 + 31 + 62 + 84",
  "71 - 5 - 12 + 33", "21 + 60 + 0 + 75 - 67 + 64", "54 + 45 - 14", "20 + 76 - 31 - 7 + 81", "84 + 86 + 19 - 84 + 83",
];
const GAP = [
  "19 + 40 - 40", "6 - 20 + 20", "55 + 3 - 3", "93 - 21 + 21", "64 - 11 + 11", "63 + 66 - 66", "76 - 69 + 69", "67 + 9 - 9",
  "43 - 62 + 62", "31 + 38 - 38",
];

const state = {
  sums: [],
  // Which of the lessons that the page offers they are, if one.
  lesson: null,
  // By kind and seed: {weights, error, bits} at each moment that was reached.
  learners: { strat: new Map(), transformer: new Map() },
  seed: { strat: 1, transformer: 1 },
  // Whether someone chose that dot; if not, what it is among the others.
  chosen: { strat: false, transformer: false },
  standing: { strat: "", transformer: "" },
  moment: 0,
  // Whether the moment follows the training.
  follows: true,
  // The moment that an address asks for, once all are there; -1 if none.
  wanted: -1,
  taught: false,
  text: "12 + 3 - 5",
  which: 0,
  forced: { strat: [], transformer: [] },
};

// A learner at the moment that is shown; none if it is not there yet.
function shown(kind, seed = state.seed[kind]) {
  const moments = state.learners[kind].get(seed);
  return moments && moments[Math.min(state.moment, moments.length - 1)];
}

// Those of a kind at this moment, best first. What is not a number is no error that could be small.
function ranking(kind) {
  const all = [...state.learners[kind].keys()].map((seed) => ({ seed, error: shown(kind, seed).error ?? Infinity }));
  return all.sort((a, b) => a.error - b.error || a.seed - b.seed);
}

// Where nobody has chosen, the best of each kind; or those in the middle, if none has found the logic, since they show what goes wrong.
function choose() {
  const all = KINDS.map(ranking);
  const isFound = all.some(([best]) => best && best.error < 100);
  KINDS.forEach((kind, i) => {
    if (!all[i].length || state.chosen[kind]) return;
    state.seed[kind] = all[i][isFound ? 0 : all[i].length >> 1].seed;
    state.standing[kind] = isFound ? "the best" : "in the middle";
  });
}

const compact = (text) => text.replaceAll(" ", "").replaceAll("−", "-");
const spaced = (text) => compact(text).replace(/[+-]/g, " $& ").trim();

function address() {
  const seeds = KINDS.map((kind) => (state.chosen[kind] ? `&${kind}=${state.seed[kind]}` : "")).join("");
  const step = state.taught ? `&step=${MOMENTS[state.moment]}` : "";
  return `#sums=${state.sums.map(compact).join(",")}${seeds}${step}&sum=${compact(state.text)}`;
}

// Not at every step of a slider: browsers allow few changes a second.
let written = "";
let writing = 0;
function writeAddress() {
  clearTimeout(writing);
  writing = setTimeout(() => {
    written = address();
    if (location.hash !== written) history.replaceState(null, "", written);
  }, 200);
}

// Whether the address had something to say.
function readAddress() {
  const parts = new Map(location.hash.slice(1).split("&").map((part) => part.split("=")));
  if (!parts.get("sums")) return false;
  state.sums = parts.get("sums").split(",").slice(0, 10).map(spaced);
  while (state.sums.length < 10) state.sums.push("");
  for (const kind of KINDS) {
    const seed = Number(parts.get(kind));
    state.chosen[kind] = Number.isInteger(seed) && seed >= 1 && seed <= LEARNERS;
    if (state.chosen[kind]) state.seed[kind] = seed;
  }
  state.wanted = parts.has("step") ? MOMENTS.indexOf(Number(parts.get("step"))) : -1;
  state.text = spaced(parts.get("sum") || state.text);
  return true;
}

// Numbers for people: 1,234.5 and −0.94. Formats are kept, since making one takes longer than drawing a dot.
const formats = new Map();
function plain(x, digits = 2) {
  if (x === null || !Number.isFinite(x)) return "no number";
  if (!formats.has(digits)) formats.set(digits, new Intl.NumberFormat("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits }));
  return formats.get(digits).format(x).replace("-", "−");
}
const signed = (x, digits = 2) => (x > 0 ? "+" : "") + plain(x, digits);
// As many digits as tell something.
const rough = (x) => plain(x, Math.abs(x) < 10 ? 2 : Math.abs(x) < 100 ? 1 : 0);

const SVG = "http://www.w3.org/2000/svg";
// An element of a drawing, or of the page.
function draw(name, attributes = {}, ...inside) {
  return filled(document.createElementNS(SVG, name), attributes, inside);
}
function make(name, attributes = {}, ...inside) {
  return filled(document.createElement(name), attributes, inside);
}
function filled(element, attributes, inside) {
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) element.setAttribute(key, value);
  element.append(...inside);
  return element;
}

function complain(text) {
  $("trouble").textContent = text || "";
  $("trouble").hidden = !text;
}
