// The circuit of a model that answers with a class: what a token reads, how far gates are open, and what becomes of Data.

// The token that answers, if it has a name; else the first.
function answering(tokens) {
  return Math.max(0, tokens.findIndex((t) => t === 'class' || t === '■'));
}

const MOST_ROWS = 60;

// How much a block changes each token's numbers.
function changes(view, stream) {
  const before = view.arrays.get(`block.${view.b}.${stream}`);
  const after = view.arrays.get(`block.${view.b + 1}.${stream}`) ?? view.arrays.get(stream);
  if (!before || before.values.length !== after?.values.length) return null;
  const [rows, columns] = before.shape;
  return Array.from({ length: rows }, (_, r) => {
    let sum = 0;
    for (let c = 0; c < columns; c++) sum += (after.values[r * columns + c] - before.values[r * columns + c]) ** 2;
    return Math.sqrt(sum);
  });
}

function reading(view, width) {
  const tokens = view.names, own = (part) => view.arrays.get(`block.${view.b}.${part}`);
  const routes = own('routes');
  if (!routes) return null;
  const streams = hueOf(view) === 'type', reader = Math.min(view.reader ?? answering(tokens), tokens.length - 1);
  const [heads, rows, columns] = routes.shape;
  const share = (h, c) => routes.values[(h * rows + reader) * columns + c];
  const shares = tokens.map((_, c) => Array.from({ length: heads }, (_, h) => share(h, c)));
  const mean = shares.map((all) => all.reduce((a, b) => a + b, 0) / heads);
  const gateName = ['write_gate', 'glu_gate'].find((name) => streams && own(name)), gate = gateName && own(gateName);
  const open = gate && tokens.map((_, r) => gate.values.subarray(r * gate.shape[1], (r + 1) * gate.shape[1]).reduce((a, b) => a + b, 0) / gate.shape[1]);
  const changed = changes(view, streams ? 'data' : 'stream');
  // Of many tokens those that are read most, in their order.
  const most = tokens.map((_, i) => i).sort((a, b) => mean[b] - mean[a]).slice(0, MOST_ROWS);
  const shown = [...new Set([reader, ...most])].sort((a, b) => a - b);
  const line = 22, top = 46;
  // Four columns: the token; what the reader reads; its gates; how its Data changes.
  const name = Math.min(Math.max(28, textWidth(tokens)), width * 0.28) + 28, letters = Math.floor((name - 28) / LABEL);
  const valve = open ? 62 : 0, rest = changed ? Math.max(70, width * 0.2) : 0, bars = width - name - valve - rest - 12;
  const read = Math.max(40, bars - 48), largest = Math.max(...mean, 1e-6), longest = changed ? Math.max(...changed, 1e-6) : 1;
  const marks = [], said = [], put = (kind, attributes, text) => marks.push(node(kind, attributes, text));
  const high = top + line * shown.length + 8, gates = name + bars + 6, ways = gates + valve;
  put('rect', { class: 'lane-type', x: 0, y: 0, width: changed ? ways - 4 : width, height: high, rx: 6 });
  if (changed) put('rect', { class: 'lane-data', x: ways, y: 0, width: width - ways, height: high, rx: 6 });
  const tag = (t) => (t.length > letters ? `${t.slice(0, Math.max(1, letters - 1))}…` : t);
  put('text', { class: 'lane-name type-name', x: 10, y: 18 }, streams ? 'Type decides' : 'One stream');
  put('text', { class: 'faint', x: name, y: 36 }, `${tag(tokens[reader])} reads`);
  if (open) put('text', { class: 'faint', x: gates, y: 36 }, 'gates');
  if (changed) {
    put('text', { class: 'lane-name data-name', x: ways + 8, y: 18 }, streams ? 'Data' : 'Numbers');
    put('text', { class: 'faint', x: ways + 8, y: 36 }, 'change by');
  }
  shown.forEach((r, at) => {
    const y = top + at * line;
    if (r === reader) put('rect', { class: 'pill', x: 4, y, width: name - 8, height: line - 2, rx: 10 });
    put('text', { class: `token${r === reader ? ' strong-word' : ''}`, 'data-token': r, x: 12, y: y + 14 }, tag(tokens[r]));
    let x = name;
    shares[r].forEach((s, h) => {
      const w = s / heads / largest * read;
      put('rect', { class: streams ? 'type' : 'transformer', x, y: y + 4, width: Math.max(0, w), height: line - 10, 'fill-opacity': h % 2 ? 0.62 : 1 });
      x += w;
    });
    put('text', { class: 'faint', x: x + 5, y: y + 14 }, brief(mean[r]));
    if (open) {
      put('rect', { class: 'valve', x: gates, y: y + 3, width: 48, height: line - 8, rx: 3 });
      put('rect', { class: 'flow', x: gates, y: y + 3, width: 48 * open[r], height: line - 8, rx: 3 });
    }
    if (changed) put('rect', { class: streams ? 'data' : 'transformer', x: ways + 8, y: y + 4, width: Math.max(0.5, changed[r] / longest * (width - ways - 16)), height: line - 10 });
    const by = heads > 1 ? ` (heads ${shares[r].map((s) => s.toFixed(2)).join(', ')})` : '';
    const text = `${tokens[reader]} reads ${r === reader ? 'itself' : tokens[r]}: ${digits(mean[r])}${by}`
      + `${open ? `; its ${TITLES[gateName]} is open ${digits(open[r])}` : ''}${changed ? `; ${streams ? 'Data changes' : 'its numbers change'} by ${digits(changed[r])}` : ''}`;
    const hit = node('rect', { class: 'cell hit-area', 'data-i': at, x: 0, y, width, height: line - 1, rx: 3 });
    hit.addEventListener('click', () => view.look(r));
    marks.push(hit);
    said.push({ text: `${text}. Enter: what ${tokens[r]} reads`, token: r, short: text });
  });
  const svg = canvas(width, high, marks);
  svg.classList.add('circuit');
  if (!streams) svg.classList.add('one-stream');
  readable(svg, { count: said.length, columns: 1, say: (i) => said[i], act: (i) => view.look(shown[i]) });
  const it = figure(view.blocks > 1 ? `The circuit, block ${view.b}` : 'The circuit', svg, said.map((s) => s.short).join('; '));
  const first = most.filter((i) => i !== reader)[0];
  const conclusion = first === undefined ? '' : `Of all others, ${tokens[reader]} reads ${tokens[first]} most: ${(100 * mean[first]).toFixed(0)} % of its attention${heads > 1 ? `, mean of ${heads} heads` : ''}. `;
  const more = tokens.length > shown.length ? ` ${tokens.length - shown.length} tokens that it reads less are left out.` : '';
  it.append(node('p', { class: 'note' }, `${conclusion}Bars: what is read, head by head${open ? `; how far ${gateName === 'glu_gate' ? 'gates' : 'gates, which Type alone opens,'} are open on average` : ''}${changed ? `; how far this block moves each token’s ${streams ? 'Data' : 'numbers'}` : ''}. Click a token to see what it reads.${more}`));
  return it;
}
