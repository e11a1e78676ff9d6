// What is drawn of one learner on one example at one moment.

// Arrays by name, in the order in which they are computed.
function unpack(frame) {
  const arrays = new Map();
  for (const [name, packed] of frame.arrays) arrays.set(name, { shape: packed.shape, values: floats(packed) });
  // NAC and NALU name arrays by token; as rows of one they are easier to see.
  const byToken = new Map();
  for (const [name, { values }] of arrays) {
    const parts = /^token\.\d+\.(\w+)$/.exec(name);
    if (parts) byToken.set(parts[1], [...(byToken.get(parts[1]) || []), values]);
  }
  for (const [part, rows] of byToken) {
    arrays.set(`token.${part}`, { shape: [rows.length, rows[0].length], values: Float32Array.from(rows.flatMap((r) => [...r])) });
  }
  return arrays;
}

const TITLES = {
  type: 'Type', data: 'Data', stream: 'Stream', write_gate: 'Write gate', glu_gate: 'GLU gate', gate: 'Gate',
  type_fetched: 'Fetched into Type', data_fetched: 'Fetched for Data', fetched: 'Fetched', payload: 'Payload (before the gate)',
  written: 'Written (behind the gate)', computed: 'Computed', memory: 'Memory', matrix: 'Predicted matrix',
};

// A matrix by its name, in its stream's colour.
function matrix(view, name, title) {
  const array = view.arrays.get(name);
  if (!array) return null;
  const [rows, columns] = array.shape;
  const amount = name.endsWith('gate');
  const hue = /data|payload|written/.test(name) ? 'data' : hueOf(view);
  return heat({
    name, title, values: array.values, rows, columns, tokens: rows === view.tokens.length ? view.tokens : Array(rows).fill(''), full: rows === view.tokens.length ? view.names : undefined,
    names: view.learner.columns[name], most: amount ? 1 : scaleOf(view, name), amount, hue,
  });
}

function routes(view, name) {
  const array = view.arrays.get(name);
  if (!array) return [];
  const [heads, rows, columns] = array.shape;
  // The same scale for all heads, or faint ones could not be told from strong ones.
  const most = Math.max(scaleOf(view, name), 0.01);
  return Array.from({ length: heads }, (_, head) => heat({
    name, title: heads > 1 ? `Routes, head ${head}` : 'Routes', rows, columns, tokens: view.tokens, full: view.names, most, amount: true, square: true, hue: hueOf(view), head: heads > 1 ? head : undefined,
    values: array.values.subarray(head * rows * columns, (head + 1) * rows * columns),
  }));
}

// Bars to both sides of zero with their numbers: columns of one table, tokens its rows.
function bars(view, columns, last) {
  const { tokens } = view;
  const line = 20, bar = 22, number = 50, column = 2 * bar + number + 8;
  const left = textWidth([...tokens, last?.label ?? '']) + 10, top = 18;
  const marks = [], cells = [];
  columns.forEach(({ title, name, values, amount, hue, most }, c) => {
    const x = left + c * column, zero = amount ? x : x + bar;
    const largest = amount ? 1 : most;
    const reach = amount ? 2 * bar : bar;
    const say = aligned(values);
    marks.push(node('text', { class: 'faint', x: x + column - 12, y: 12, 'text-anchor': 'end' }, title));
    values.forEach((v, r) => {
      const y = top + r * line, width = Math.abs(v) / largest * reach;
      marks.push(node('rect', {
        class: `cell ${amount ? 'amount' : v < 0 ? 'minus' : hue}`, 'data-i': r * columns.length + c,
        x: (v < 0 ? zero - width : zero).toFixed(2), y: y + 4, width: Math.max(0.5, width).toFixed(2), height: line - 8,
      }));
      marks.push(node('text', { class: 'number', x: x + column - 12, y: y + 14, 'text-anchor': 'end' }, say(v)));
      cells[r * columns.length + c] = { name, title, r, v };
    });
    marks.push(node('line', { x1: zero, x2: zero, y1: top, y2: top + tokens.length * line, stroke: 'currentColor', 'stroke-opacity': 0.3 }));
  });
  tokens.forEach((t, r) => marks.push(node('text', { class: 'token', 'data-token': r, x: left - 6, y: top + r * line + 14, 'text-anchor': 'end' }, t)));
  let height = top + tokens.length * line;
  if (last) {
    const x = left + columns.length * column - 12;
    marks.push(node('line', { x1: x - column + 12, x2: x, y1: height + 2, y2: height + 2, stroke: 'currentColor', 'stroke-opacity': 0.5 }));
    marks.push(node('text', { x: left - 6, y: height + 16, 'text-anchor': 'end' }, last.label));
    marks.push(node('text', { class: 'sum', x, y: height + 16, 'text-anchor': 'end' }, aligned([...columns.at(-1).values, last.value])(last.value)));
    height += line;
  }
  const svg = canvas(left + columns.length * column, height + 4, marks);
  readable(svg, { count: cells.length, columns: columns.length, say: (i) => (
    { text: `${cells[i].name} · ${tokens[cells[i].r]} · ${cells[i].title}: ${digits(cells[i].v)}`, token: cells[i].r }
  ) });
  return svg;
}

// Cut, paste, sum: what becomes of each token's number on its way into the answer.
function travel(view) {
  const parts = view.arrays.get('contributions');
  if (!parts || !view.arrays.get('output').values.every(Number.isFinite)) return null;
  const lite = view.arrays.has('block.0.data');
  const read = (name, c, title, amount) => {
    const array = view.arrays.get(name);
    if (!array) return null;
    const columns = array.shape[1];
    const hue = lite || view.arrays.has('block.0.routes') ? 'data' : 'transformer';
    return { title, name, amount, hue, most: scaleOf(view, name), values: Array.from({ length: array.shape[0] }, (_, r) => array.values[r * columns + c]) };
  };
  const columns = [
    lite && read('block.0.data', 0, 'value D0'), lite && read('block.0.gate', 0, 'gate D0', true),
    lite && read('block.0.written', 0, 'cut: + D0'), lite && read('block.0.gate', 1, 'gate D5', true),
    lite && read('block.0.written', 1, 'paste: + D5'), read('contributions', 0, 'adds'),
  ].filter(Boolean);
  const sum = view.arrays.get('output').values[0];
  return figure('How the value travels: cut, paste, sum', bars(view, columns, { label: 'sum', value: sum }));
}

// Where there is no sum: how much each block writes to each token, and where the answer is read.
function amounts(view, blocks) {
  if (view.arrays.has('contributions') || !blocks.length) return null;
  const size = (name) => {
    const array = view.arrays.get(name);
    if (!array) return null;
    const [rows, columns] = array.shape;
    return Array.from({ length: rows }, (_, r) => Math.hypot(...array.values.subarray(r * columns, (r + 1) * columns)));
  };
  const kinds = [['written', 'routed'], ['fetched', 'routed'], ['computed', 'computed']];
  const columns = blocks.flatMap((b) => kinds.flatMap(([part, word]) => {
    const values = size(`block.${b}.${part}`);
    return values ? [{ label: `${word} ${b}`, values }] : [];
  }));
  if (!columns.length) return null;
  const rows = view.tokens.length;
  const most = columns.reduce((m, c) => c.values.reduce((k, x) => Math.max(k, x), m), 1e-6);
  return heat({
    name: 'length of what is written', title: 'How the value travels: length of what each block adds to each token',
    values: Float32Array.from(view.tokens.flatMap((_, r) => columns.map((c) => c.values[r]))),
    rows, columns: columns.length, tokens: view.tokens, full: view.names, names: columns.map((c) => c.label), most, amount: true, hue: hueOf(view),
  });
}

// The answer while it was learned.
function history(view) {
  const { learner, moment, choose } = view;
  if (learner.moments.length < 2) return null;
  const outputs = view.moments().map((arrays) => arrays.get('output').values);
  // Of a learner that diverged there is no curve.
  if (outputs[0].length > 4 || !outputs.every((output) => output.every(Number.isFinite))) return null;
  const several = outputs[0].length > 1;
  const width = 420, height = several ? 146 : 130, left = 60, top = several ? 24 : 10, bottom = 20;
  const right = view.right === null ? NaN : Number(view.right);
  const aim = Number.isFinite(right) && view.arrays.has('contributions') ? [right] : [];
  const all = [...outputs.flatMap((o) => [...o]), ...aim].filter(Number.isFinite);
  const low = Math.min(...all), high = Math.max(...all), last = learner.moments.at(-1) || 1;
  // Early steps lie closer, as the moments do.
  const x = (i) => left + Math.sqrt(learner.moments[i] / last) * (width - left - 8);
  const y = (v) => top + (1 - (v - low) / (high - low || 1)) * (height - top - bottom);
  const marks = [
    node('rect', { class: 'frame', x: left, y: top, width: width - left - 8, height: height - top - bottom }),
    node('text', { class: 'faint', x: left - 4, y: top + 8, 'text-anchor': 'end' }, digits(high)),
    node('text', { class: 'faint', x: left - 4, y: height - bottom, 'text-anchor': 'end' }, digits(low)),
    node('text', { class: 'faint', x: left, y: height - 6 }, '0'),
    node('text', { class: 'faint', x: width - 8, y: height - 6, 'text-anchor': 'end' }, `${learner.unit} ${last}`),
  ];
  if (aim.length) {
    marks.push(node('line', { class: 'aim', x1: left, x2: width - 8, y1: y(right), y2: y(right) }));
    marks.push(node('text', { class: 'faint', x: (left + width) / 2, y: height - 6, 'text-anchor': 'middle' }, `dashed: right, ${view.right}`));
  }
  for (let k = 0; k < outputs[0].length; k++) {
    marks.push(node('path', { class: k ? 'curve other' : 'curve', d: outputs.map((o, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(o[k]).toFixed(1)}`).join('') }));
  }
  if (several) {
    [...outputs[0]].forEach((_, k) => {
      marks.push(node('line', { class: k ? 'curve other' : 'curve', x1: left + 6 + 70 * k, x2: left + 20 + 70 * k, y1: top - 11, y2: top - 11 }));
      marks.push(node('text', { class: 'faint', x: left + 24 + 70 * k, y: top - 7 }, `logit ${k}`));
    });
  }
  marks.push(node('line', { class: 'now', x1: x(moment), x2: x(moment), y1: top, y2: height - bottom }));
  outputs.forEach((o, i) => {
    const dot = node('circle', { class: 'dot cell', 'data-i': i, cx: x(i).toFixed(1), cy: y(o[0]).toFixed(1), r: i === moment ? 4 : 2.5 });
    dot.addEventListener('click', () => choose(i));
    marks.push(dot);
  });
  const svg = canvas(width, height, marks);
  readable(svg, { count: outputs.length, columns: 1, say: (i) => (
    { text: `${learner.unit} ${learner.moments[i]}: ${[...outputs[i]].map(digits).join(', ')}`, token: -1 }
  ) });
  return figure(several ? 'The answer’s logits while it learned' : 'The answer while it learned', svg);
}

function blocksOf(arrays) {
  const numbers = [...arrays.keys()].map((n) => /^block\.(\d+)\./.exec(n)).filter(Boolean).map((m) => Number(m[1]));
  return [...new Set(numbers)].sort((a, b) => a - b);
}

// An answer as text; a board row by row.
function spoken(words) {
  const side = Math.sqrt(words.length);
  if (side < 6 || side % 1 || words.includes(' ')) return node('b', {}, words);
  return node('code', { class: 'board' }, words.match(new RegExp(`.{${side}}`, 'g')).join('\n'));
}

// The classes with their probabilities, by name.
function classes(view) {
  const names = view.learner.classes, output = view.arrays.get('output')?.values;
  if (!names || !output || output.length !== names.length) return null;
  const most = output.reduce((m, x) => Math.max(m, x), -Infinity), powers = [...output].map((x) => Math.exp(x - most));
  const all = powers.reduce((a, b) => a + b, 0);
  const order = powers.map((_, i) => i).sort((a, b) => powers[b] - powers[a]);
  const rows = order.slice(0, 12).map((i) => {
    const bar = node('span', { class: `bar ${hueOf(view)}` });
    bar.style.width = `${100 * powers[i] / all}%`;
    return [node('span', {}, names[i]), node('span', { class: 'track', 'aria-hidden': 'true' }, bar), node('span', {}, `${(100 * powers[i] / all).toFixed(1)} %`)];
  });
  const more = order.length > 12 ? node('p', { class: 'note' }, `and ${order.length - 12} less probable`) : null;
  return node('div', {}, node('div', { class: 'shares' }, rows.flat()), more);
}

// What is said, and how far off it is.
function verdict(view) {
  const { said } = view;
  const it = node('p', { class: 'said' }, 'says ', spoken(said.words));
  if (said.confidence !== null && said.confidence !== undefined) it.append(` (${(100 * said.confidence).toFixed(1)} %)`);
  if (view.right === null) return it;
  const output = view.arrays.get('output').values, aim = Number(view.right);
  const { sign, kind, words } = output.length === 1 && !view.learner.classes && Number.isFinite(aim)
    ? judged(output[0], aim) : said.right ? { sign: '✓', kind: 'right', words: '' } : { sign: '✗', kind: 'wrong', words: '' };
  it.append(', right is ', spoken(view.right), ' ', node('span', { class: kind }, `${sign} ${words}`.trim()));
  return it;
}

// All of one learner, part by part: the same parts of two learners stand beside each other.
function learnerParts(view, width) {
  const { learner } = view, blocks = blocksOf(view.arrays);
  const own = (part) => `block.${view.b}.${part}`;
  const after = (stream) => (view.arrays.has(`block.${view.b + 1}.${stream}`) ? `block.${view.b + 1}.${stream}` : stream);
  const row = (title, ...figures) => {
    const found = figures.flat().filter(Boolean);
    return found.length ? node('div', {}, title ? node('h3', {}, title) : null, node('div', { class: 'row' }, found)) : null;
  };
  const name = learner.found === '–' ? '' : ` · ${learner.found}`;
  const board = boards(view);
  const parts = [
    node('div', {}, node('h2', {}, `${learner.row}, seed ${learner.seed}${name}`), board?.answers ? null : verdict(view)),
    row('', board ? null : circuit(view, width) ?? reading(view, width)), board?.element, row('', classes(view)), row('', history(view)),
  ];
  if (!view.open) return parts;
  const streams = view.arrays.has(own('stream')) ? ['stream'] : ['type', 'data'];
  const gates = ['write_gate', 'glu_gate', 'gate'].map((g) => matrix(view, own(g), TITLES[g])).filter(Boolean);
  const way = ['type_fetched', 'data_fetched', 'fetched', 'payload', 'written', 'computed'];
  const byToken = ['memory', 'matrix', 'gate'].map((part) => matrix(view, `token.${part}`, `${TITLES[part]}, token by token`));
  const summed = view.arrays.has('contributions');
  parts.push(row('', travel(view), amounts(view, blocks)));
  if (blocks.length) {
    parts.push(
      row(`Block ${view.b}: what it reads`, streams.map((s) => matrix(view, own(s), TITLES[s]))),
      row(`Routes (rows fetch from columns)${gates.length ? ' and gates (0 shut, 1 open)' : ''}`, routes(view, own('routes')), gates),
      row('What is fetched, held back, written and computed', way.map((m) => matrix(view, own(m), TITLES[m]))),
      row('What it leaves', streams.map((s) => matrix(view, after(s), TITLES[s]))),
    );
  }
  parts.push(row('', byToken, summed ? null : matrix(view, 'output', 'Output')));
  return parts;
}
