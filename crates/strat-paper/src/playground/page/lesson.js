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

// Begins anew with other sums.
function lesson(sums) {
  state.sums = [...sums];
  lines();
  changed(0);
}

let later = 0;
function changed(wait = 500) {
  const isSound = judge();
  clearTimeout(later);
  if (isSound) later = setTimeout(begin, wait);
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

function presets() {
  const random = () => {
    drawn += 1;
    lesson(ask({ ask: "draw", seed: drawn }).sums);
  };
  $("preset-random").addEventListener("click", random);
  $("preset-good").addEventListener("click", () => lesson(GOOD));
  $("preset-trap").addEventListener("click", () => lesson(TRAP));
  $("teach").addEventListener("click", () => {
    go();
    reached();
  });
  return random;
}
