// The module, packed with LZMA (`xz --format=lzma`), which makes it a third smaller than what browsers can unpack themselves.
// A bit is read with the share of ones that there were before it in the same place; shares are counted in 2,048ths.
function bits(packed) {
  let [at, range] = [18, 2 ** 32 - 1];
  let code = new DataView(packed.buffer).getUint32(14);
  const shift = () => {
    if (range >= 2 ** 24) return;
    range *= 256;
    code = code * 256 + packed[at++];
  };
  const bit = (shares, i) => {
    const bound = (range >>> 11) * shares[i];
    const is = code < bound ? 0 : 1;
    if (is) {
      range -= bound;
      code -= bound;
      shares[i] -= shares[i] >> 5;
    } else {
      range = bound;
      shares[i] += (2048 - shares[i]) >> 5;
    }
    shift();
    return is;
  };
  // A number of so many bits, highest first; where a bit is looked up depends on those before it.
  const number = (shares, from, count) => {
    let x = 1;
    for (let i = 0; i < count; i++) x = 2 * x + bit(shares, from + x);
    return x - (1 << count);
  };
  // Lowest first.
  const reversed = (shares, from, count) => {
    let [x, sum] = [1, 0];
    for (let i = 0; i < count; i++) {
      const is = bit(shares, from + x);
      x = 2 * x + is;
      sum += is << i;
    }
    return sum;
  };
  // Bits that are as often 1 as 0.
  const plainly = (count) => {
    let x = 0;
    for (let i = 0; i < count; i++) {
      range >>>= 1;
      const is = code >= range ? 1 : 0;
      if (is) code -= range;
      x = 2 * x + is;
      shift();
    }
    return x;
  };
  return { bit, number, reversed, plainly };
}

// What was packed fits the dictionary, whose size stands at its head.
function unpackLzma(packed) {
  const { bit, number, reversed, plainly } = bits(packed);
  const lc = packed[0] % 9;
  const [lp, pb] = [((packed[0] / 9) | 0) % 5, (packed[0] / 45) | 0];
  const out = new Uint8Array(new DataView(packed.buffer).getUint32(1, true));
  const halves = (count) => new Uint16Array(count).fill(1024);
  const [isMatch, isShort] = [halves(192), halves(192)];
  const [isOld, isOlder, isThird, isFourth] = [halves(12), halves(12), halves(12), halves(12)];
  const [literals, slots, middle, low] = [halves(0x300 << (lc + lp)), halves(256), halves(128), halves(16)];
  const lengths = () => ({ choice: halves(2), short: halves(128), mid: halves(128), long: halves(256) });
  const [newLengths, oldLengths] = [lengths(), lengths()];
  const lengthOf = ({ choice, short, mid, long }, place) => {
    if (!bit(choice, 0)) return 2 + number(short, place << 3, 3);
    return bit(choice, 1) ? 18 + number(long, 0, 8) : 10 + number(mid, place << 3, 3);
  };
  const distanceOf = (length) => {
    const slot = number(slots, Math.min(length - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1;
    const start = (2 + (slot & 1)) * 2 ** count;
    if (slot < 14) return start + reversed(middle, start - slot, count);
    return start + plainly(count - 4) * 16 + reversed(low, 0, 4);
  };
  let [size, state, last] = [0, 0, [0, 0, 0, 0]];
  const literal = () => {
    const place = ((size & ((1 << lp) - 1)) << lc) + (size ? out[size - 1] >> (8 - lc) : 0);
    let [x, known] = [1, state >= 7 ? out[size - 1 - last[0]] : -1];
    while (x < 256) {
      if (known < 0) x = 2 * x + bit(literals, 0x300 * place + x);
      else {
        const expected = (known >> 7) & 1;
        known = (known << 1) & 255;
        const is = bit(literals, 0x300 * place + ((1 + expected) << 8) + x);
        x = 2 * x + is;
        if (is !== expected) known = -1;
      }
    }
    out[size++] = x & 255;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };
  for (;;) {
    const place = size & ((1 << pb) - 1);
    if (!bit(isMatch, (state << 4) + place)) {
      literal();
      continue;
    }
    let length;
    if (!bit(isOld, state)) {
      length = lengthOf(newLengths, place);
      state = state < 7 ? 7 : 10;
      last = [distanceOf(length), last[0], last[1], last[2]];
      // The mark at the end.
      if (last[0] === 2 ** 32 - 1) return out.subarray(0, size);
    } else {
      // From where one of the last four came, which is the first then.
      const which = !bit(isOlder, state) ? 0 : !bit(isThird, state) ? 1 : 2 + bit(isFourth, state);
      last.unshift(...last.splice(which, 1));
      const isOne = which === 0 && !bit(isShort, (state << 4) + place);
      length = isOne ? 1 : lengthOf(oldLengths, place);
      state = state < 7 ? (isOne ? 9 : 8) : 11;
    }
    if (last[0] >= size || size + length > out.length) throw new Error("the module is damaged");
    for (const end = size + length; size < end; size++) out[size] = out[size - 1 - last[0]];
  }
}
