// Everything together.
let explaining = 0;
function show() {
  dragged = false;
  choose();
  showExam();
  showCircuits();
  showTour();
  // Not at each of many dots that arrive.
  clearTimeout(explaining);
  explaining = setTimeout(explain, 120);
  writeAddress();
  $("command").textContent = command();
}

function prepareTabs() {
  const tabs = ["tab-sums", "tab-table"].map($);
  const open = (tab) => {
    for (const each of tabs) {
      const isOpen = each === tab;
      each.setAttribute("aria-selected", String(isOpen));
      each.setAttribute("tabindex", isOpen ? "0" : "-1");
      $(each.getAttribute("aria-controls")).hidden = !isOpen;
    }
    if (tab === tabs[0]) show();
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = tabs[1 - i];
      open(other);
      other.focus();
    });
  });
}

function opening() {
  if (!readAddress()) return lesson(drawnSums(), "random");
  const taught = state.wanted >= 0;
  const { text, wanted } = state;
  lines();
  if (!judge()) return changed(0);
  state.lesson = null;
  begin();
  Object.assign(state, { text, wanted });
  $("text").value = text;
  offerNumbers();
  if (taught) go();
  reached();
}

async function start() {
  try {
    module = await unpacked();
    ask = await opened(module, () => {});
  } catch (error) {
    return complain(`This browser cannot compute this page (${error}). It needs WebAssembly with vectors, which browsers have since 2023.`);
  }
  prepareTabs();
  prepareMoment();
  prepareCircuits();
  prepareCopies();
  prepareTable();
  $("text").value = state.text;
  offerNumbers();
  $("bits").textContent =
    "Each learner depends on the sums and its number alone: the same bits on every machine, those of STRAT_ISA=portable. Vectors of the browser (SIMD128) round like single numbers. So the address of this page is a proof: whoever opens it computes what you see.";
  prepareLessons();
  prepareTour();
  opening();
  addEventListener("resize", () => {
    showExam();
    showCircuits();
  });
  addEventListener("hashchange", () => {
    if (location.hash !== written) opening();
  });
  document.body.dataset.ready = "yes";
}
start();
