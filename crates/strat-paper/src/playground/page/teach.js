// Workers, each with a module and its part of the learners. The page itself computes only what it draws.
let module = null;
let ask = null;
let workers = [];
let going = false;

const unpacked = () => WebAssembly.compile(unpackLzma(Uint8Array.from(atob($("wasm").textContent), (c) => c.charCodeAt(0))));

let workerAddress = null;
function worker(heard) {
  workerAddress ??= URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));
  const made = new Worker(workerAddress);
  made.onmessage = ({ data }) => (data.error ? complain(data.error) : heard(data));
  made.onerror = (event) => complain(event.message || "a worker cannot be started; is this browser older than 2023?");
  return made;
}

// Learners of these sums at their start, dealt out in groups of four: as many as a vector has lanes.
function begin() {
  workers.forEach((old) => old.terminate());
  going = false;
  state.taught = false;
  state.moment = 0;
  state.follows = true;
  for (const kind of KINDS) state.learners[kind] = new Map();
  // A core is left for what is drawn.
  const count = Math.max(1, Math.min((navigator.hardwareConcurrency || 2) - 1, 8));
  const parts = Array.from({ length: count }, () => []);
  for (const kind of KINDS) {
    for (let first = 1; first <= LEARNERS; first += 4) {
      parts[((first - 1) / 4) % count].push({ kind, seeds: [first, first + 1, first + 2, first + 3] });
    }
  }
  workers = parts.map((groups) => {
    const made = worker(advanced);
    made.postMessage({ begin: { module, sums: state.sums, groups, moments: MOMENTS } });
    return made;
  });
}

function go() {
  going = true;
  state.taught = true;
  for (const made of workers) made.postMessage({ go: true });
}

// Some learners have come to a moment.
let waiting = false;
function advanced({ kind, learners }) {
  for (const { seed, ...learner } of learners) {
    const moments = state.learners[kind].get(seed) || [];
    moments.push(learner);
    state.learners[kind].set(seed, moments);
  }
  if (waiting) return;
  waiting = true;
  setTimeout(() => {
    waiting = false;
    reached();
  }, 60);
}

// How many moments all learners have reached.
function reachedByAll() {
  const all = KINDS.flatMap((kind) => [...state.learners[kind].values()]);
  return all.length < 2 * LEARNERS ? 0 : Math.min(...all.map((moments) => moments.length));
}

function reached() {
  const all = KINDS.flatMap((kind) => [...state.learners[kind].values()]);
  const count = reachedByAll();
  if (count === MOMENTS.length) going = false;
  const part = all.reduce((sum, moments) => sum + moments.length - 1, 0) / (2 * LEARNERS * (MOMENTS.length - 1));
  $("progress").value = part;
  $("progress").hidden = !going;
  $("teach").disabled = going || state.taught || !!$("teach").dataset.stopped;
  if (state.follows) state.moment = Math.max(0, count - 1);
  if (!going && state.taught && state.wanted >= 0) {
    state.moment = state.wanted;
    state.wanted = -1;
  }
  show();
}
