// What can be taken along: figures as images, the address, and the command that computes the same.
const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight", "text-anchor", "transform", "opacity"];

async function copied(done, words) {
  try {
    await done;
    $("copied").textContent = words;
  } catch {
    $("copied").textContent = "This browser does not let a page copy; select the text instead.";
  }
}

// A drawing that needs no style sheet.
function alone(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const look of LOOKS) {
      const value = style.getPropertyValue(look);
      if (look !== "transform") to[i].setAttribute(look, value);
      else if (value !== "none") to[i].setAttribute("transform", value);
    }
    to[i].removeAttribute("style");
  });
  return copy;
}

// Drawings beside each other as one PNG.
async function image(drawings) {
  const gap = 16;
  const sizes = drawings.map((svg) => svg.viewBox.baseVal);
  const width = sizes.reduce((sum, { width }) => sum + width + gap, gap);
  const height = Math.max(...sizes.map((size) => size.height)) + 2 * gap;
  const all = draw("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` });
  all.append(draw("rect", { width, height, fill: getComputedStyle(document.body).backgroundColor }));
  let x = gap;
  drawings.forEach((svg, i) => {
    const copy = alone(svg);
    for (const [name, value] of [["x", x], ["y", gap], ["width", sizes[i].width], ["height", sizes[i].height]]) copy.setAttribute(name, value);
    all.append(copy);
    x += sizes[i].width + gap;
  });
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(all))}`;
  await picture.decode();
  const canvas = make("canvas", { width: 2 * width, height: 2 * height });
  canvas.getContext("2d").drawImage(picture, 0, 0, 2 * width, 2 * height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

async function take(drawings, name) {
  const blob = await image(drawings);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    $("copied").textContent = "The image is copied.";
  } catch {
    const link = make("a", { href: URL.createObjectURL(blob), download: `${name}.png` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000); // a busy browser begins late to save
    $("copied").textContent = "The image is saved.";
  }
}

const command = () => `STRAT_ISA=portable strat train signed-sum --sums '${state.sums.map(compact).join(", ")}' --seeds 1..${LEARNERS} --out runs/lesson`;

function prepareCopies() {
  for (const row of document.querySelectorAll(".copies")) {
    const button = make("button", {}, "Copy as image");
    const { figure, name } = row.dataset;
    const drawings = () => [...document.querySelectorAll(figure === "circuits" ? ".circuit" : `#${figure} svg`)];
    button.addEventListener("click", () => take(drawings(), name));
    row.append(button);
  }
  $("copy-command").addEventListener("click", () => copied(navigator.clipboard.writeText(command()), "The command is copied."));
  $("copy-link").addEventListener("click", () => copied(navigator.clipboard.writeText(location.href), "The link is copied."));
}
