// A learner at work on one sum. A row for each token: Type on the left, which reads and decides; valves in the middle; Data
// on the right, which adds up. What it draws is computed by the library itself.
const ROW = 46;
const HEAD = 30;
const GATES = { strat: ["D0", "D5"], transformer: ["D0", "D1", "D2", "D3", "D4", "D5"] };
// Where everything stands, in a drawing as wide as there is room, so that words keep their size.
function layoutFor(room) {
  const width = Math.round(Math.min(Math.max(room, 330), 640));
  const [isWide, isNarrow] = [width > 540, width < 440];
  const type = isNarrow ? 120 : 0.36 * width;
  const half = isNarrow ? 36 : 44;
  const valvesEnd = type + (isNarrow ? 76 : 118);
  const numbers = isWide ? 78 : 0;
  return { width, isWide, type, half, chip: type - half - 4, valves: type + 5, valvesEnd, bars: valvesEnd + 16 + numbers, end: width - 106 };
}
// Where gates and routes stood before a number was dragged, by kind.
let before = {};

function traced(kind) {
  const learner = shown(kind);
  if (!learner) return null;
  const found = ask({ ask: "trace", kind, weights: learner.weights, text: state.text, forced: state.forced[kind] });
  if (found.error) return found;
  const { arrays, tokens, right } = found;
  const [gates, routes] = [arrays["block.0.gate"], arrays["block.0.routes"]];
  const values = arrays.data || arrays.stream;
  return { tokens, right, gates, routes, values, contributions: arrays.contributions, said: arrays.output[0] ?? NaN };
}

// Not "0.0 %" where there is an error.
const percentOff = (x) => (x >= 0.1 || !(x > 0) ? plain(x, 1) : x >= 0.001 ? plain(x, 3) : "< 0.001");
const isOperator = (token) => token === "+" || token === "−";
const short = (token) => (isOperator(token) ? token : plain(Number(token), token.includes(".") ? 2 : 0));

// What a token reads: arcs from it back to others, and a ring for itself.
function arcs(layout, { tokens, routes }, y) {
  const from = layout.chip - layout.half;
  const parts = [];
  tokens.forEach((_, i) => {
    for (let j = 0; j <= i; j++) {
      const share = routes[i * tokens.length + j];
      if (!(share >= 0.03)) continue;
      const look = { class: "arc", "stroke-width": 1 + 5 * share, "stroke-opacity": 0.25 + 0.75 * share };
      const bend = Math.min(from - 6, 20 + (i - j) * (layout.type > 130 ? 16 : 9));
      const mark =
        i === j
          ? draw("circle", { ...look, cx: from - 9, cy: y(i), r: 6 })
          : draw("path", { ...look, d: `M${from} ${y(i) - 6} C${from - bend} ${y(i) - 6},${from - bend} ${y(j) + 6},${from} ${y(j) + 6}` });
      mark.append(draw("title", {}, `${short(tokens[i])} reads ${short(tokens[j])}: ${plain(share)}`));
      parts.push(mark);
    }
  });
  return parts;
}

function chip(layout, kind, token, i, y) {
  const box = draw("rect", { x: layout.chip - layout.half, y: y - 14, width: 2 * layout.half, height: 28, rx: 14 });
  const size = short(token).length * 9 > 2 * layout.half ? "tiny" : "";
  const text = draw("text", { class: `token middle ${size}`, x: layout.chip, y: y + 5 }, short(token));
  if (!isOperator(token)) return draw("g", { class: "chip" }, box, text);
  const other = token === "+" ? "−" : "+";
  const label = `Token ${i + 1}: ${token}. Make it ${other}`;
  return draw("g", { class: "chip flip", role: "button", tabindex: "0", "aria-label": label, "data-flip": i, "data-key": `${kind} flip ${i}` }, box, text);
}

// The valves of a token: how far each is open, and where it stood before.
function valves(layout, kind, found, i, y) {
  const names = GATES[kind];
  const room = (layout.valvesEnd - layout.valves) / names.length;
  const [width, height] = [Math.min(22, room - 3), 26];
  return names.map((name, k) => {
    const at = i * names.length + k;
    const gate = found.gates[at];
    const open = Number.isFinite(gate) ? gate : 0;
    const x = layout.valves + room * (k + 0.5) - width / 2;
    const held = state.forced[kind].find((f) => f.token === i && f.gate === k);
    const parts = [
      draw("rect", { class: "slot", x, y: y - 19, width, height, rx: 3 }),
      draw("rect", { class: "open", x, y: y - 19 + height * (1 - open), width, height: height * open, rx: 3 }),
    ];
    const old = before[kind] && before[kind].gates[at];
    if (Math.abs(old - gate) > 0.005) {
      parts.push(draw("line", { class: "old", x1: x - 2, x2: x + width + 2, y1: y - 19 + height * (1 - old), y2: y - 19 + height * (1 - old) }));
    }
    if (room > 26) parts.push(draw("text", { class: "tiny middle", x: x + width / 2, y: y + 19 }, plain(gate)));
    if (held) parts.push(draw("rect", { class: "held", x: x - 2, y: y - 21, width: width + 4, height: height + 4, rx: 4 }));
    const label = `Valve ${name} at token ${i + 1} (${short(found.tokens[i])}): ${plain(gate)}${held ? ", forced" : ""}`;
    return draw(
      "g",
      { class: "valve", role: "button", tabindex: "0", "aria-label": label, "data-token": i, "data-gate": k, "data-key": `${kind} valve ${i} ${k}` },
      draw("title", {}, label),
      ...parts,
    );
  });
}

// The sum as a waterfall: what each token adds to what there was.
function waterfall(layout, { tokens, contributions, values, right, said }, y) {
  const runs = [0];
  contributions.forEach((c) => runs.push(runs[runs.length - 1] + (c ?? 0)));
  const all = [...runs, right].filter(Number.isFinite);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (v) => layout.bars + ((Math.min(Math.max(v, low), high) - low) / (high - low || 1)) * (layout.end - layout.bars);
  const bottom = y(tokens.length) + 12;
  const parts = [draw("line", { class: "zero", x1: x(0), x2: x(0), y1: HEAD, y2: bottom })];
  if (Number.isFinite(right)) parts.push(draw("line", { class: "aim", x1: x(right), x2: x(right), y1: HEAD, y2: bottom }));
  const per = values.length / tokens.length;
  tokens.forEach((token, i) => {
    const c = contributions[i];
    const [from, to] = [x(runs[i]), x(runs[i + 1])];
    const isNothing = isOperator(token) && !(Math.abs(c) >= 0.005);
    parts.push(draw("line", { class: "thread", x1: to, x2: to, y1: y(i), y2: y(i + 1) }));
    if (isNothing) return;
    const bar = draw("rect", { class: c < 0 ? "minus" : "plus", x: Math.min(from, to), y: y(i) - 9, width: Math.max(1.5, Math.abs(to - from)), height: 18, rx: 2 });
    bar.append(draw("title", {}, `${short(token)} adds ${signed(c)}`));
    parts.push(bar, draw("text", { class: "amount end", x: layout.width - 6, y: y(i) + 5 }, signed(c, Math.abs(c) < 1000 ? 2 : 0)));
    if (layout.isWide && !isOperator(token)) {
      const at = i * per;
      parts.push(draw("text", { class: "tiny quiet", x: layout.valvesEnd + 12, y: y(i) - 2 }, `D0 ${rough(values[at])}`));
      parts.push(draw("text", { class: "tiny quiet", x: layout.valvesEnd + 12, y: y(i) + 12 }, `D5 ${rough(values[at + per - 1])}`));
    }
  });
  const end = tokens.length;
  parts.push(draw("circle", { class: "sum", cx: x(runs[end]), cy: y(end), r: 6 }));
  parts.push(draw("text", { class: "amount end", x: layout.width - 6, y: y(end) + 5 }, plain(said, Math.abs(said) < 1000 ? 2 : 0)));
  return parts;
}

function circuit(kind, found, layout) {
  const { tokens } = found;
  const y = (i) => HEAD + ROW * (i + 0.5);
  const height = HEAD + ROW * (tokens.length + 1);
  const lanes = layout.isWide ? ["Type: reads and decides", "valves", "Data: adds up"] : ["Type", "valves", "Data"];
  const parts = [
    draw("rect", { class: "lane first", x: 0, y: 0, width: layout.type, height, rx: 8 }),
    draw("rect", { class: "lane last", x: layout.valvesEnd + 4, y: 0, width: layout.width - layout.valvesEnd - 4, height, rx: 8 }),
    draw("text", { class: "head first", x: 10, y: 19 }, kind === "strat" ? lanes[0] : "One stream"),
    draw("text", { class: "head first middle", x: (layout.valves + layout.valvesEnd) / 2, y: 19 }, lanes[1]),
    draw("text", { class: "head last", x: layout.valvesEnd + 14, y: 19 }, kind === "strat" ? lanes[2] : layout.isWide ? "the same stream" : ""),
  ];
  tokens.forEach((token, i) => {
    const open = Math.max(...GATES[kind].map((_, k) => found.gates[i * GATES[kind].length + k]).filter(Number.isFinite), 0);
    if (!isOperator(token)) parts.push(draw("line", { class: "pipe", x1: layout.chip + layout.half, x2: layout.valvesEnd + 6, y1: y(i) - 6, y2: y(i) - 6, "stroke-width": 3 + 6 * open }));
  });
  parts.push(...arcs(layout, found, y), ...waterfall(layout, found, y));
  tokens.forEach((token, i) => {
    parts.push(chip(layout, kind, token, i, y(i)));
    // What stands at an operator has no number, so that STRAT's valves there let nothing through.
    if (kind === "transformer" || !isOperator(token)) parts.push(...valves(layout, kind, found, i, y(i)));
  });
  const label = `${TITLES[kind]} on ${state.text}: it says ${plain(found.said)}, right is ${plain(found.right, 0)}`;
  return draw("svg", { class: `circuit ${kind}`, viewBox: `0 0 ${layout.width} ${height}`, role: "group", "aria-label": label }, ...parts);
}

// How far valves and arcs have moved since the number was dragged.
function moved(kind, found) {
  const old = before[kind];
  if (!old || old.gates.length !== found.gates.length) return 0;
  const most = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);
  return Math.max(most(found.gates, old.gates), most(found.routes, old.routes));
}

function one(kind, width, isDragged) {
  const home = $(kind);
  const found = traced(kind);
  const standing = state.chosen[kind] ? "" : state.standing[kind];
  const title = make("h3", { class: kind }, `${TITLES[kind]}, learner ${state.seed[kind]}${standing && ` (${standing})`}`);
  if (!found || found.error) {
    home.replaceChildren(title, make("p", { class: "note" }, found ? "" : "Its weights are on their way."));
    return found && found.error;
  }
  if (!isDragged) before[kind] = found;
  const off = Math.abs(found.said - found.right);
  const share = found.right === 0 ? "" : ` (${percentOff((100 * off) / Math.abs(found.right))} %)`;
  const said = make("p", { class: "said" }, make("b", {}, rough(found.said)), ` right: ${plain(found.right, Number.isInteger(found.right) ? 0 : 2)} · off by ${rough(off)}${share}`);
  const far = moved(kind, found);
  const words = far < 0.0005 ? "no valve and no arc moves" : `valves and arcs move by up to ${plain(far)}`;
  const meter = make("p", { class: `meter ${!isDragged ? "" : far < 0.0005 ? "good" : "bad"}`, "data-moved": far }, isDragged ? `Another number: ${words}.` : "Drag the number and watch the valves.");
  const layout = layoutFor(width);
  home.replaceChildren(title, said, meter, circuit(kind, found, layout));
  return null;
}

let dragged = false;
function showCircuits() {
  const key = document.activeElement && document.activeElement.dataset && document.activeElement.dataset.key;
  // Asked before anything is drawn, so that the page is laid out once.
  const widths = KINDS.map((kind) => $(kind).clientWidth);
  const errors = KINDS.map((kind, i) => one(kind, widths[i], dragged));
  const unread = errors.find(Boolean);
  $("unread").textContent = unread || "";
  $("unread").hidden = !unread;
  $("text").setAttribute("aria-invalid", String(!!unread));
  $("free").disabled = KINDS.every((kind) => state.forced[kind].length === 0);
  if (key) document.querySelector(`[data-key="${key}"]`)?.focus();
}

const pieces = () => compact(state.text).split(/([+-])/);
const numbersOf = () => pieces().filter((_, i) => i % 2 === 0);

function setText(text, isDrag) {
  state.text = text;
  dragged = isDrag;
  if (!isDrag) {
    state.forced = { strat: [], transformer: [] };
    $("tour-moved").textContent = "";
  }
  if (!isDrag) offerNumbers();
  if ($("text").value !== text && document.activeElement !== $("text")) $("text").value = text;
  showCircuits();
  writeAddress();
}

function offerNumbers() {
  const numbers = numbersOf();
  state.which = Math.min(state.which, numbers.length - 1);
  $("which").replaceChildren(...numbers.map((x, i) => make("option", { value: i }, `the ${["first", "second", "third", "fourth", "fifth", "sixth"][i] || `${i + 1}th`} number`)));
  $("which").value = state.which;
  const x = Math.min(Math.max(Number(numbers[state.which]) || 10, 10), 1e6);
  $("drag").value = Math.round((Math.log10(x) - 1) * 200);
}

function prepareCircuits() {
  $("text").addEventListener("input", () => setText($("text").value, false));
  $("which").addEventListener("change", () => {
    state.which = Number($("which").value);
    dragged = false;
    offerNumbers();
    showCircuits();
  });
  $("drag").addEventListener("input", () => {
    const exact = 10 ** (1 + $("drag").value / 200);
    const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 2);
    const parts = pieces();
    parts[2 * state.which] = String(Math.round(exact / unit) * unit);
    $("drag").setAttribute("aria-valuetext", parts[2 * state.which]);
    setText(spaced(parts.join("")), true);
  });
  $("asked").addEventListener("submit", (event) => event.preventDefault());
  $("free").addEventListener("click", () => {
    state.forced = { strat: [], transformer: [] };
    showCircuits();
  });
  for (const kind of KINDS) {
    const act = (target) => {
      const place = target.closest("[data-key]");
      if (!place) return false;
      if (place.dataset.flip) {
        const parts = pieces();
        parts[place.dataset.flip] = parts[place.dataset.flip] === "+" ? "-" : "+";
        setText(spaced(parts.join("")), false);
      } else force(kind, Number(place.dataset.token), Number(place.dataset.gate));
      return true;
    };
    $(kind).addEventListener("click", (event) => act(event.target));
    $(kind).addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && act(event.target)) event.preventDefault();
    });
  }
}

// Open, shut, free again.
function force(kind, token, gate) {
  const held = state.forced[kind].findIndex((f) => f.token === token && f.gate === gate);
  if (held < 0) state.forced[kind].push({ token, gate, to: 1 });
  else if (state.forced[kind][held].to === 1) state.forced[kind][held].to = 0;
  else state.forced[kind].splice(held, 1);
  showCircuits();
}
