"use strict";
// What all pages do: a tip beside the pointer, and files to save.
const SVG = "http://www.w3.org/2000/svg";

// Puts the tip where it is seen.
function place(tip, x, y) {
  const { offsetWidth: width, offsetHeight: height } = tip;
  const above = y - height - 12;
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 4)) + "px";
  tip.style.top = (above > 4 ? above : y + 18) + "px";
}

// Lets the browser save a text.
function saveText(text, type, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // Late, since a browser that is busy begins to save only then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// The same for an SVG element.
function download(svg, name) {
  saveText(new XMLSerializer().serializeToString(svg), "image/svg+xml", name + ".svg");
}
