// Choosing: example, learners, block, moment; and asking a server for more, where there is one.

const data = JSON.parse(document.getElementById('data').textContent);
const by = (id) => document.getElementById(id);
const state = { example: 0, left: 0, right: data.learners.length > 1 ? 1 : -1, block: 0, moment: Infinity };

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

function draw() {
  const learners = chosen(), specimen = data.examples[state.example];
  const bench = by('bench');
  const open = [...bench.querySelectorAll('details')].map((d) => d.open);
  let blocks = 1;
  bench.replaceChildren(...learners.map((learner) => {
    const frames = learner.frames[state.example], moment = within(frames, state.moment), frame = frames[moment];
    const arrays = unpack(frame);
    blocks = Math.max(blocks, blocksOf(arrays).length);
    return learnerView({ learner, frame, arrays, tokens: specimen.tokens, right: specimen.right, example: state.example,
      block: state.block, moment, choose: (i) => { state.moment = i; draw(); } });
  }));
  bench.querySelectorAll('details').forEach((d, i) => { d.open = open[i] ?? false; });
  bench.classList.toggle('two', learners.length > 1);
  tip('');
  slider('block', blocks, state.block, (i) => `${i} of 0–${blocks - 1}`);
  const longest = learners.reduce((a, l) => (l.moments.length > a.moments.length ? l : a), learners[0]);
  slider('moment', longest.moments.length, within(longest.moments, state.moment), (i) => `${longest.unit} ${longest.moments[i]}`);
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
  by('typed').hidden = false;
  by('form').hidden = false;
  // What stands between backticks is to be typed as it is.
  by('form').replaceChildren('An example is ', ...data.live.form.split('`').map((t, i) => (i % 2 ? node('code', {}, t) : t)), '.');
}

async function ask(example) {
  const learners = [by('left').value, by('right').value].filter((i) => i >= 0).map((i) => asked[i]);
  const trouble = by('trouble');
  trouble.hidden = true;
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
    data.learners.forEach((l) => { l.frames = Object.assign([], { [state.example]: l.frames[0] }); });
    Object.assign(state, { left: 0, right: data.learners.length > 1 ? 1 : -1 });
    choices();
    draw();
  } catch (e) {
    trouble.textContent = e.message;
    trouble.hidden = false;
  }
}

function start() {
  by('title').textContent = data.title;
  choices();
  if (data.live) liveChoices();
  by('controls').addEventListener('submit', (e) => {
    e.preventDefault();
    if (data.live && by('text').value.trim()) ask(by('text').value);
  });
  by('example').addEventListener('change', (e) => {
    state.example = Number(e.target.value);
    if (data.live) ask(data.examples[state.example].text);
    else draw();
  });
  for (const side of ['left', 'right']) {
    by(side).addEventListener('change', (e) => {
      if (data.live) ask(data.examples[state.example].text);
      else { state[side] = Number(e.target.value); draw(); }
    });
  }
  for (const id of ['block', 'moment']) {
    by(id).addEventListener('input', (e) => { state[id] = Number(e.target.value); draw(); });
  }
  draw();
}

start();
