// What a mark stands for, beside the pointer; its series stands out.
const tip = document.getElementById("tip");
let hot = null;

function point(event) {
  const mark = event.target.closest ? event.target.closest(".mark") : null;
  if (mark !== hot) {
    if (hot) {
      hot.classList.remove("hot");
      hot.closest("svg").classList.remove("busy");
      const series = hot.closest(".series");
      if (series) series.classList.remove("lit");
    }
    hot = mark;
    tip.hidden = !mark;
    if (mark) {
      const series = mark.closest(".series");
      mark.classList.add("hot");
      if (series) {
        series.classList.add("lit");
        mark.closest("svg").classList.add("busy");
      }
      tip.textContent = mark.dataset.tip;
    }
  }
  if (mark) place(tip, event.clientX, event.clientY);
}
for (const kind of ["pointermove", "pointerdown"]) document.addEventListener(kind, point);

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
  });
  return copy;
}

function save(figure) {
  const file = document.createElementNS(SVG, "svg");
  const ground = document.createElementNS(SVG, "rect");
  file.append(ground);
  let [x, height] = [0, 0];
  for (const panel of figure.querySelectorAll("svg")) {
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
