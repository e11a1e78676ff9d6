// Boards: Sudoku, Life and tic-tac-toe, with what a cell reads, by head.

// Where each token lies on a board; none if the tokens are no board's.
function boardOf(tokens) {
  const places = tokens.map((t) => {
    const grid = /^(\d+):(\d+) (\S)$/.exec(t), letters = /^([abc])([123]) (\S)$/.exec(t);
    if (grid) return { row: grid[1] - 1, column: grid[2] - 1, sign: grid[3] };
    return letters ? { row: 3 - letters[2], column: letters[1].charCodeAt(0) - 97, sign: letters[3] } : null;
  });
  const cells = places.filter(Boolean), side = Math.sqrt(cells.length);
  return cells.length >= 9 && Number.isInteger(side) ? { places, side } : null;
}

// A small board for a head: the more a cell is read, the fuller.
function headBoard(board, title, hue) {
  const size = 108, step = size / board.side;
  const cells = board.places.map((p) => (p ? node('rect', { class: hue, x: p.column * step, y: p.row * step, width: step - 0.5, height: step - 0.5, 'fill-opacity': 0 }) : null));
  const marker = node('rect', { class: 'reader', width: step - 0.5, height: step - 0.5, x: -99, y: 0 });
  const svg = canvas(size, size, [node('rect', { class: 'frame', x: 0, y: 0, width: size, height: size }), ...cells.filter(Boolean), marker]);
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', title);
  const words = node('figcaption', {}, title);
  return { element: node('figure', { class: 'head' }, svg, words), cells, marker, step, words, svg };
}

function boards(view) {
  const board = boardOf(view.tokens);
  if (!board) return null;
  const { places, side } = board, routes = view.arrays.get(`block.${view.b}.routes`);
  const said = [...view.said.words.replaceAll(/\s/g, '')], right = view.right === null ? null : [...view.right.replaceAll(/\s/g, '')];
  const answers = said.length === side * side;
  const life = places.some((p) => p?.sign === '●');
  const glyph = (sign) => (life || sign === '#' ? { 1: '●', 0: '·', '#': '●', '.': '·' }[sign] ?? sign : sign);
  const buttons = [];
  let cell = -1;
  const grid = node('div', { class: `grid side-${side}`, role: 'group', 'aria-label': 'The board; point at a cell, or move with the arrow keys, to see what it reads' });
  grid.style.setProperty('--side', side);
  const show = (token) => {
    if (!routes) return;
    const [, rows, columns] = routes.shape;
    heads.forEach((head, h) => {
      const reads = routes.values.subarray((h * rows + token) * columns, (h * rows + token + 1) * columns);
      const most = reads.reduce((m, x) => Math.max(m, x), 1e-6);
      head.cells.forEach((rect, i) => rect?.setAttribute('fill-opacity', (reads[i] / most).toFixed(3)));
      const p = places[token];
      head.marker.setAttribute('x', p ? p.column * head.step : -99);
      head.marker.setAttribute('y', p ? p.row * head.step : 0);
      const first = [...reads].map((x, i) => [x, i]).sort((a, b) => b[0] - a[0]).slice(0, 2).map(([x, i]) => `${view.tokens[i]} ${brief(x)}`);
      const text = `Head ${h}: ${view.tokens[token]} reads ${first.join(', ')}`;
      head.words.textContent = text;
      head.svg.setAttribute('aria-label', text);
    });
    light(token);
  };
  places.forEach((p, token) => {
    if (!p) return;
    cell += 1;
    const given = !['·', '.', 'b'].includes(p.sign) && !life, answer = answers ? said[cell] : null;
    const shown = answers ? glyph(answer) : p.sign === 'b' ? '' : p.sign;
    const wrong = answers && right && answer !== right[cell];
    const kind = `${wrong ? 'mistake' : given ? 'given' : answers ? 'answer' : ''}${p.sign === '●' ? ' before' : ''}`;
    const label = `${view.tokens[token]}${answers ? `, answered ${shown}` : ''}${wrong ? `, should be ${glyph(right[cell])}` : ''}`;
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
    grid.append(button);
  });
  const count = routes ? routes.shape[0] : 0;
  const heads = Array.from({ length: count }, (_, h) => headBoard(board, `Head ${h}`, hueOf(view)));
  // It begins with a token that is no cell, if there is one: the one that answers.
  if (count) show(Math.max(0, places.findIndex((p) => !p)));
  const mistakes = buttons.filter((b) => b.classList.contains('mistake')).length;
  const key = answers ? node('p', { class: 'note' },
    life ? node('span', {}, node('span', { class: 'before-word' }, 'shaded'), ' alive before, ') : node('span', {}, node('b', {}, 'bold'), ' given, '), node('span', { class: 'answer-word' }, 'plain'), ' answered, ',
    node('span', { class: 'mistake-word' }, 'struck'), ` mistake (${mistakes})`) : null;
  const element = node('div', { class: 'boards' }, node('div', {}, grid, key), node('div', { class: 'heads' }, heads.map((h) => h.element)));
  return { element, answers };
}
