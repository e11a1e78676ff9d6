// The ten sums: lines to change, what they tell, and other lessons.
let drawn = 0;

function lines() {
  $("lines").replaceChildren(
    ...state.sums.map((text, i) => {
      const input = make("input", { id: `sum-${i}`, autocomplete: "off", spellcheck: "false", maxlength: "60", "aria-label": `Sum ${i + 1}` });
      input.value = text;
      input.addEventListener("input", () => {
        state.sums[i] = input.value;
        changed();
      });
      return make("li", {}, input, make("output", { for: `sum-${i}` }));
    }),
  );
}

// Begins anew with other sums; `name` is that of a lesson which the page offers.
function lesson(sums, name, isTaught = false) {
  state.sums = [...sums];
  lines();
  changed(0, name, isTaught);
}

let later = 0;
function changed(wait = 500, name = null, isTaught = false) {
  const isSound = judge();
  clearTimeout(later);
  state.lesson = name;
  const start = () => {
    begin();
    if (isTaught) teach();
  };
  if (isSound) later = setTimeout(start, wait);
  $("teach").disabled = !isSound;
  if (isSound) delete $("teach").dataset.stopped;
  else $("teach").dataset.stopped = "yes";
  writeAddress();
}

// Whether the sums can be taught, and what they leave open.
function judge() {
  const found = ask({ ask: "check", sums: state.sums });
  found.sums.forEach(({ answer, error }, i) => {
    const [input, output] = $("lines").children[i].children;
    input.setAttribute("aria-invalid", String(!!error));
    output.textContent = error ? `✗ ${error}` : `= ${plain(answer, 0)}`;
    output.className = error ? "bad" : "";
  });
  state.check = found;
  const verdict = $("verdict");
  if (found.error) {
    verdict.className = "bad";
    verdict.textContent = "✗ One of the sums cannot be read.";
  } else if (found.undetermined) {
    verdict.className = "bad";
    verdict.textContent = `⚠ These sums cannot determine the rule: ${found.undetermined}.`;
  } else {
    verdict.className = "good";
    verdict.textContent = "✓ Only one rule fits all ten: add after nothing or +, subtract after −. Whether a learner finds it is another question.";
  }
  return !found.error;
}

function teach() {
  go();
  reached();
}

function drawnSums() {
  drawn += 1;
  return ask({ ask: "draw", seed: drawn }).sums;
}

const LESSONS = { random: drawnSums, good: () => GOOD, bad: () => BAD, gap: () => GAP };

function prepareLessons() {
  for (const [name, sums] of Object.entries(LESSONS)) $(`preset-${name}`).addEventListener("click", () => lesson(sums(), name));
  $("teach").addEventListener("click", teach);
}
