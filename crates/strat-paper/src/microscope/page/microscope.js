// Choosing: example, learners, block, moment; typing an example; and asking a server for more, where there is one.

const data = JSON.parse(document.getElementById('data').textContent);
const by = (id) => document.getElementById(id);
// `reader` is the token whose reading is shown, the one that answers at first; `forced` has the gates that are forced, by learner; `typed` the sum that stands in the field, if the page computes it.
const state = { example: 0, left: 0, right: data.learners.length > 1 ? 1 : -1, block: 0, moment: Infinity, arrays: false, typed: null, reader: null, forced: new Map() };

function options(select, labels, chosen) {
  select.replaceChildren(...labels.map(([value, text]) => {
    const option = node('option', { value }, text);
    option.selected = String(value) === String(chosen);
    return option;
  }));
}

const nameOf = (l) => `${l.row}, seed ${l.seed}${!l.found || l.found === '–' ? '' : ` (${l.found})`}`;

function chosen() {
  return [state.left, state.right].filter((i) => i >= 0 && i < data.learners.length).map((i) => data.learners[i]);
}

// `at` of a list, the last if it is shorter.
const within = (list, at) => Math.min(at, list.length - 1);

// Gates can be forced where the page computes.
function forcing(learner) {
  return (at, open) => {
    const forced = state.forced.get(learner) ?? state.forced.set(learner, new Map()).get(learner);
    force(forced, at, open);
    draw();
  };
}

// What is drawn of a learner: computed by the library, or in the page where the sum is typed or a gate forced.
function viewOf(learner) {
  const example = state.typed ?? data.examples[state.example];
  const forced = state.forced.get(learner);
  const frames = state.typed ? learner.in_page.weights : learner.frames[state.example];
  const moment = within(frames, state.moment);
  const here = state.typed || forced?.size;
  const compute = (i, gates) => forward(learner.in_page, ownWeights(learner, i), example.tokens, gates);
  const arrays = here ? compute(moment, forced) : unpack(frames[moment]);
  const blocks = blocksOf(arrays);
  const said = here ? { words: digits(arrays.get('output').values[0]), confidence: null } : frames[moment].said;
  return {
    learner, arrays, said, moment, forced, tokens: example.tokens, names: learner.names?.[state.example] ?? example.tokens, right: example.right, open: state.arrays,
    key: state.typed ? `typed ${example.text}` : state.example, b: blocks[Math.min(state.block, blocks.length - 1)] ?? 0, blocks: blocks.length,
    reader: state.reader, look: (token) => { state.reader = token; draw(); },
    moments: () => frames.map((frame, i) => (state.typed ? compute(i) : unpack(frame))),
    choose: (i) => { state.moment = i; draw(); }, force: learner.in_page ? forcing(learner) : null,
  };
}

// Draws anew; who was at a picture with the keyboard stays there.
function draw() {
  const bench = by('bench'), learners = chosen(), views = learners.map(viewOf);
  const pictures = () => [...bench.querySelectorAll('svg[tabindex], .grid button[tabindex="0"]')];
  const focused = pictures().indexOf(document.activeElement);
  const at = document.activeElement?.dataset?.at;
  bench.classList.toggle('two', learners.length > 1);
  const columns = learners.length > 1 && innerWidth > 960 ? 2 : 1;
  const width = Math.max(240, (bench.clientWidth - (columns - 1) * 16) / columns - 28);
  const parts = views.map((view) => learnerParts(view, width));
  const count = Math.max(...parts.map((p) => p.length));
  const used = Array.from({ length: count }, (_, i) => parts.some((p) => p[i]));
  bench.replaceChildren(...parts.map((own, l) => {
    const it = node('section', { class: 'learner', 'aria-label': nameOf(learners[l]) }, used.flatMap((is, i) => (is ? [own[i] ?? node('div')] : [])));
    it.style.gridRow = columns === 2 ? `1 / span ${used.filter(Boolean).length}` : '';
    return it;
  }));
  tip('');
  const again = pictures()[focused];
  if (again) { again.focus({ preventScroll: true }); again.show?.(Number(at)); }
  const blocks = Math.max(1, ...views.map((v) => v.blocks));
  slider('block', blocks, state.block, (i) => `${i} of 0–${blocks - 1}`);
  const longest = learners.reduce((a, l) => (l.moments.length > a.moments.length ? l : a), learners[0]);
  slider('moment', longest.moments.length, within(longest.moments, state.moment), (i) => `${longest.unit} ${longest.moments[i]}`);
  const forced = [...state.forced.values()].some((gates) => gates.size);
  by('let-go').hidden = !forced;
  by('typed').hidden = !data.live && !learners.every((l) => l.in_page);
}

function slider(id, count, at, say) {
  by(`${id}-control`).hidden = count < 2;
  if (count < 2) return;
  const range = by(id);
  range.max = count - 1;
  range.value = at;
  range.setAttribute('aria-valuetext', say(at));
  range.nextElementSibling.textContent = say(at);
}

function choices() {
  options(by('example'), data.examples.map((e, i) => [i, e.text]), state.example);
  if (data.live) return;
  const all = data.learners.map((l, i) => [i, nameOf(l)]);
  options(by('left'), all, state.left);
  options(by('right'), [[-1, 'none'], ...all], state.right);
}

// A server knows all learners of a run; what it computed stays for the example it was asked for.
const asked = data.live ? data.live.rows.flatMap(([row, seeds]) => seeds.map((seed) => ({ row, seed }))) : [];

function liveChoices() {
  const all = asked.map((l, i) => [i, nameOf(l)]);
  const place = (l) => (l ? asked.findIndex((a) => a.row === l.row && a.seed === l.seed) : -1);
  options(by('left'), all, place(data.learners[0]));
  options(by('right'), [[-1, 'none'], ...all], place(data.learners[1]));
  by('form').hidden = false;
  // What stands between backticks is to be typed as it is.
  by('form').replaceChildren('An example is ', ...data.live.form.split('`').map((t, i) => (i % 2 ? node('code', {}, t) : t)), '.');
}

function trouble(words) {
  by('trouble').textContent = words;
  by('trouble').hidden = !words;
}

// The sum that is typed, computed in the page; what was there stays if it is none.
function look() {
  const text = by('text').value;
  if (!text.trim()) return;
  if (data.live) { ask(text); return; }
  const sum = parseSum(text);
  trouble(sum.fault ?? '');
  if (sum.fault) return;
  state.typed = sum;
  state.forced.clear();
  draw();
}

async function ask(example) {
  const learners = [by('left').value, by('right').value].filter((i) => i >= 0).map((i) => asked[i]);
  trouble('');
  try {
    const token = new URLSearchParams(location.search).get('token') ?? '';
    const answer = await fetch('/trace', {
      method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Strat-Token': token }, body: JSON.stringify({ learners, example }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    const slide = JSON.parse(text);
    const known = data.examples.map((e) => e.text);
    data.learners = slide.learners;
    // Others are asked for again when they are chosen, as their learners may be new.
    const at = known.indexOf(slide.examples[0].text);
    if (at < 0) data.examples.push(slide.examples[0]);
    state.example = at < 0 ? data.examples.length - 1 : at;
    data.learners.forEach((l) => {
      l.frames = Object.assign([], { [state.example]: l.frames[0] });
      if (l.names) l.names = Object.assign([], { [state.example]: l.names[0] });
    });
    Object.assign(state, { left: 0, right: data.learners.length > 1 ? 1 : -1, forced: new Map() });
    choices();
    draw();
  } catch (e) {
    trouble(e.message);
  }
}

function start() {
  by('title').textContent = data.title;
  choices();
  if (data.live) liveChoices();
  by('controls').addEventListener('submit', (e) => { e.preventDefault(); look(); });
  by('text').addEventListener('input', () => { if (!data.live) look(); });
  by('example').addEventListener('change', (e) => {
    state.example = Number(e.target.value);
    Object.assign(state, { typed: null, reader: null });
    state.forced.clear();
    by('text').value = '';
    trouble('');
    if (data.live) ask(data.examples[state.example].text);
    else draw();
  });
  for (const side of ['left', 'right']) {
    by(side).addEventListener('change', (e) => {
      if (data.live) ask(data.examples[state.example].text);
      else {
        state[side] = Number(e.target.value);
        if (!chosen().every((l) => l.in_page)) state.typed = null;
        draw();
      }
    });
  }
  for (const id of ['block', 'moment']) {
    by(id).addEventListener('input', (e) => { state[id] = Number(e.target.value); draw(); });
  }
  by('arrays').addEventListener('change', (e) => { state.arrays = e.target.checked; draw(); });
  by('let-go').addEventListener('click', () => { state.forced.clear(); draw(); by('bench').querySelector('svg')?.focus(); });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { colours.clear(); draw(); });
  let wide = innerWidth;
  addEventListener('resize', () => { if (innerWidth !== wide) { wide = innerWidth; draw(); } });
  draw();
}

start();
