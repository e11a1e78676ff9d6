// STRAT-Lite computed in the page, in the f32 in which it was trained: 80 weights need no server.

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

// Everything that the library names, for a sum. `forced` has gates that do not listen: token × 2 + gate → 0 or 1.
function forward(lite, weights, tokens, forced = new Map()) {
  const f = Math.fround, { width, heads } = lite, n = tokens.length, per = width / heads;
  const arrays = new Map();
  const put = (name, shape, values) => { arrays.set(name, { shape, values }); return values; };
  const embed = weights.get('embed') ?? ORACLE;
  const linear = (x, name, ins, outs) => Float32Array.from({ length: n * outs }, (_, k) => {
    const r = Math.floor(k / outs), o = k % outs, w = weights.get(name);
    let sum = 0;
    for (let i = 0; i < ins; i++) sum = f(sum + f(w[o * ins + i] * x[r * ins + i]));
    return sum;
  });
  const type = put('block.0.type', [n, width], Float32Array.from({ length: n * width }, (_, k) => (
    embed[(KINDS[tokens[Math.floor(k / width)]] ?? 0) * width + (k % width)]
  )));
  const value = (t) => (t in KINDS ? 0 : Number(t));
  const data = put('block.0.data', [n, 2], Float32Array.from(tokens.flatMap((t) => [value(t), 0])));
  const [q, k, v] = ['query.weight', 'key.weight', 'type_value.weight'].map((name) => linear(type, name, width, width));
  const routes = new Float32Array(heads * n * n), fetched = new Float32Array(n * width);
  for (let h = 0; h < heads; h++) {
    for (let r = 0; r < n; r++) {
      const scores = [];
      for (let c = 0; c <= r; c++) {
        let dot = 0;
        for (let i = h * per; i < (h + 1) * per; i++) dot = f(dot + f(q[r * width + i] * k[c * width + i]));
        scores.push(f(f(dot / f(Math.sqrt(per))) - (r - c)));
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
  put('block.0.type_fetched', [n, width], fetched);
  const typed = put('type', [n, width], type.map((x, i) => f(x + fetched[i])));
  const bias = weights.get('gate.bias');
  const gate = put('block.0.gate', [n, 2], linear(typed, 'gate.weight', width, 2).map((x, i) => (
    forced.has(i) ? forced.get(i) : f(1 / f(1 + f(Math.exp(-f(x + bias[i % 2])))))
  )));
  const payload = put('block.0.payload', [n, 2], linear(data, 'value.weight', 2, 2));
  const written = put('block.0.written', [n, 2], payload.map((x, i) => f(x * gate[i])));
  const after = put('data', [n, 2], data.map((x, i) => f(x + written[i])));
  const joined = Float32Array.from({ length: n * (width + 2) }, (_, at) => {
    const r = Math.floor(at / (width + 2)), i = at % (width + 2);
    return i === 0 ? after[2 * r] : i === width + 1 ? after[2 * r + 1] : typed[r * width + i - 1];
  });
  const parts = put('contributions', [n, 1], linear(joined, 'readout.weight', width + 2, 1));
  put('output', [1, 1], Float32Array.of(parts.reduce((a, b) => f(a + b), 0)));
  return arrays;
}

const weightsOf = new WeakMap();

// A learner's weights at a moment of its training.
function liteWeights(learner, moment) {
  const kept = weightsOf.get(learner) ?? weightsOf.set(learner, []).get(learner);
  kept[moment] ??= new Map(learner.lite.weights[Math.min(moment, learner.lite.weights.length - 1)].map(([name, packed]) => [name, floats(packed)]));
  return kept[moment];
}
