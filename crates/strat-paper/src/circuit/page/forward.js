// STRAT-Lite and the unityped models computed in the page, in the f32 in which they were trained: so few weights need no server.

// Types that are not learned (§5.3): of a literal, a plus, a minus.
const ORACLE = [1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1];
const KINDS = { literal: 0, '+': 1, '−': 2 };

// `12 + 3 - 5` as tokens, or why it is none. Literals and operators alternate.
function parseSum(text) {
  const parts = text.replaceAll('−', '-').split(/([+-])/).map((p) => p.trim());
  if (parts.length > 41) return { fault: 'a sum of at most 21 numbers has room here' };
  const bad = parts.find((p, i) => (i % 2 ? false : !/^\d+(\.\d+)?$/.test(p) || Number(p) > 1e12));
  if (bad !== undefined) return { fault: `"${bad}" should be a number without a sign, such as 12 or 0.5, of at most 1e12` };
  const tokens = parts.map((p, i) => (i % 2 ? (p === '-' ? '−' : '+') : String(Number(p))));
  const right = parts.reduce((sum, p, i) => (i % 2 ? sum : sum + (parts[i - 1] === '-' ? -1 : 1) * Number(p)), 0);
  return { text, tokens, right: String(Number(right.toPrecision(15))) };
}

// What a forward pass names, and the products it is made of, of `n` tokens.
function pass(n, weights) {
  const f = Math.fround, arrays = new Map();
  const put = (name, shape, values) => { arrays.set(name, { shape, values }); return values; };
  const linear = (x, name, ins, outs) => Float32Array.from({ length: n * outs }, (_, k) => {
    const r = Math.floor(k / outs), o = k % outs, w = weights.get(name);
    let sum = 0;
    for (let i = 0; i < ins; i++) sum = f(sum + f(w[o * ins + i] * x[r * ins + i]));
    return sum;
  });
  // A = softmax(Q x · K x · scale − distance) over what came before; gives A V x.
  const attend = (q, k, v, width, heads, scale) => {
    const per = width / heads, routes = new Float32Array(heads * n * n), fetched = new Float32Array(n * width);
    for (let h = 0; h < heads; h++) {
      for (let r = 0; r < n; r++) {
        const scores = [];
        for (let c = 0; c <= r; c++) {
          let dot = 0;
          for (let i = h * per; i < (h + 1) * per; i++) dot = f(dot + f(q[r * width + i] * k[c * width + i]));
          scores.push(f(f(dot * scale) - (r - c)));
        }
        const most = Math.max(...scores), powers = scores.map((s) => f(Math.exp(f(s - most))));
        const all = powers.reduce((a, b) => f(a + b), 0);
        powers.forEach((p, c) => {
          const share = f(p / all);
          routes[(h * n + r) * n + c] = share;
          for (let i = h * per; i < (h + 1) * per; i++) fetched[r * width + i] = f(fetched[r * width + i] + f(share * v[c * width + i]));
        });
      }
    }
    put('block.0.routes', [heads, n, n], routes);
    return fetched;
  };
  const add = (a, b) => a.map((x, i) => f(x + b[i]));
  // Gates: σ(W x + b), but for those that are forced.
  const gates = (x, ins, outs, forced) => put('block.0.gate', [n, outs], linear(x, 'gate.weight', ins, outs).map((y, i) => (
    forced.has(i) ? forced.get(i) : f(1 / f(1 + f(Math.exp(-f(y + weights.get('gate.bias')[i % outs])))))
  )));
  return { f, arrays, put, linear, attend, add, gates };
}

const kindOf = (t) => KINDS[t] ?? 0;
const valueOf = (t) => (t in KINDS ? 0 : Number(t));

// Everything that the library names, for a sum. `forced` has gates that do not listen: their place in the array → 0 or 1.
function forward(model, weights, tokens, forced = new Map()) {
  return (model.kind === 'lite' ? lite : unityped)(model, weights, tokens, forced);
}

function lite({ width, heads }, weights, tokens, forced) {
  const n = tokens.length, { f, arrays, put, linear, attend, add, gates } = pass(n, weights);
  const embed = weights.get('embed') ?? ORACLE;
  const type = put('block.0.type', [n, width], Float32Array.from({ length: n * width }, (_, k) => (
    embed[kindOf(tokens[Math.floor(k / width)]) * width + (k % width)]
  )));
  const data = put('block.0.data', [n, 2], Float32Array.from(tokens.flatMap((t) => [valueOf(t), 0])));
  const [q, k, v] = ['query.weight', 'key.weight', 'type_value.weight'].map((name) => linear(type, name, width, width));
  const fetched = put('block.0.type_fetched', [n, width], attend(q, k, v, width, heads, f(1 / Math.sqrt(width / heads))));
  const typed = put('type', [n, width], add(type, fetched));
  const gate = gates(typed, width, 2, forced);
  const payload = put('block.0.payload', [n, 2], linear(data, 'value.weight', 2, 2));
  const written = put('block.0.written', [n, 2], payload.map((x, i) => f(x * gate[i])));
  const after = put('data', [n, 2], add(data, written));
  const joined = Float32Array.from({ length: n * (width + 2) }, (_, at) => {
    const r = Math.floor(at / (width + 2)), i = at % (width + 2);
    return i === 0 ? after[2 * r] : i === width + 1 ? after[2 * r + 1] : typed[r * width + i - 1];
  });
  const parts = put('contributions', [n, 1], linear(joined, 'readout.weight', width + 2, 1));
  put('output', [1, 1], Float32Array.of(parts.reduce((a, b) => f(a + b), 0)));
  return arrays;
}

// Config A and its relatives: one stream of six dimensions, in which every matrix reads the numbers too.
function unityped({ width, scale, gain, norm }, weights, tokens, forced) {
  const n = tokens.length, { f, arrays, put, linear, attend, add, gates } = pass(n, weights);
  const plus = (x, name) => x.map((y, i) => f(y + weights.get(name)[i % width]));
  const normed = (x, name) => {
    if (!norm) return x;
    const found = new Float32Array(x.length);
    for (let r = 0; r < n; r++) {
      const row = x.subarray(r * width, (r + 1) * width), mean = row.reduce((a, b) => a + b, 0) / width;
      const deviation = Math.sqrt(row.reduce((a, b) => a + (b - mean) ** 2, 0) / width + 1e-5);
      row.forEach((y, i) => { found[r * width + i] = (y - mean) / deviation * weights.get(`${name}.weight`)[i]; });
    }
    return plus(found, `${name}.bias`);
  };
  const start = put('block.0.stream', [n, width], Float32Array.from(tokens.flatMap((t) => [
    valueOf(t) * scale, ...ORACLE.slice(4 * kindOf(t), 4 * kindOf(t) + 4), 0,
  ])));
  const first = normed(start, 'norm1');
  const [q, k, v] = ['query.weight', 'key.weight', 'value.weight'].map((name) => linear(first, name, width, width));
  const by = weights.get('gain')?.[0] ?? gain;
  const fetched = put('block.0.fetched', [n, width], attend(q, k, v, width, 1, 1).map((x) => f(x * by)));
  const after = add(start, fetched), second = normed(after, 'norm2');
  const gate = gates(second, width, width, forced);
  const payload = put('block.0.payload', [n, width], plus(linear(second, 'ffn_value.weight', width, width), 'ffn_value.bias'));
  const written = put('block.0.written', [n, width], payload.map((x, i) => f(x * gate[i])));
  const stream = put('stream', [n, width], add(after, written));
  const parts = put('contributions', [n, 1], linear(stream, 'readout.weight', width, 1).map((y) => f(y / scale)));
  put('output', [1, 1], Float32Array.of(parts.reduce((a, b) => f(a + b), 0)));
  return arrays;
}

// Numbers as they are packed: as they are, or as whole numbers of a unit.
function floats({ f32, i16 }) {
  const bytes = Uint8Array.from(atob(f32 ?? i16.letters), (c) => c.charCodeAt(0)).buffer;
  return f32 === undefined ? Float32Array.from(new Int16Array(bytes), (x) => x * i16.unit) : new Float32Array(bytes);
}

const weightsOf = new WeakMap();

// A learner's weights at a moment of its training.
function ownWeights(learner, moment) {
  const kept = weightsOf.get(learner) ?? weightsOf.set(learner, []).get(learner);
  kept[moment] ??= new Map(learner.in_page.weights[Math.min(moment, learner.in_page.weights.length - 1)].map(([name, packed]) => [name, floats(packed)]));
  return kept[moment];
}
