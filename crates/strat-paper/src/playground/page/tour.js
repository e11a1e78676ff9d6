// Two minutes: steps with a button each, and what came of it. Lessons stay beside each other, so that they can be compared.
const outcomes = new Map();

function prepareTour() {
  for (const name of ["random", "good", "bad"]) {
    $(`tour-${name}`).addEventListener("click", () => {
      // Those that stand there already, if nobody has taught them.
      if (state.lesson === name && !state.taught && reachedByAll() === 1) teach();
      else lesson(LESSONS[name](), name, true);
      $("exam-head").scrollIntoView({ block: "nearest" });
    });
  }
  $("tour-drag").addEventListener("click", () => {
    state.which = 0;
    setText(state.text, false);
    $("drag").value = $("drag").max;
    $("drag").dispatchEvent(new Event("input"));
    const far = (kind) => plain(Number(document.querySelector(`#${kind} .meter`)?.dataset.moved));
    $("tour-moved").textContent = `STRAT’s valves move by ${far("strat")}, the Transformer’s by up to ${far("transformer")}: its numbers set them, too.`;
    $("inside-head").scrollIntoView({ block: "start" });
  });
}

// What a lesson came to, once all learners are through.
function showTour() {
  if (state.lesson && state.taught && reachedByAll() === MOMENTS.length) {
    const found = (kind) => [...state.learners[kind].values()].filter((moments) => (moments[moments.length - 1].error ?? Infinity) < 100).length;
    outcomes.set(state.lesson, KINDS.map(found));
  }
  // Which of them is on the page.
  for (const name of Object.keys(LESSONS)) $(`preset-${name}`).setAttribute("aria-pressed", String(state.lesson === name));
  for (const place of document.querySelectorAll("[data-lesson]")) {
    const name = place.dataset.lesson;
    place.closest("li").toggleAttribute("data-now", state.lesson === name);
    const counts = outcomes.get(name);
    const words = counts ? [make("b", {}, `${counts[0]} of ${LEARNERS}`), ` find the logic; Transformers: ${counts[1]}.`] : [];
    place.replaceChildren(...(going && state.lesson === name ? ["They learn …"] : words));
  }
}
