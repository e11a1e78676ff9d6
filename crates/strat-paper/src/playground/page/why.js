// What one learner made of its lesson: the weights of its numbers, and the program it becomes.
const AFTER = ["nothing", "+", "−"];

// Its mean error on its own lesson.
function lessonError(weights) {
  const errors = state.sums.map((text) => {
    const { arrays, right } = ask({ ask: "trace", kind: "strat", weights, text, forced: [] });
    return Math.abs((arrays.output[0] ?? NaN) - right);
  });
  return errors.reduce((sum, e) => sum + e, 0) / errors.length;
}

function explain() {
  const learner = shown("strat");
  if (!learner || !state.check || state.check.error) return;
  const { mechanism, name, program } = ask({ ask: "explain", weights: learner.weights, sums: state.sums });
  if (!mechanism) return;
  why(learner, mechanism, name);
  exact(program);
}

function why(learner, { coefficients }, name) {
  const parts = [];
  const say = (...text) => parts.push(make("p", {}, ...text));
  if (state.check.undetermined) {
    say(make("b", {}, "These ten leave more than one rule. "), "Several ways to weigh the numbers give the same ten answers, so that nothing tells a learner which one is meant. It takes the one that lies next to its starting weights.");
  } else {
    say(make("b", {}, "These ten leave one rule. "), "But a learner solves no equations. It changes its weights a little at a time, to where its ten answers become better. Whether that leads to the rule depends on which ten they are.");
  }
  const small = lessonError(learner.weights);
  say(
    `After ${MOMENTS[state.moment].toLocaleString("en-US")} steps, learner ${state.seed.strat} is off by `, make("b", {}, rough(small)), " on its lesson, on average, and by ",
    make("b", {}, rough(learner.error ?? NaN)), " on numbers fifty times larger. From what precedes a number, Type sets how much it counts:",
  );
  const body = AFTER.map((after, i) => {
    const ideal = i === 2 ? -1 : 1;
    const off = 5000 * Math.abs(coefficients[i] - ideal);
    return make("tr", {}, make("th", { scope: "row" }, after), make("td", {}, `${signed(coefficients[i], 3)} times`), make("td", {}, `${signed(ideal, 0)}`), make("td", {}, rough(off)));
  });
  const heads = ["A number after", "counts", "should", "5,000 is off by"].map((text) => make("th", { scope: "col" }, text));
  parts.push(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body)));
  const worst = Math.max(...coefficients.map((c, i) => Math.abs(c - (i === 2 ? -1 : 1))));
  const [, plus, minus] = coefficients;
  if (worst < 0.02) say("All three are nearly whole, and no valve depends on a number. So it is right on numbers it has never seen: ", make("b", {}, "it has found the logic."));
  else if (plus > 0.5 && Math.abs(minus) < 0.25) say(make("b", {}, "It adds, and ignores numbers after −. "), "Where much more is added than taken away, that alone brings the answers near, and it gets stuck there. On large numbers it is far off.");
  else if (plus > 0 && minus < 0) say(`An error of ${plain(worst, 3)} in one weight is small beside numbers up to 100, and large beside 5,000. It has the right idea, and not yet the right numbers.`);
  else say("It does not add after + and subtract after −. Its ten answers come out by other means, which fail on other sums.");
  say(make("span", { class: "note" }, `Its valves: ${name}. A Transformer has no such table: there, what a number counts depends on the numbers.`));
  $("why").replaceChildren(...parts);
}

function exact(program) {
  const parts = [make("p", {}, "Replace each valve by a step, and round how much a number counts, as the learner has it, to whole numbers. If they are near one rule on every possible sum, the network becomes that rule.")];
  if (program.python) {
    parts.push(make("p", {}, make("b", { class: "good" }, "✓ It becomes a program: "), program.rule));
    parts.push(make("pre", { tabindex: "0", "aria-label": "The program in Python" }, program.python));
    const button = make("button", { id: "copy-python" }, "Copy the Python");
    button.addEventListener("click", () => copied(navigator.clipboard.writeText(program.python), "The Python is copied."));
    parts.push(make("p", {}, button));
  } else {
    parts.push(make("p", {}, make("b", { class: "bad" }, "✗ It becomes none: "), `${program.obstacle}.`));
  }
  $("exact").replaceChildren(...parts);
}
