// What a mark stands for, beside the pointer; its series stands out.
const bubble = document.getElementById("tip");
let hot = null;

// Lights a mark and its series, and says what it is; nothing if there is none.
function lit(mark) {
  if (mark === hot) return;
  if (hot) {
    hot.classList.remove("hot");
    hot.closest("svg").classList.remove("busy");
    hot.closest(".series")?.classList.remove("lit");
  }
  hot = mark;
  bubble.hidden = !mark;
  if (!mark) return;
  mark.classList.add("hot");
  const series = mark.closest(".series");
  if (series) {
    series.classList.add("lit");
    mark.closest("svg").classList.add("busy");
  }
  bubble.textContent = mark.dataset.tip;
}

function point(event) {
  const mark = event.target.closest ? event.target.closest(".mark") : null;
  lit(mark);
  if (mark) place(bubble, event.clientX, event.clientY);
}
for (const kind of ["pointermove", "pointerdown"]) document.addEventListener(kind, point);

// With the keyboard: arrows go from mark to mark, page keys from series to series.
function reach(mark) {
  lit(null);
  lit(mark);
  const box = mark.getBoundingClientRect();
  place(bubble, box.right, box.top);
}

for (const svg of document.querySelectorAll("svg.chart")) {
  const marks = [...svg.querySelectorAll(".mark")];
  if (!marks.length) continue;
  svg.tabIndex = 0;
  svg.addEventListener("keydown", (event) => {
    const at = marks.indexOf(hot), last = marks.length - 1;
    const other = (step) => {
      let next = Math.max(0, at);
      while (marks[next + step] && marks[next].parentNode === marks[at]?.parentNode) next += step;
      return next;
    };
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last,
      PageDown: other(1), PageUp: other(-1) }[event.key];
    if (event.key === "Enter" && hot) { show(hot); reach(hot); }
    if (event.key === "Escape") lit(null);
    if (next === undefined) return;
    event.preventDefault();
    reach(marks[Math.max(0, Math.min(last, next))]);
  });
  svg.addEventListener("blur", () => lit(null));
}

// A learner has an address, `#locking/seed=226` or `#locking/seed=226&row=NAME`, and its circuit a command.
const shown = new Map(), redraw = new Map();

function show(mark) {
  const [, row, seed] = /^(.*)#(\d+)$/.exec(mark.dataset.of) ?? [];
  const figure = mark.closest("figure"), section = figure && document.getElementById(figure.id.replace(/-errors(-\d+)?$/, "$1"));
  if (!seed || !section) return;
  history.replaceState(null, "", `#${section.id}/${new URLSearchParams({ seed, row })}`);
  if (!shown.has(figure)) {
    const line = node("p", { class: "small", role: "status" }), drawn = node("div");
    figure.append(node("div", { class: "place" }, line, drawn));
    shown.set(figure, { line, drawn });
  }
  const { line, drawn } = shown.get(figure);
  drawn.replaceChildren();
  redraw.delete(figure);
  const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const command = node("code", {}, `strat microscope ${quoted(section.dataset.folder)} --row ${quoted(row)} --seed ${seed} --html circuit.html`);
  const learner = learnerAt(section.id, row, seed);
  if (section.id.startsWith("compared-")) line.textContent = mark.dataset.tip;
  else if (!section.dataset.folder) line.textContent = `${mark.dataset.tip}. Its weights were not kept, so its circuit cannot be shown.`;
  else if (!learner) line.replaceChildren(`${mark.dataset.tip}. Its circuit: `, command);
  else {
    const { element, draw } = bench(learner);
    line.replaceChildren(`${mark.dataset.tip}. How it adds is below; all its arrays: `, command);
    drawn.append(element);
    redraw.set(figure, draw);
  }
  figure.classList.toggle("with-circuit", redraw.has(figure));
  redraw.get(figure)?.();
  figure.querySelector(".place").scrollIntoView({ block: "nearest" });
}
document.addEventListener("click", (event) => {
  const mark = event.target.closest?.(".mark");
  if (mark) show(mark);
});

// Who follows a link finds its place open.
function follow() {
  const [id, place] = location.hash.slice(1).split("/");
  const wanted = new URLSearchParams(place), seed = wanted.get("seed"), row = wanted.get("row");
  const section = id && document.getElementById(id);
  if (!section) return;
  const fold = section.querySelector("details") ?? section.closest("details");
  if (fold) fold.open = true;
  const name = id.replace(/(-\d+)?$/, "-errors$1");
  // Without a row it is the first that has this seed.
  const such = (of) => (row === null ? of.endsWith(`#${seed}`) : of === `${row}#${seed}`);
  const mark = seed && [...(document.getElementById(name)?.querySelectorAll(".mark") ?? [])].find((m) => such(m.dataset.of));
  if (!mark) {
    section.scrollIntoView();
    return;
  }
  mark.closest("svg").scrollIntoView({ block: "center" });
  mark.closest("svg").focus({ preventScroll: true });
  show(mark);
  reach(mark);
}
addEventListener("hashchange", follow);
follow();

// On paper nothing is folded, and a table stays a table: its letters are small enough there.
let printing = false, folded = [];

// A table that does not fit becomes a list of cards, in which every number has its column's name.
function fit() {
  for (const box of document.querySelectorAll(".scroll")) {
    const table = box.querySelector("table");
    table.classList.remove("stack");
    if (printing || !box.clientWidth || box.scrollWidth <= box.clientWidth) continue;
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, i) => { cell.dataset.head = heads[i]; });
    table.classList.add("stack");
  }
}
let fitted = 0;
addEventListener("resize", () => {
  if (fitted === innerWidth) return;
  fitted = innerWidth;
  fit();
  redraw.forEach((draw) => draw());
});
document.addEventListener("toggle", fit, true);
fit();

addEventListener("beforeprint", () => {
  printing = true;
  folded = [...document.querySelectorAll("details:not([open])")];
  folded.forEach((fold) => { fold.open = true; });
  fit();
});
addEventListener("afterprint", () => {
  printing = false;
  folded.forEach((fold) => { fold.open = false; });
  fit();
});

// A figure as a file of its own: its panels side by side, in the colours it has here.
const LOOKS = [
  "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "stroke-linejoin",
  "opacity", "font-family", "font-size", "font-weight", "text-anchor",
];

function inlined(panel) {
  const copy = panel.cloneNode(true);
  const [from, to] = [panel, copy].map((svg) => [svg, ...svg.querySelectorAll("*")]);
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const look of LOOKS) to[i].setAttribute(look, style.getPropertyValue(look));
    if (element.dataset.tip) {
      const title = document.createElementNS(SVG, "title");
      title.textContent = element.dataset.tip;
      to[i].append(title);
    }
    to[i].removeAttribute("class");
    to[i].removeAttribute("tabindex");
  });
  return copy;
}

function save(figure) {
  const file = document.createElementNS(SVG, "svg");
  const ground = document.createElementNS(SVG, "rect");
  file.append(ground);
  let [x, height] = [0, 0];
  for (const panel of figure.querySelectorAll("svg.chart")) {
    const box = panel.viewBox.baseVal;
    const copy = inlined(panel);
    for (const [name, value] of [["x", x], ["width", box.width], ["height", box.height]]) copy.setAttribute(name, value);
    file.append(copy);
    x += box.width;
    height = Math.max(height, box.height);
  }
  for (const [name, value] of [["width", x], ["height", height], ["viewBox", `0 0 ${x} ${height}`]]) {
    file.setAttribute(name, value);
  }
  ground.setAttribute("width", "100%");
  ground.setAttribute("height", "100%");
  ground.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  download(file, figure.id);
}
for (const button of document.querySelectorAll("button.save")) {
  button.addEventListener("click", () => save(button.closest("figure")));
}
