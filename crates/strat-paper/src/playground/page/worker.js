// What a worker does: one lesson, or one table. Each answer goes to the page as it comes.
let ask = null;
let lesson = null;

async function begin({ module, sums, groups, moments }) {
  ask = await opened(module, () => {});
  const begun = ask({ ask: "teach", sums, groups });
  if (begun.error) return postMessage(begun);
  lesson = { groups, moments };
  advance(moments.slice(0, 1));
}

// All learners to one moment, then to the next.
function advance(moments) {
  for (const step of moments) {
    for (let group = 0; group < lesson.groups.length; group++) postMessage(ask({ ask: "advance", group, step }));
  }
}

async function fit({ module, text, target }) {
  ask = await opened(module, (part) => postMessage({ progress: part }));
  postMessage({ fitted: ask({ ask: "fit", text, target }) });
}

async function heard(data) {
  try {
    if (data.begin) await begin(data.begin);
    if (data.go) advance(lesson.moments.slice(1));
    if (data.fit) await fit(data.fit);
    if (data.row) postMessage({ row: data.row, answered: ask({ ask: "row", cells: data.row }) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
}

// One after the other: what comes while the module is still being opened waits.
let last = Promise.resolve();
onmessage = ({ data }) => {
  last = last.then(() => heard(data));
};
