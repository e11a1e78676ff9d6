// Fills the page: all that it says is in the data.

const data = JSON.parse(document.getElementById("data").textContent);
const by = (id) => document.getElementById(id);
const body = (id) => by(id).querySelector("div:last-child");

function node(name, attributes = {}, ...children) {
  const it = ["svg", "line", "circle"].includes(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined) it.setAttribute(key, value);
  it.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return it;
}

const percent = (x) => `${(100 * x).toFixed(x > 0.9995 || x < 0.0005 || Math.abs(100 * x - Math.round(100 * x)) < 1e-9 ? 0 : 1)} %`;
const count = (n, what) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

// Bars from 0 to 1 with their names; the bar's length says nothing that its number does not.
function bars(entries, long) {
  const list = node("div", { class: long ? "bars long" : "bars" });
  entries.forEach(([name, share], i) => {
    const bar = node("span", { class: "bar" });
    bar.style.width = `${100 * share}%`;
    list.append(node("span", { class: i ? "" : "first" }, name), node("span", { class: "track", "aria-hidden": "true" }, bar), node("span", {}, percent(share)));
  });
  return list;
}

function table(heads, rows, attributes = {}) {
  const cell = (tag, content, i) => node(tag, { class: heads[i][1], scope: tag === "th" ? "row" : undefined, "data-head": heads[i][0] }, content);
  const line = (cells) => node("tr", {}, cells.map((c, i) => cell("td", c, i)));
  return node("div", { class: "scroll" }, node("table", attributes,
    node("thead", {}, node("tr", {}, heads.map(([head, kind]) => node("th", { class: kind, scope: "col" }, head)))),
    node("tbody", {}, rows.map(line))));
}

// Lines that are indented belong to the one above them.
function tree(lines) {
  const root = node("ul", { class: "tree" });
  const open = [root];
  for (const line of lines) {
    const depth = Math.min(Math.floor((line.length - line.trimStart().length) / 2), open.length - 1);
    open.length = depth + 1;
    const item = node("li", {}, line.trim());
    if (line.trimEnd().endsWith(":")) {
      const inner = node("ul");
      item.append(inner);
      open[depth].append(item);
      open.push(inner);
    } else open[depth].append(item);
  }
  return root;
}

function rule() {
  const place = by("rule-body"), told = data.rule, test = data.held_out;
  const mixture = test?.competitors[0], shares = test?.competitors.at(-1);
  if (told) {
    place.append(told.lines.length === 1 ? node("p", { class: "sentence" }, told.lines[0]) : tree(told.lines));
    const beside = test ? ` The mixture is right on ${percent(mixture.accuracy)}, and the most frequent class on ${percent(shares.accuracy)}.` : "";
    place.append(node("p", {}, `Sought without them, it is right on ${percent(told.accuracy)} of rows left out.${beside}`));
  } else {
    place.append(node("p", { class: "sentence" }, "No rule is told."), node("p", {}, `Why: ${data.why_no_rule}.`));
  }
  if (test && !test.better) {
    place.append(node("p", { class: "warning" }, "On rows left out it is not better than the most frequent class, or by so little that it may be luck: do not rely on it."));
  }
  for (const row of data.wrong.slice(0, 6)) {
    place.append(node("p", { class: "note" }, `Row ${row.row} is answered ${row.class}, not as in the table.`));
  }
}

// The form: a choice or a number for every column.
const fields = data.columns.map((column, i) => {
  const missing = column.cuts ? column.values.indexOf("(missing)") : -1;
  const id = `column-${i}`;
  // A number of which there are a few values, and no ranges, is chosen.
  const ranges = column.cuts && !column.values.every((value) => value === "(missing)" || Number.isFinite(Number(value)));
  let input;
  if (ranges) {
    input = node("input", { id, type: column.date ? "date" : "number", step: "any" });
    const typical = column.typical[Math.floor(column.typical.length / 2)];
    input.value = column.date ? new Date(typical * 864e5).toISOString().slice(0, 10) : String(Number(typical.toPrecision(4)));
  } else {
    input = node("select", { id }, column.values.map((value, v) => node("option", { value: v }, value)));
  }
  // Which of the column's values it is; -1 if there is none.
  const value = () => {
    if (!ranges) return Number(input.value);
    const x = column.date ? Date.parse(input.value) / 864e5 : input.valueAsNumber;
    return Number.isFinite(x) ? column.cuts.filter((cut) => cut <= x).length : missing;
  };
  // It begins where the answer is least certain.
  const first = data.questions[0]?.cells[i];
  if (first && !ranges && column.values.includes(first)) input.value = column.values.indexOf(first);
  const label = column.unit ? `${column.name} (${column.unit})` : column.name;
  return { column, input, value, ranges, element: node("label", { for: id }, label, input) };
});
const sizes = data.columns.map((c) => c.values.length);
const best = (said) => said.reduce((at, p, i) => (p > said[at] ? i : at), 0);
const classes = (data.answers ?? []).map(best);
const placeOf = (input) => input.reduce((at, v, i) => at * sizes[i] + v, 0);

// The values of an input by its place.
function values(at) {
  const found = [];
  for (let i = sizes.length - 1; i >= 0; i--) { found[i] = at % sizes[i]; at = Math.floor(at / sizes[i]); }
  return found;
}

// The nearest inputs with another answer: the fewest columns changed, the most probable first.
function nearest(input) {
  const own = classes[placeOf(input)];
  let [least, found] = [Infinity, []];
  classes.forEach((other, at) => {
    if (other === own) return;
    const to = values(at), changed = to.flatMap((v, i) => (v === input[i] ? [] : [i]));
    if (changed.length > least) return;
    if (changed.length < least) [least, found] = [changed.length, []];
    found.push({ changed, to, other, p: data.answers[at][other] / 1e4 });
  });
  return found.sort((a, b) => b.p - a.p).slice(0, found.length && found[0].changed.length > 2 ? 2 : 5);
}

function ask() {
  const input = fields.map((f) => f.value()), answer = by("answer"), near = by("near");
  answer.replaceChildren();
  near.replaceChildren();
  const lacks = input.indexOf(-1);
  if (lacks >= 0) {
    answer.append(node("p", {}, `${data.columns[lacks].name} needs a ${data.columns[lacks].date ? "date" : "number"}.`));
    return;
  }
  const said = data.answers[placeOf(input)], order = said.map((_, i) => i).sort((a, b) => said[b] - said[a]);
  answer.append(node("p", { class: "note" }, data.target), node("p", { class: "said" }, data.classes[order[0]]));
  answer.append(bars(order.slice(0, 6).map((c) => [data.classes[c], said[c] / 1e4])));
  if (order.length > 6) answer.append(node("p", { class: "note" }, `and ${order.length - 6} less probable`));
  const changes = nearest(input);
  if (!changes.length) return;
  const set = (c) => c.changed.map((i) => `${data.columns[i].name} were ${data.columns[i].values[c.to[i]]}`).join(" and ");
  const many = changes[0].changed.length;
  near.append(node("p", { class: "note" }, many === 1 ? "Changing one column changes this answer:" : `No change of ${many === 2 ? "one column" : `fewer than ${many} columns`} changes this answer; these do:`),
    node("ul", { class: "note" }, changes.map((c) => node("li", {}, `${data.classes[c.other]}, ${percent(c.p)}, if ${set(c)}`))));
}

function form() {
  if (!data.answers) {
    by("form").hidden = true;
    by("answer").append(node("p", {}, "This table has more than 4,096 different inputs, so their answers are not in this page. Ask with strat predict."));
    return;
  }
  by("form").append(...fields.map((f) => f.element));
  by("form").addEventListener("input", ask);
  by("form").addEventListener("submit", (e) => e.preventDefault());
  if (fields.some((f) => f.ranges)) {
    by("try").append(node("p", { class: "note" }, "A number is answered here as a typical one of its range; strat predict looks at the number itself."));
  }
  ask();
}

function matters() {
  const order = data.matters.map((_, i) => i).sort((a, b) => data.matters[b] - data.matters[a]);
  body("matters").append(node("p", { class: "note" }, "How often another value of this column alone changes the answer."),
    bars(order.slice(0, 20).map((i) => [data.columns[i].name, data.matters[i]]), true));
  if (order.length > 20) body("matters").append(node("p", { class: "note" }, `and ${order.length - 20} that matter less`));
}

const quoted = (cell) => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

function next() {
  const place = body("next");
  if (!data.questions.length) {
    place.append(node("p", {}, "A row drawn at random would tell as much as any."));
    return;
  }
  place.append(node("p", {}, "The answers to these rows would tell most. Fill in those you know, save them, add them to the table and fit it again."));
  const selects = data.questions.map((q, i) => node("select", { "aria-label": `${data.target} of question ${i + 1}` },
    node("option", { value: "" }, "not known"), data.classes.map((c) => node("option", { value: c }, c))));
  const heads = [...data.columns.map((c) => [c.name, ""]), ["now", "whole-words"], [data.target, "whole-words"]];
  const few = data.columns.length <= 10;
  // Of wide tables each question is a list of its cells, those that matter most first.
  const order = data.columns.map((_, i) => i).sort((a, b) => data.matters[b] - data.matters[a]), most = 8;
  const list = (q, which) => which.map((i) => `${data.columns[i].name} ${q.cells[i] || "–"}`).join(", ");
  const cells = (q) => (few ? q.cells : [node("div", {}, list(q, order.slice(0, most)),
    node("details", {}, node("summary", {}, `${order.length - most} columns that matter less`), list(q, order.slice(most))))]);
  place.append(table(few ? heads : [["row", ""], ["now", "whole-words"], [data.target, "whole-words"]],
    data.questions.map((q, i) => [...cells(q), `${q.class}, ${percent(q.probability)}`, selects[i]]), { class: "stack" }));
  const button = node("button", { type: "button" }, "Save as CSV");
  const said = node("span", { class: "note", role: "status" });
  button.addEventListener("click", () => {
    const known = data.questions.flatMap((q, i) => (selects[i].value ? [[...q.cells, selects[i].value]] : []));
    said.textContent = known.length ? ` ${count(known.length, "row")} saved.` : " Choose an answer first.";
    if (!known.length) return;
    const lines = [[...data.columns.map((c) => c.name), data.target], ...known].map((cells) => cells.map(quoted).join(","));
    saveText(lines.join("\n") + "\n", "text/csv", `${data.name}-next.csv`);
  });
  place.append(node("p", {}, button, said));
}

function test() {
  const place = body("test"), test = data.held_out;
  if (!test) {
    place.append(node("p", {}, "No rows were left out to test it (--no-held-out), so nothing is known of other rows."));
    return;
  }
  const [mixture] = test.competitors, shares = test.competitors.at(-1);
  const parts = test.competitors.filter((c) => c.weight !== null);
  const first = parts[0];
  place.append(node("p", {}, `Of ${count(test.rows, "row")} left out, some at a time, the mixture has ${percent(mixture.accuracy)} right and the most frequent class ${percent(shares.accuracy)}. Most weight in the mixture: ${first.name}, ${percent(first.weight)}.`));
  const low = Math.min(...test.competitors.map((c) => (c.interval ? c.interval[0] : c.accuracy)), 0.9);
  const x = (share) => 4 + (192 * (share - low)) / (1 - low);
  const dot = (c) => node("svg", { class: "dots", viewBox: "0 0 200 20", preserveAspectRatio: "none", role: "img",
    "aria-label": `${percent(c.accuracy)}${c.interval ? `, 95 % interval ${percent(c.interval[0])} to ${percent(c.interval[1])}` : ""}` },
  node("line", { class: "edge", x1: 4, x2: 196, y1: 10, y2: 10 }),
  c.interval ? node("line", { x1: x(c.interval[0]), x2: x(c.interval[1]), y1: 10, y2: 10 }) : null,
  node("circle", { cx: x(c.accuracy), cy: 10, r: 4.5 }));
  const kind = (c, i) => (i === 0 ? "whole" : c.name === "STRAT" ? "strat" : c.weight === null ? "shares" : "part");
  const heads = ["", "95 % interval", "right", "log-loss", "weight"];
  place.append(node("div", { class: "scroll" }, node("table", {},
    node("thead", {}, node("tr", {}, heads.map((h, i) => (h ? node("th", { scope: "col", class: `${i > 1 ? "number" : ""}${i === 3 ? " rare" : ""}` }, h) : node("td"))))),
    node("tbody", {}, test.competitors.map((c, i) => node("tr", { class: kind(c, i) },
      node("th", { scope: "row" }, kind(c, i) === "shares" ? "Most frequent class alone" : c.name), node("td", {}, dot(c)), node("td", { class: "number" }, percent(c.accuracy)),
      node("td", { class: "number rare" }, c.log_loss.toFixed(3)), node("td", { class: "number" }, c.weight === null ? "" : percent(c.weight))))))));
  place.append(node("h3", {}, "Are its probabilities right?"));
  const sentence = ([from, rows, mean, right], i, all) => {
    const to = i + 1 < all.length ? all[i + 1][0] : 1;
    const which = from === 0 ? `below ${percent(to)}` : to === 1 ? `${percent(from)} or more` : `${percent(from)} to ${percent(to)}`;
    return [which, String(rows), percent(mean), percent(right / rows)];
  };
  place.append(table([["said", ""], ["rows", "number"], ["on average", "number"], ["right", "number"]], test.reliability.map(sentence)));
  if (test.chance >= 0.05) {
    place.append(node("p", { class: "note" }, `That the answers follow from nothing in the table has a probability of ${percent(test.chance)}; by so much they are taken for chance.`));
  }
  if (test.doubtful.length) {
    place.append(node("p", {}, "Rows that look mislabelled: the other rows speak for another answer."),
      node("ul", {}, test.doubtful.slice(0, 12).map((d) => node("li", {}, `Row ${d.row}: rather ${d.class}, ${percent(d.probability)}`))));
  }
}

function changes() {
  if (!data.changes.length) { by("changes").hidden = true; return; }
  const shown = data.changes.slice(0, 40), first = 12;
  const list = (part) => table([["row", "short"], ["if", ""], ["the answer would be", ""]],
    part.map((c) => [String(c.row), c.set.map(([name, value]) => `${name} were ${value}`).join(" and "), `${c.class}, ${percent(c.probability)}`]));
  body("changes").append(list(shown.slice(0, first)));
  if (shown.length > first) body("changes").append(node("details", {}, node("summary", {}, `${count(shown.length - first, "row")} more`), list(shown.slice(first))));
  if (data.changes.length > shown.length) body("changes").append(node("p", { class: "note" }, `and ${data.changes.length - shown.length} more (strat fit --json has all)`));
}

function notes() {
  const which = data.exact ? `all ${data.inputs.toLocaleString("en")} inputs there are` : `${data.inputs.toLocaleString("en")} inputs, those of the table and others drawn`;
  body("notes").append(node("p", {}, `${count(data.rows, "row")}, ${count(data.columns.length, "column")}, ${count(data.learners, "learner")} of STRAT. What is said here was read from the answers to ${which}.`),
    node("ul", { class: "note" }, data.notes.map((n) => node("li", {}, n))));
}

by("title").textContent = `What decides ${data.target}?`;
by("lead").textContent = `Learned from ${count(data.rows, "row")} of ${data.name}. ${data.answers ? "All answers are in this file" : "All that is shown is in this file"}; it asks nobody.`;
[rule, form, matters, next, test, changes, notes].forEach((part) => part());
