// Small pictures as SVG: heat maps, bars, curves; a tip that reads numbers; saving.

function node(name, attributes = {}, ...children) {
  const svg = ['svg', 'g', 'rect', 'text', 'path', 'circle', 'line', 'title', 'style'].includes(name);
  const it = svg ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) it.setAttribute(key, value);
  }
  it.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return it;
}

// Four digits that matter, the same width for numbers of one size.
function digits(x) {
  if (!Number.isFinite(x)) return 'no number';
  const size = Math.abs(x);
  const text = size !== 0 && size < 0.0005 ? x.toExponential(1)
    : size >= 1e6 ? x.toExponential(3)
      : x.toFixed(size >= 1000 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
  return text.replaceAll('-', '−');
}

// For numbers below each other: as many places behind the point as the largest needs.
function aligned(values) {
  const largest = values.reduce((m, x) => Math.max(m, Math.abs(x)), 0);
  if (!(largest < 1e6)) return digits;
  return (x) => x.toFixed(largest >= 1000 ? 1 : largest >= 10 ? 2 : 4).replace('-', '−');
}

// In a cell there is room for fewer.
function brief(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x)) return '–';
  if (size >= 10000) return x.toExponential(0).replaceAll('-', '−');
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2).replace('-', '−');
}

const LABEL = 7; // width of a letter

function textWidth(texts) {
  return Math.max(0, ...texts.map((t) => [...t].length)) * LABEL;
}

// A picture in a figure, with a title, a button that saves it, and what it shows in words.
function figure(title, svg, words) {
  const save = node('button', { type: 'button', title: 'Save this picture as an SVG file' }, 'Save SVG');
  save.addEventListener('click', () => download(standalone(svg), title.replace(/[^\w.]+/g, '-').toLowerCase()));
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', words ? `${title}: ${words}` : title);
  return node('figure', {}, node('figcaption', {}, node('span', {}, title), save), node('div', { class: 'picture' }, svg));
}

function canvas(width, height, marks) {
  const w = Math.ceil(width), h = Math.ceil(height);
  return node('svg', { width: w, height: h, viewBox: `0 0 ${w} ${h}` }, ...marks);
}

// The colours of the page, as three numbers from 0 to 255.
const colours = new Map();
function colour(name) {
  if (!colours.has(name)) {
    const text = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    colours.set(name, [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)));
  }
  return colours.get(name);
}

// Black or white, whichever is read better on a colour that covers the page by this share.
function inkOn(name, share) {
  const [over, under] = [colour(name), colour('paper')];
  const linear = (x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = over.map((x, i) => linear((x * share + under[i] * (1 - share)) / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? '#000000' : '#ffffff';
}

// Numbers as cells: rows are tokens, which are called `full` where there is room. Amounts are shown from 0 to `most`; others with their sign, up to `most` or the largest.
function heat({ name, title, values, rows, columns, tokens, full: whole = tokens, names, most, amount, hue, square, head }) {
  const room = square ? (head === undefined || columns > 24 ? 300 : 200) : 460;
  const across = square ? tokens : names || Array.from({ length: columns }, (_, c) => String(c));
  // Of a model with one stream all is grey.
  const plus = hue ?? 'type', full = hue === 'transformer' ? hue : 'amount';
  const wide = !square && columns <= 8;
  const width = wide ? Math.max(52, textWidth(across) + 6) : Math.max(square ? 6 : 5, Math.min(26, room / columns));
  const height = square ? width : Math.max(9, Math.min(20, 700 / rows));
  const largest = most ?? (values.reduce((m, x) => (Math.abs(x) > m ? Math.abs(x) : m), 0) || 1);
  const left = textWidth(tokens) + 8;
  const upright = !wide && square && textWidth(tokens) > width - 2;
  const top = (upright ? textWidth(tokens) + 4 : 14);
  // Labels that stand upright, or fit, are all there; of others every so many.
  const every = upright || wide || square ? Math.ceil(12 / width) : Math.ceil(textWidth(across) * 1.3 / width);
  const marks = [];
  across.forEach((label, c) => {
    if (c % every) return;
    const x = left + (c + 0.5) * width;
    const place = upright ? { transform: `translate(${x + 4} ${top - 4}) rotate(-90)` } : { x, y: top - 4, 'text-anchor': 'middle' };
    marks.push(node('text', { class: square ? 'token' : 'faint', 'data-token': square ? c : undefined, ...place }, label));
  });
  const step = Math.ceil(12 / height);
  for (let r = 0; r < rows; r++) {
    if (r % step) continue;
    const y = top + (r + 0.5) * height + 4;
    marks.push(node('text', { class: 'token', 'data-token': r, x: left - 5, y, 'text-anchor': 'end' }, tokens[r] ?? ''));
  }
  // Of many cells only those that can be seen are drawn.
  const least = rows * columns > 4096 ? 0.002 : -1;
  for (let i = 0; i < rows * columns; i++) {
    const x = values[i], share = Math.abs(x) / largest;
    if (!(share > least)) continue;
    const r = Math.floor(i / columns), c = i % columns;
    marks.push(node('rect', {
      class: `cell ${amount ? full : x < 0 ? 'minus' : plus}`, 'data-i': i,
      x: (left + c * width).toFixed(2), y: (top + r * height).toFixed(2),
      width: (width - 0.5).toFixed(2), height: (height - 0.5).toFixed(2),
      'fill-opacity': Math.min(1, share).toFixed(3),
    }));
    if (wide) {
      const at = { x: left + (c + 0.92) * width, y: top + (r + 0.5) * height + 4, 'text-anchor': 'end' };
      const text = node('text', { class: 'number', ...at }, brief(x));
      text.style.fill = inkOn(amount ? (full === 'amount' ? 'type' : full) : x < 0 ? 'orange' : plus, Math.min(1, share));
      marks.push(text);
    }
  }
  const end = left + columns * width;
  marks.push(node('rect', { class: 'frame', x: left, y: top, width: columns * width, height: rows * height }));
  const foot = top + rows * height + 8;
  const scale = amount ? [['0', full, 0], ['', full, 0.5], [brief(largest).replace(/\.00$/, ''), full, 1]]
    : [[`−${brief(largest)}`, 'minus', 1], ['', 'minus', 0.4], ['0', plus, 0], ['', plus, 0.4], [brief(largest), plus, 1]];
  let x = left;
  for (const [text, kind, share] of scale) {
    if (text && share && kind === 'minus') { marks.push(node('text', { class: 'faint', x, y: foot + 9 }, text)); x += textWidth([text]) + 4; }
    marks.push(node('rect', { class: `key ${kind}`, x, y: foot, width: 11, height: 11, 'fill-opacity': share, stroke: 'currentColor', 'stroke-opacity': 0.25 }));
    x += 13;
    if (text && !(share && kind === 'minus')) { marks.push(node('text', { class: 'faint', x: x + 1, y: foot + 9 }, text)); x += textWidth([text]) + 6; }
  }
  const svg = canvas(Math.max(end + 2, x), foot + 14, marks);
  const where = (i) => {
    const r = Math.floor(i / columns), c = i % columns;
    if (square) return [`${whole[r]} fetches from ${whole[c]}`, r];
    return [`${whole[r] ?? ''} · ${names ? names[c] : `channel ${c}`}`.replace(/^ · /, ''), r];
  };
  readable(svg, { count: rows * columns, columns, say: (i) => {
    const [place, token] = where(i);
    return { text: `${name}${head === undefined ? '' : `, head ${head}`} · ${place}: ${digits(values[i])}`, token };
  } });
  return figure(title, svg);
}

// Hovering, or the arrow keys, read a picture's numbers; Enter does what a click would.
function readable(svg, { count, columns, say, act }) {
  let at = -1;
  const show = (i, x, y) => {
    at = i;
    svg.dataset.at = i;
    svg.querySelectorAll('.hit').forEach((m) => m.classList.remove('hit'));
    svg.querySelector(`[data-i="${i}"]`)?.classList.add('hit');
    const { text, token } = say(i);
    tip(text, x, y);
    light(token);
  };
  svg.setAttribute('tabindex', '0');
  // Who comes back to a picture that was drawn anew is where it was.
  svg.show = (i) => {
    if (!(i >= 0 && i < count)) return;
    const box = (svg.querySelector(`[data-i="${i}"]`) || svg).getBoundingClientRect();
    show(i, box.right, box.bottom);
  };
  svg.addEventListener('pointerover', (e) => {
    const i = e.target.dataset?.i;
    if (i !== undefined) show(Number(i), e.clientX, e.clientY);
  });
  const hide = () => {
    svg.querySelectorAll('.hit').forEach((m) => m.classList.remove('hit'));
    tip('');
    light(-1);
  };
  svg.addEventListener('pointerleave', hide);
  svg.addEventListener('blur', hide);
  svg.addEventListener('keydown', (e) => {
    if (act && at >= 0 && (e.key === 'Enter' || e.key === ' ')) {
      e.preventDefault();
      act(at);
      return;
    }
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[e.key];
    if (!by) return;
    e.preventDefault();
    const next = Math.max(0, Math.min(count - 1, at + by));
    svg.show(next);
  });
}

function tip(text, x = 0, y = 0) {
  const it = document.getElementById('tip');
  it.hidden = !text;
  it.textContent = text;
  if (text) place(it, x, y);
}

// The same token in all pictures.
function light(token) {
  for (const label of document.querySelectorAll('svg .token')) {
    label.classList.toggle('lit', label.dataset.token === String(token));
  }
}

// A file that needs nothing else: colours are written out.
function standalone(svg) {
  const copy = svg.cloneNode(true);
  copy.setAttribute('xmlns', SVG);
  copy.removeAttribute('tabindex');
  copy.querySelectorAll('.hit, .lit').forEach((m) => m.classList.remove('hit', 'lit'));
  const root = getComputedStyle(document.documentElement);
  const own = [];
  for (const rule of document.styleSheets[0].cssRules) {
    if (rule.selectorText?.startsWith('svg')) own.push(rule.cssText.replace(/var\((--[\w-]+)\)/g, (_, v) => root.getPropertyValue(v).trim()));
  }
  copy.prepend(node('style', {}, own.join('\n')), node('rect', { width: '100%', height: '100%', fill: root.getPropertyValue('--paper').trim() }));
  return copy;
}
