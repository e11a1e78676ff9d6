// The circuit: Type decides what is read and which gates open, Data passes through them, and the answer is a sum.

// Type's colour, or that of a model with one stream.
const hueOf = (view) => (view.arrays.has('stream') ? 'transformer' : 'type');

// How far off a number is, in units and per cent, and what the claims say of that.
function judged(said, right) {
  const off = Math.abs(said - right);
  const share = right === 0 ? '' : ` (${brief(100 * off / Math.abs(right))} %)`;
  const words = `off by ${brief(off)}${share}`;
  if (!Number.isFinite(off)) return { sign: '✗', kind: 'wrong', words: 'no number' };
  if (Math.round(said) === right) return { sign: '✓', kind: 'right', words: `exact after rounding, ${words}` };
  // The thresholds of the claims are for sums of thousands: of a small sum they would say nothing.
  if (off < 20 && off < 0.1 * Math.abs(right)) return { sign: '✓', kind: 'right', words: `${words}, below 20: adds without fault` };
  if (off < 100 && off < 0.1 * Math.abs(right)) return { sign: '≈', kind: 'near', words: `${words}, below 100: has found the logic` };
  return { sign: '✗', kind: 'wrong', words: off >= 100 ? `${words}, 100 or more` : words };
}

// The largest of an array over all moments of the training, so that pictures can be compared.
const scales = new WeakMap();
function scaleOf(view, name) {
  const known = scales.get(view.learner) ?? scales.set(view.learner, new Map()).get(view.learner);
  const key = `${view.key}|${name}`;
  if (!known.has(key)) {
    const all = view.moments().map((arrays) => arrays.get(name)?.values ?? []);
    known.set(key, all.reduce((m, values) => values.reduce((k, x) => (Math.abs(x) > k ? Math.abs(x) : k), m), 0) || 1);
  }
  return known.get(key);
}

// Sums on the way to the answer: where each token's part begins and ends.
function steps(parts) {
  let sum = 0;
  return [...parts].map((part) => { const from = sum; sum += part; return [from, sum]; });
}

function extent(view, aim) {
  const known = scales.get(view.learner) ?? scales.set(view.learner, new Map()).get(view.learner);
  const key = `${view.key}|waterfall`;
  if (!known.has(key)) {
    const all = view.moments().flatMap((arrays) => steps(arrays.get('contributions')?.values ?? []).flat()).filter(Number.isFinite);
    known.set(key, [Math.min(0, ...all, aim), Math.max(0, ...all, aim)]);
  }
  return known.get(key);
}

// Forces a gate: to the other side of where it is, then to where it was, then not at all.
function force(forced, at, open) {
  if (!forced.has(at)) forced.set(at, open < 0.5 ? 1 : 0);
  else if (forced.get(at) === (forced.first?.get(at) ?? -1)) forced.delete(at);
  else { forced.set(at, 1 - forced.get(at)); forced.first = new Map(forced.first).set(at, forced.get(at)); }
}

// What the drawing shows. Only where there are two streams do gates not listen to numbers.
function legend(gate, streams) {
  const valves = streams ? 'Valves: gates, which Type alone opens; D0 cuts a number, D5 pastes it.'
    : 'Valves: a gate for each of its dimensions; they read the numbers too, so another number moves them.';
  return `Arcs: what each token reads. ${gate ? `${valves} ` : ''}Bars: what each token adds to the answer.`;
}

function circuit(view, width) {
  const { tokens, arrays } = view, n = tokens.length;
  const parts = arrays.get('contributions'), b = view.b;
  const routes = arrays.get(`block.${b}.routes`), gate = arrays.get(`block.${b}.gate`);
  const column = (width - 16) / (n + 1);
  if (!parts || !routes || column < 24) return null;
  if (![parts, routes, gate, arrays.get('output')].every((array) => !array || array.values.every(Number.isFinite))) {
    return node('p', { class: 'note' }, 'This learner has diverged: what it computes are no numbers, so there is nothing to draw.');
  }
  const small = column < 46 ? 'small' : '';
  const marks = [], said = [];
  const mark = (element, text, token) => { element.setAttribute('data-i', said.length); element.classList.add('cell'); said.push({ text, token }); marks.push(element); return element; };
  const x = (i) => 8 + (i + 0.5) * column;
  const put = (name, attributes, text) => marks.push(node(name, attributes, text));
  const number = (at, y, text, kind = '') => put('text', { x: at, y, 'text-anchor': 'middle', class: `${small} ${kind}` }, text);
  // Type: arcs from who is read to who reads.
  const high = 128, line = high - 26;
  put('rect', { class: 'lane-type', x: 0, y: 0, width, height: high, rx: 6 });
  put('text', { class: 'lane-name type-name', x: 10, y: 18 }, hueOf(view) === 'type' ? 'Type decides' : 'One stream reads');
  const [heads, rows] = routes.shape;
  for (let r = 0; r < n; r++) {
    for (let c = 0; c < n; c++) {
      let share = 0;
      for (let h = 0; h < heads; h++) share += routes.values[(h * rows + r) * rows + c] / heads;
      if (share < 0.03) continue;
      const stroke = { class: 'arc', 'stroke-width': (0.8 + 5.2 * share).toFixed(2), 'stroke-opacity': (0.25 + 0.75 * share).toFixed(3) };
      const text = `${tokens[r]} reads ${r === c ? 'itself' : tokens[c]}: ${digits(share)}${heads > 1 ? `, mean of ${heads} heads` : ''}`;
      if (r === c) mark(node('circle', { ...stroke, cx: x(r), cy: line - 21, r: 7 }), text, r);
      else {
        const rise = Math.min(line - 34, 22 + 13 * Math.abs(r - c));
        const d = `M${x(c).toFixed(1)} ${line - 13}C${x(c).toFixed(1)} ${line - 13 - rise * 1.3} ${x(r).toFixed(1)} ${line - 13 - rise * 1.3} ${x(r).toFixed(1)} ${line - 13}`;
        mark(node('path', { ...stroke, d }), text, r);
      }
    }
  }
  tokens.forEach((t, i) => {
    const w = Math.min(column - 4, Math.max(24, textWidth([t]) + 14));
    put('rect', { class: 'pill', x: x(i) - w / 2, y: line - 13, width: w, height: 26, rx: 13 });
    put('text', { class: `token strong-word ${small}`, 'data-token': i, x: x(i), y: line + 5, 'text-anchor': 'middle' }, t.length * LABEL > column ? brief(Number(t)) : t);
  });
  let y = high + 6;
  // Gates as valves: as full as they are open.
  if (gate) {
    const names = view.learner.columns[`block.${b}.gate`] ?? ['', ''];
    const [, gates] = gate.shape, w = Math.min(34, (column - 8) / gates - 3);
    for (let i = 0; i < n; i++) {
      for (let g = 0; g < gates; g++) {
        const at = i * gates + g, open = gate.values[at], left = x(i) + (g - gates / 2) * (w + 3) + 1.5;
        const forced = view.forced?.has(at);
        put('rect', { class: `valve${forced ? ' forced' : ''}`, x: left, y, width: w, height: 32, rx: 3 });
        put('rect', { class: 'flow', x: left, y: y + 32 * (1 - open), width: w, height: 32 * open, rx: 3 });
        const text = `${tokens[i]}, gate of ${names[g]}: ${digits(open)}${forced ? ', forced' : ''}${view.force ? '. Enter forces it open, shut, and lets it go' : ''}`;
        const hit = mark(node('rect', { class: 'hit-area', x: left, y, width: w, height: 32 }), text, i);
        if (view.force) hit.addEventListener('click', () => view.force(at, open));
        if (w >= 22) number(left + w / 2, y + 45, open.toFixed(2), `faint${w < 28 ? ' small' : ''}`);
      }
    }
    put('text', { class: 'lane-name', x: width - 8, y: y + 14, 'text-anchor': 'end' }, 'gates');
    const below = names.length > 2 ? [`${names[0]}–${names.at(-1)}`] : names;
    below.forEach((name, g) => put('text', { class: 'faint small', x: width - 8, y: y + 28 + 12 * g, 'text-anchor': 'end' }, name));
    y += 52;
  }
  // Data: the numbers go through, and their parts add up.
  const value = arrays.get(`block.${b}.data`), written = arrays.get(`block.${b}.written`);
  const roomy = column >= 70, way = roomy && value && written;
  const tall = roomy ? 232 : 208, top = y + (roomy ? 74 : 46), foot = y + tall - 24;
  put('rect', { class: 'lane-data', x: 0, y, width, height: tall, rx: 6 });
  put('text', { class: 'lane-name data-name', x: 10, y: y + 18 }, hueOf(view) === 'type' ? 'Data passes' : 'what each token adds');
  const aim = Number(view.right), known = view.right !== null && Number.isFinite(aim);
  const [low, up] = extent(view, known ? aim : 0);
  const at = (v) => foot - (foot - top) * ((v - low) / (up - low || 1));
  put('line', { class: 'ground', x1: 8, x2: width - 8, y1: at(0), y2: at(0) });
  const bar = Math.min(46, column - 6);
  steps(parts.values).forEach(([from, to], i) => {
    if (way && value.values[2 * i] !== 0) {
      number(x(i), y + 32, `cut ${brief(written.values[2 * i])}`, 'faint');
      number(x(i), y + 47, `paste ${brief(written.values[2 * i + 1])}`, 'faint');
    }
    const part = to - from;
    const through = value && written ? `value ${digits(value.values[2 * i])}, cut ${digits(written.values[2 * i])}, paste ${digits(written.values[2 * i + 1])}; ` : '';
    mark(node('rect', { class: part < 0 ? 'minus' : 'data', x: x(i) - bar / 2, y: Math.min(at(from), at(to)), width: bar, height: Math.max(1, Math.abs(at(from) - at(to))) }),
      `${tokens[i]}: ${through}adds ${digits(part)}`, i);
    put('line', { class: 'step', x1: x(i) + bar / 2, x2: x(i + 1) - bar / 2, y1: at(to), y2: at(to) });
    const over = Math.min(at(from), at(to)) - 5;
    number(x(i), over < top - 14 ? Math.max(at(from), at(to)) + 14 : over, `${part < 0 ? '' : '+'}${brief(part)}`);
  });
  const sum = arrays.get('output').values[0];
  mark(node('rect', { class: 'total', x: x(n) - bar / 2, y: Math.min(at(0), at(sum)), width: bar, height: Math.max(1, Math.abs(at(0) - at(sum))) }), `the answer: ${digits(sum)}`, -1);
  number(x(n), foot + 18, column < 60 ? brief(sum) : digits(sum), 'strong-word');
  number(x(n), y + 18, 'answer', 'faint');
  if (known) {
    put('line', { class: 'aim', x1: 8, x2: width - 8, y1: at(aim), y2: at(aim) });
    put('text', { class: `faint ${small}`, x: 10, y: foot + 18 }, `dashed: right, ${view.right}`);
  }
  const svg = canvas(width, y + tall, marks);
  svg.classList.add('circuit');
  if (hueOf(view) === 'transformer') svg.classList.add('one-stream');
  readable(svg, { count: said.length, columns: 1, say: (i) => said[i], act: (i) => svg.querySelector(`[data-i="${i}"]`)?.dispatchEvent(new Event('click')) });
  const it = figure('The circuit', svg, said.map((s) => s.text).join('; '));
  it.append(node('p', { class: 'note' }, `${legend(gate, hueOf(view) === 'type')}${view.force ? ' Click a valve to force it.' : ''}`));
  return it;
}
