// Boards: Sudoku, Life and tic-tac-toe, with what a cell reads, by head.

// Where each token lies on a board; none if the tokens are no board's.
function boardOf(tokens) {
  const places = tokens.map((t) => {
    const grid = /^(\d+):(\d+) (\S)$/.exec(t), letters = /^([abc])([123]) (\S)$/.exec(t);
    if (grid) return { row: grid[1] - 1, column: grid[2] - 1, sign: grid[3], name: `row ${grid[1]}, column ${grid[2]}` };
    return letters ? { row: 3 - letters[2], column: letters[1].charCodeAt(0) - 97, sign: letters[3], name: letters[1] + letters[2] } : null;
  });
  const cells = places.filter(Boolean), side = Math.sqrt(cells.length);
  return cells.length >= 9 && Number.isInteger(side) ? { places, side } : null;
}

// What a cell holds, in words.
function holding(sign, life) {
  return { '·': life ? 'dead' : 'empty', '.': 'dead', b: 'empty', '●': 'alive', '#': 'alive' }[sign] ?? sign;
}

// A small board for a head: the more a cell is read, the fuller. What stands in it is drawn where there is room.
function headBoard(board, title, hue) {
  const size = 162, step = size / board.side;
  const cells = board.places.map((p) => (p ? node('rect', { class: hue, x: p.column * step, y: p.row * step, width: step - 0.5, height: step - 0.5, 'fill-opacity': 0 }) : null));
  const signs = board.places.map((p) => (p && !['·', '.', 'b'].includes(p.sign)
    ? node('text', { class: 'number', x: (p.column + 0.5) * step, y: (p.row + 0.5) * step + 4, 'text-anchor': 'middle' }, p.sign) : null));
  const marker = node('rect', { class: 'reader', width: step - 2.5, height: step - 2.5, x: -99, y: 0 });
  const svg = canvas(size, size, [node('rect', { class: 'frame', x: 0, y: 0, width: size, height: size }), ...cells.filter(Boolean), marker, ...signs.filter(Boolean)]);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', title);
  const words = node('figcaption', {}, title);
  const fill = (i, share) => {
    cells[i]?.setAttribute('fill-opacity', share.toFixed(3));
    if (signs[i]) signs[i].style.fill = inkOn(hue, share);
  };
  return { element: node('figure', { class: 'head' }, svg, words), fill, marker, step, words, svg };
}

function boards(view) {
  const board = boardOf(view.tokens);
  if (!board) return null;
  const { places, side } = board, routes = view.arrays.get(`block.${view.b}.routes`);
  const said = [...view.said.words.replaceAll(/\s/g, '')], right = view.right === null ? null : [...view.right.replaceAll(/\s/g, '')];
  const answers = said.length === side * side;
  const life = places.some((p) => p?.sign === '●');
  // An answer of Life is a dot where something lives, and nothing elsewhere; elsewhere it is the digit.
  const spell = (sign) => (life ? { '●': 'alive', '·': 'dead' }[glyph(sign)] ?? sign : sign);
  const glyph = (sign) => (life || sign === '#' ? { 1: '●', 0: '·', '#': '●', '.': '·' }[sign] ?? sign : sign);
  const buttons = [], cellTokens = [];
  // A token in words: a cell by its place and what it holds.
  const called = (i) => (places[i] ? `${places[i].name} (${holding(places[i].sign, life)})` : view.tokens[i]);
  let cell = -1;
  const grid = node('div', { class: `grid side-${side}${life ? ' life' : ''}`, role: 'group', 'aria-label': 'The board; point at a cell, or move with the arrow keys, to see what it reads' });
  grid.style.setProperty('--side', side);
  const show = (token) => {
    if (!routes) return;
    const [, rows, columns] = routes.shape;
    heads.forEach((head, h) => {
      const reads = routes.values.subarray((h * rows + token) * columns, (h * rows + token + 1) * columns);
      const most = reads.reduce((m, x) => Math.max(m, x), 1e-6);
      reads.forEach((x, i) => head.fill(i, x / most));
      const p = places[token];
      head.marker.setAttribute('x', p ? p.column * head.step + 1 : -99);
      head.marker.setAttribute('y', p ? p.row * head.step + 1 : 0);
      const first = [...reads].map((x, i) => [x, i]).sort((a, b) => b[0] - a[0]).slice(0, 2).map(([x, i]) => `${called(i)} ${(100 * x).toFixed(0)} %`);
      const text = `Head ${h}: ${called(token)} reads ${first.join('; ')}`;
      head.words.textContent = text;
      head.svg.setAttribute('aria-label', text);
    });
    light(token);
    buttons.forEach((button, at) => button.classList.toggle('looked-at', cellTokens[at] === token));
  };
  places.forEach((p, token) => {
    if (!p) return;
    cell += 1;
    const given = !['·', '.', 'b'].includes(p.sign) && !life, answer = answers ? said[cell] : null;
    const shown = answers ? (life ? glyph(answer).replace('·', ' ') : glyph(answer)) : p.sign === 'b' ? '' : p.sign;
    const wrong = answers && right && answer !== right[cell];
    const alive = life && answers && glyph(answer) === '●';
    const kind = `${alive ? 'alive ' : ''}${wrong ? 'mistake' : given ? 'given' : answers ? 'answer' : ''}${p.sign === '●' ? ' before' : ''}`;
    const label = `${called(token)}${answers ? `, answered ${spell(answer)}` : ''}${wrong ? `, should be ${spell(right[cell])}` : ''}`;
    const button = node('button', { type: 'button', class: kind, 'aria-label': label, tabindex: buttons.length ? -1 : 0, title: label }, shown);
    const at = buttons.length;
    button.addEventListener('pointerenter', () => show(token));
    button.addEventListener('focus', () => show(token));
    button.addEventListener('keydown', (e) => {
      const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -side, ArrowDown: side }[e.key];
      if (!by || !buttons[at + by]) return;
      e.preventDefault();
      button.tabIndex = -1;
      buttons[at + by].tabIndex = 0;
      buttons[at + by].focus();
    });
    buttons.push(button);
    cellTokens.push(token);
    grid.append(button);
  });
  const count = routes ? routes.shape[0] : 0;
  const heads = Array.from({ length: count }, (_, h) => headBoard(board, `Head ${h}`, hueOf(view)));
  // It begins with a token that is no cell, if there is one: the one that answers.
  if (count) show(Math.max(0, places.findIndex((p) => !p)));
  const mistakes = buttons.filter((b) => b.classList.contains('mistake')).length;
  const key = answers ? node('p', { class: 'note' },
    life ? node('span', {}, node('span', { class: 'before-word' }, 'shaded'), ' alive before, ', node('b', { class: 'answer-word' }, '●'), ' answered alive, ') : node('span', {}, node('b', {}, 'bold'), ' given, ', node('span', { class: 'answer-word' }, 'plain'), ' answered, '),
    node('span', { class: life ? 'mistake-box' : 'mistake-word' }, life ? 'framed' : 'struck'), ` mistake (${mistakes})`) : null;
  const element = node('div', { class: 'boards' }, node('div', {}, grid, key), node('div', { class: 'heads' }, heads.map((h) => h.element)));
  return { element, answers };
}
