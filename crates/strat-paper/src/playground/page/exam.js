// The exam: a dot for each learner, on an axis of errors.
const AXIS = [1, 10, 100, 1000, 10000, 100000];
const ROWS = { strat: 108, transformer: 270 };
// How far dots lie from the middle of their row at most.
const SPREAD = 58;
const BOTTOM = 340;
let swarm = null;

const across = (error) => {
  const log = Math.log10(Math.min(Math.max(error ?? Infinity, 1), 100000));
  return swarm.layout.edge + (log / 5) * (swarm.layout.width - 2 * swarm.layout.edge);
};

// The drawing without its dots. Two rows, each with its name.
function prepareExam() {
  // As wide as there is room, so that words keep their size.
  const width = Math.round(Math.min(Math.max($("swarm").clientWidth || 640, 330), 800));
  if (swarm && swarm.layout.width === width) return;
  const edge = 14;
  const ticks = (x) => (width > 420 || x < 1000 ? x.toLocaleString("en-US") : `${x / 1000}k`);
  swarm = { layout: { width, edge, dot: width > 420 ? 4.4 : 3.3 }, dots: {}, marks: new Map() };
  const parts = [];
  for (const error of AXIS) {
    const [isFirst, isLast] = [error === AXIS[0], error === AXIS[AXIS.length - 1]];
    parts.push(draw("line", { class: "grid", x1: across(error), x2: across(error), y1: 24, y2: BOTTOM }));
    const look = { class: `small ${isFirst ? "" : isLast ? "end" : "middle"}`, x: isFirst ? across(error) - 6 : isLast ? width - 2 : across(error), y: BOTTOM + 18 };
    parts.push(draw("text", look, `${isFirst ? "≤ " : isLast ? "≥ " : ""}${ticks(error)}`));
  }
  for (const [error, word] of [[20, "calculates"], [100, "finds the logic"]]) {
    const isLeft = error === 20;
    parts.push(draw("line", { class: "limit", x1: across(error), x2: across(error), y1: 24, y2: BOTTOM }));
    parts.push(draw("text", { class: `small ${isLeft ? "end" : ""}`, x: across(error) + (isLeft ? 12 : -4), y: 16 }, `${error}: ${word}`));
  }
  parts.push(draw("text", { class: "small middle", x: width / 2, y: BOTTOM + 38 }, "mean error on sums of 2,000 to 5,000"));
  for (const kind of KINDS) {
    parts.push(draw("text", { class: `name ${kind} ${kind === "strat" ? "end" : ""}`, x: kind === "strat" ? width - edge : edge, y: ROWS[kind] - 44 }, TITLES[kind]));
    swarm.dots[kind] = draw("g", { class: kind, role: "radiogroup", "aria-label": `${TITLES[kind]}: 64 learners` });
    parts.push(swarm.dots[kind]);
    for (let seed = 1; seed <= LEARNERS; seed++) {
      const mark = draw("circle", { class: "dot", role: "radio", tabindex: "-1", "data-kind": kind, "data-seed": seed }, draw("title"));
      swarm.dots[kind].append(mark);
      swarm.marks.set(`${kind} ${seed}`, mark);
    }
  }
  const svg = draw("svg", { viewBox: `0 0 ${width} ${BOTTOM + 46}`, role: "group", "aria-label": "Errors of all learners" }, ...parts);
  $("swarm").replaceChildren(svg);
  svg.addEventListener("click", (event) => pick(event.target));
  svg.addEventListener("keydown", walk);
}

function pick(mark) {
  if (!mark.dataset || !mark.dataset.seed) return;
  const { kind, seed } = mark.dataset;
  if (!state.learners[kind].has(Number(seed))) return;
  state.seed[kind] = Number(seed);
  state.chosen[kind] = true;
  state.forced[kind] = [];
  show();
  writeAddress();
}

// Arrow keys go from dot to dot by error; up and down to the other kind.
function walk(event) {
  const mark = event.target;
  const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
  const other = event.key === "ArrowUp" || event.key === "ArrowDown";
  if (!mark.dataset.seed || (by === undefined && !other && event.key !== " " && event.key !== "Enter")) return;
  event.preventDefault();
  const { kind } = mark.dataset;
  const to = other ? KINDS[1 - KINDS.indexOf(kind)] : kind;
  const order = ranking(to);
  let at = order.findIndex(({ seed }) => seed === (other ? state.seed[to] : Number(mark.dataset.seed)));
  if (by !== undefined) at = Math.min(Math.max(at + by, 0), order.length - 1);
  if (!order[at]) return;
  const next = swarm.marks.get(`${to} ${order[at].seed}`);
  pick(next);
  next.focus();
}

// Dots that would lie on each other go up and down in turn.
function place(kind) {
  const taken = [];
  const { dot } = swarm.layout;
  for (const { seed, error } of ranking(kind)) {
    const x = across(error);
    const y = (level) => (level % 2 ? 1 : -1) * Math.ceil(level / 2) * 1.1 * dot;
    const isFree = (level) => taken.every((t) => Math.hypot(t.x - x, t.y - y(level)) > 2.05 * dot);
    let level = 0;
    while (Math.abs(y(level)) <= SPREAD && !isFree(level)) level += 1;
    // Where there is no room, on others.
    const at = Math.abs(y(level)) <= SPREAD ? y(level) : y(seed % Math.floor(SPREAD / dot));
    taken.push({ x, y: at });
    const mark = swarm.marks.get(`${kind} ${seed}`);
    const isChosen = seed === state.seed[kind];
    mark.style.transform = `translate(${x}px, ${ROWS[kind] + at}px)`;
    mark.classList.add("there");
    mark.setAttribute("aria-checked", String(isChosen));
    mark.setAttribute("tabindex", isChosen ? "0" : "-1");
    mark.setAttribute("r", isChosen ? 1.8 * dot : dot);
    const words = `${TITLES[kind]} ${seed}: off by ${Number.isFinite(error) ? rough(error) : "no number"}`;
    mark.setAttribute("aria-label", words);
    mark.firstChild.textContent = words;
    if (isChosen) swarm.dots[kind].append(mark);
  }
}

function showExam() {
  prepareExam();
  const focused = document.activeElement?.dataset?.seed && document.activeElement;
  KINDS.forEach(place);
  // What is moved to the front loses it.
  if (focused) focused.focus();
  const count = (kind) => {
    const all = ranking(kind);
    const below = (limit) => all.filter(({ error }) => error < limit).length;
    return `${TITLES[kind]}: ${below(100)} of ${all.length} find the logic, ${below(20)} calculate`;
  };
  const isTaken = KINDS.some((kind) => ranking(kind).length > 0);
  $("count").textContent = isTaken ? KINDS.map(count).join(". ") + "." : "Nobody has been taught these sums yet.";
  const moment = $("moment");
  moment.max = Math.max(0, reachedByAll() - 1);
  moment.disabled = moment.max === "0";
  $("play").disabled = moment.disabled;
  moment.value = state.moment;
  const said = `${MOMENTS[state.moment].toLocaleString("en-US")} of 2,000 steps`;
  $("moment-said").textContent = said;
  moment.setAttribute("aria-valuetext", said);
}

let playing = 0;
function prepareMoment() {
  $("moment").addEventListener("input", () => to(Number($("moment").value)));
  $("play").addEventListener("click", () => {
    clearInterval(playing);
    to(0);
    playing = setInterval(() => {
      if (state.moment + 1 >= reachedByAll()) return clearInterval(playing);
      to(state.moment + 1);
    }, 350);
  });
}

function to(moment) {
  state.moment = moment;
  state.follows = moment + 1 === reachedByAll();
  show();
  writeAddress();
}
