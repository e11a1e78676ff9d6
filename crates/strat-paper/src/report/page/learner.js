// The circuit of a learner whose dot was chosen, computed in the page from its weights.
const circuits = JSON.parse(document.getElementById("circuits")?.textContent ?? "{}");

// Like the sums that learners are tested on out of distribution.
const FIRST_SUM = "3100 + 2450 − 2025 + 2900";

// A learner of a section, if its weights are here.
function learnerAt(section, row, seed) {
  const of = circuits[section]?.[row], letters = of?.learners[seed];
  if (!letters) return null;
  const numbers = floats({ f32: letters }), weights = new Map();
  let at = 0;
  for (const [name, size] of of.params) {
    weights.set(name, numbers.subarray(at, at + size));
    at += size;
  }
  const dimensions = of.kind === "lite" ? [0, 5] : [0, 1, 2, 3, 4, 5];
  return { row, seed, in_page: of, weights, columns: { "block.0.gate": dimensions.map((d) => `D${d}`) } };
}

// A field for a sum, what the learner says of it, and how it comes to that; gates can be forced.
function bench(learner) {
  const input = node("input", { value: FIRST_SUM, maxlength: 200, autocomplete: "off", spellcheck: "false" });
  const trouble = node("p", { class: "trouble", role: "alert" }), said = node("p", { class: "said", role: "status" }), drawing = node("div");
  const forced = new Map();
  let sum = parseSum(FIRST_SUM);
  const draw = () => {
    const compute = (gates) => forward(learner.in_page, learner.weights, sum.tokens, gates);
    const arrays = compute(forced), answer = arrays.get("output").values[0];
    const { sign, kind, words } = judged(answer, Number(sum.right));
    said.replaceChildren("says ", node("b", {}, digits(answer)), `, right is ${sum.right} `, node("span", { class: kind }, `${sign} ${words}`));
    const view = {
      learner, arrays, tokens: sum.tokens, right: sum.right, b: 0, key: sum.text, forced, moments: () => [compute(new Map())],
      force: (at, open) => { force(forced, at, open); draw(); },
    };
    const focused = drawing.contains(document.activeElement), at = document.activeElement?.dataset?.at;
    drawing.replaceChildren(circuit(view, Math.max(240, drawing.clientWidth)) ?? node("p", { class: "small" }, "There is no room for so long a sum."));
    if (focused) {
      const again = drawing.querySelector("svg");
      again.focus({ preventScroll: true });
      again.show(Number(at));
    }
  };
  input.addEventListener("input", () => {
    const typed = parseSum(input.value);
    trouble.textContent = typed.fault ?? "";
    if (typed.fault) return;
    sum = typed;
    forced.clear();
    draw();
  });
  const element = node("div", { class: "bench" }, node("label", {}, "A sum, as you like ", input), trouble, said, drawing);
  return { element, draw };
}
