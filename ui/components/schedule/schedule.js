// Tokens in stacks on a time axis: built anew for each run, zoomed by making the drawing wider than its window.

const MOST_ZOOM = 16;
const WIDEST_CELL = 30;
const NARROWEST_CELL = 5;
const READABLE = 14; // pixels that a glyph needs

// The tokens that come at the same moment, in the order of the text.
function stacksOf(tokens) {
  const stacks = [];
  for (const token of tokens) {
    if (stacks.at(-1)?.time === token.time) stacks.at(-1).tokens.push(token);
    else stacks.push({ time: token.time, tokens: [token] });
  }
  return stacks;
}

function smallestGap(lanes) {
  const gaps = lanes.flatMap((lane) => lane.stacks.slice(1).map((stack, i) => stack.time - lane.stacks[i].time));
  return Math.min(...gaps);
}

function buildLane(lane, end) {
  const label = make("div", "lane-label");
  label.append(make("b", "", lane.title), make("span", "", lane.note));
  const body = make("div", "lane");
  body.role = "img";
  body.ariaLabel = `${lane.title}: ${lane.note}`;
  const arrivals = make("div", "arrivals");
  const calls = make("div", "calls");
  for (const stack of lane.stacks) {
    const column = make("div", "stack");
    column.style.left = `${(stack.time / end) * 100}%`;
    column.append(...stack.tokens.map((token) => buildCell(token)));
    arrivals.append(column);
  }
  for (const call of lane.calls) {
    const block = make("i", `block ${call.model}${call.round === null ? " prompt-pass" : ""}`);
    block.style.left = `${(call.start / end) * 100}%`;
    block.style.width = `${((call.end - call.start) / end) * 100}%`;
    calls.append(block);
  }
  body.append(arrivals, calls);
  return [label, body];
}

function buildCell(token) {
  const cell = make("div", "token cell");
  cell.dataset.state = token.state;
  cell.token = token;
  cell.append(make("span", "glyph", LOOKS[token.state].glyph));
  return cell;
}

function fillScheduleLegend(box, lanes) {
  fillLegend(box, new Set(lanes.flatMap((lane) => lane.tokens.map((token) => token.state))));
  const kinds = [["target", "target pass"], ["draft", "draft step"], ["target prompt-pass", "prompt\u2019s own pass"]];
  box.append(
    ...kinds.map(([kind, name]) => {
      const item = make("span", "legend-item");
      item.append(make("i", `swatch ${kind}`), name);
      return item;
    }),
  );
  box.hidden = false;
}

function fillAxis(view) {
  const { end } = view.data;
  const width = view.axis.clientWidth;
  const ticks = axisTicks(end, Math.max(2, Math.floor(width / 85)));
  view.axis.replaceChildren(
    ...ticks.map((time, i) => {
      const last = i === ticks.length - 1;
      const tick = make("span", "tick", String(time));
      tick.style.left = `${(time / end) * 100}%`;
      tick.classList.toggle("first", i === 0);
      tick.classList.toggle("last", last && time / end > 0.9);
      return tick;
    }),
  );
}

// Cells are as wide as the closest two moments allow, at the present zoom.
function layOut(view) {
  view.plot.style.width = `${view.zoom * 100}%`;
  const width = view.plot.clientWidth;
  const gap = (smallestGap(view.lanes) / view.data.end) * width;
  const cell = Math.max(NARROWEST_CELL, Math.min(WIDEST_CELL, (Number.isFinite(gap) ? gap : WIDEST_CELL) - 2));
  view.plot.style.setProperty("--cell-width", `${cell}px`);
  view.plot.style.setProperty("--cell-height", `${Math.max(READABLE, Math.min(24, cell))}px`);
  view.plot.style.setProperty("--half", `${cell / 2}px`);
  view.plot.classList.toggle("narrow", cell < READABLE);
  fillAxis(view);
}

function build(view, data) {
  view.data = data;
  view.lanes = data.lanes.map((lane) => ({ ...lane, stacks: stacksOf(lane.tokens) }));
  view.plot.replaceChildren();
  for (const lane of view.lanes) {
    const [label, body] = buildLane(lane, data.end);
    const tallest = Math.max(...lane.stacks.map((stack) => stack.tokens.length));
    body.style.setProperty("--tallest", tallest);
    view.plot.append(label, body);
  }
  view.axis = make("div", "axis");
  view.plot.append(view.axis, make("div", "unit", data.unit));
  fillScheduleLegend(view.root.querySelector(".legend"), view.lanes);
  zoomTo(view, view.zoom);
}

// Keeps what is in the middle of the window there.
function zoomTo(view, zoom) {
  const middle = (view.window.scrollLeft + view.window.clientWidth / 2) / view.plot.clientWidth;
  view.zoom = Math.min(MOST_ZOOM, Math.max(1, zoom));
  layOut(view);
  view.window.scrollLeft = middle * view.plot.clientWidth - view.window.clientWidth / 2;
  for (const button of view.buttons) {
    button.disabled = button.dataset.by === "2" ? view.zoom === MOST_ZOOM : view.zoom === 1;
  }
}

function start(root) {
  const view = { root, zoom: 1, window: root.querySelector(".window"), plot: root.querySelector(".plot") };
  view.buttons = [...root.querySelectorAll(".zoom button")];
  for (const button of view.buttons) {
    button.addEventListener("click", () => zoomTo(view, view.zoom * Number(button.dataset.by)));
  }
  attachTip(root, (cell) => cell.token);
  view.resize = new ResizeObserver(() => view.data && layOut(view));
  view.resize.observe(view.window);
  return view;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".root");
  root.view ??= start(root);
  build(root.view, data);
  return () => {
    if (!root.isConnected) root.view?.resize.disconnect();
  };
}
