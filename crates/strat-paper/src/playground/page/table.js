// A table of one's own: its rule, a form to ask for other rows, and what to ask about next.
const SAMPLE = `sky,wind,day,walk
sun,calm,weekday,yes
sun,calm,weekend,yes
sun,gusty,weekday,no
sun,gusty,weekend,no
cloud,calm,weekday,yes
cloud,calm,weekend,yes
cloud,gusty,weekday,no
cloud,gusty,weekend,no
rain,calm,weekday,no
rain,calm,weekend,no
rain,gusty,weekday,no
sun,calm,weekday,yes
cloud,calm,weekday,yes
rain,calm,weekend,no
sun,gusty,weekend,no
cloud,calm,weekend,yes
rain,gusty,weekday,no
sun,calm,weekend,yes
cloud,gusty,weekday,no
rain,calm,weekday,no
`;
let fitter = null;
const percent = (share) => `${plain(100 * share, 0)} %`;

function columns() {
  const first = $("pasted").value.split("\n").find((line) => line.trim()) || "";
  const mark = ["\t", ";", ","].find((mark) => first.includes(mark)) || ",";
  return first.split(mark).map((name) => name.trim().replace(/^"(.*)"$/, "$1")).filter(Boolean);
}

function offerColumns() {
  const names = columns();
  const old = $("target").value;
  $("target").replaceChildren(...names.map((name) => make("option", {}, name)));
  $("target").value = names.includes(old) ? old : names[names.length - 1] || "";
}

function prepareTable() {
  $("pasted").value = SAMPLE;
  offerColumns();
  $("pasted").addEventListener("input", offerColumns);
  $("fit").addEventListener("click", () => {
    if (fitter) fitter.terminate();
    $("fit").disabled = true;
    $("fit-progress").hidden = false;
    $("fit-progress").value = 0;
    fitter = worker(fitHeard);
    fitter.postMessage({ fit: { module, text: $("pasted").value, target: $("target").value } });
  });
}

function fitHeard({ progress, fitted, row, answered }) {
  if (progress !== undefined) $("fit-progress").value = progress;
  if (fitted) {
    $("fit").disabled = false;
    $("fit-progress").hidden = true;
    if (fitted.error) $("found").replaceChildren(make("p", { class: "bad" }, `✗ ${fitted.error}`));
    else found(fitted);
  }
  if (row) rowAnswered(row, answered);
}

function found(fit) {
  const parts = [];
  if (fit.rule) {
    parts.push(make("p", {}, make("b", { class: "good" }, `✓ ${fit.target}: `)), make("pre", { class: "rule", tabindex: "0", "aria-label": "The rule" }, fit.rule.join("\n")));
    parts.push(make("p", {}, `Sought anew without some rows at a time, the rule is right on ${percent(fit.right)} of these; the most frequent answer alone on ${percent(fit.majority)}.`));
  } else {
    parts.push(make("p", {}, make("b", { class: "bad" }, "No rule is told: "), `${fit.why}.`));
    parts.push(make("p", {}, `On rows left out the answers are right for ${percent(fit.mixture)}; the most frequent answer alone for ${percent(fit.majority)}.`));
  }
  fit.notes.slice(0, 5).forEach((note) => parts.push(make("p", { class: "note" }, note)));
  const form = make("form", { class: "row", id: "row-form", "aria-label": "Ask for another row" });
  fit.fields.forEach((field, i) => {
    const control = field.values.length ? make("select", {}, ...field.values.map((value) => make("option", {}, value))) : make("input", { autocomplete: "off" });
    control.dataset.field = i;
    form.append(make("label", {}, `${field.name} (matters ${percent(field.matters)}) `, control));
  });
  const controls = [...form.querySelectorAll("[data-field]")];
  const askRow = () => fitter.postMessage({ row: controls.map((control) => control.value) });
  form.addEventListener("input", askRow);
  form.addEventListener("submit", (event) => event.preventDefault());
  parts.push(make("h3", {}, "Ask for a row"), form, make("p", { id: "row-said", class: "said", role: "status" }));
  if (fit.questions.length) {
    parts.push(make("h3", {}, "Ask the world about these next"));
    const heads = [...fit.fields.map((f) => f.name), `${fit.target}, as it seems`].map((name) => make("th", { scope: "col" }, name));
    const rows = fit.questions.map((q) => make("tr", {}, ...q.cells.map((cell) => make("td", {}, cell)), make("td", {}, `${q.answer}, ${percent(q.probability)}`)));
    parts.push(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
  } else parts.push(make("p", { class: "note" }, "No row is worth asking for more than any other."));
  parts.push(make("p", { class: "note" }, `A page has less time than strat fit: ${fit.learners} learners of STRAT with ${fit.epochs} epochs instead of 32 with 400, beside the same other classifiers.`));
  $("found").replaceChildren(...parts);
  const first = fit.questions[0];
  controls.forEach((control, i) => {
    if (first) control.value = first.cells[i];
  });
  askRow();
}

function rowAnswered(row, { answer, probability, error }) {
  const said = $("row-said");
  if (said) said.replaceChildren(error ? error : make("b", {}, answer), error ? "" : `, with ${percent(probability)}`);
}
