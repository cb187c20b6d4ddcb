// The code with one line lit. Moving happens here; the server is only told where the reader has come to rest.

const views = new WeakMap();
const WORDS = /\b(def|for|in|if|not|return|enumerate|len)\b|\b(p|q|u|residual|correction|bonus)\b/g;
const KEYWORDS = new Set(["def", "for", "in", "if", "not", "return", "enumerate", "len"]);
const REST = 400;

export default function (component) {
  const root = component.parentElement.querySelector(".root");
  const view = views.get(root) ?? createView(root);
  views.set(root, view);
  view.component = component;
  const generation = ++view.generation;
  const { data } = component;
  if (data.id !== view.id) build(view, data);
  view.steps.update(data.id, data.step, data.steps.length - 1);
  return () => {
    if (generation !== view.generation) return;
    view.steps.stop();
    views.delete(root);
    root.querySelector(".steps-bar").replaceChildren();
  };
}

function createView(root) {
  const [bar, listing, note] = root.children;
  const view = { listing, note, generation: 0, id: null, rows: [] };
  view.steps = createSteps(bar, (step) => show(view, step), (step) => view.component.setTriggerValue("step", step), REST);
  return view;
}

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

// Names of the rule keep their colour wherever they stand.
function coloured(text) {
  const node = document.createDocumentFragment();
  let at = 0;
  for (const match of text.matchAll(WORDS)) {
    node.append(text.slice(at, match.index));
    node.append(make("span", KEYWORDS.has(match[0]) ? "keyword" : `name-${match[0]}`, match[0]));
    at = match.index + match[0].length;
  }
  node.append(text.slice(at));
  return node;
}

function build(view, data) {
  view.id = data.id;
  view.data = data;
  view.listing.setAttribute("aria-label", data.label);
  view.rows = data.lines.map((line, i) => {
    const row = make("div", "row");
    const code = make("code", "source");
    // A line that wraps goes on below its own beginning.
    code.style.setProperty("--indent", line.match(/^ */)[0].length);
    code.append(coloured(line.trimStart()));
    const seen = make("div", "values");
    row.append(make("span", "number", String(i + 1)), code, seen);
    seen.append(roomFor(data.steps.filter((step) => step.line === i)), make("div", "now"));
    return row;
  });
  view.listing.replaceChildren(...view.rows);
}

// The longest that the line will ever show, unseen: nothing below moves when a value comes.
function roomFor(steps) {
  const length = (step) => step.values.flat().join("").length;
  const ghost = make("div", "ghost");
  ghost.ariaHidden = "true";
  if (steps.length) ghost.append(...chips(steps.reduce((a, b) => (length(b) > length(a) ? b : a))));
  return ghost;
}

function chips(step) {
  return step.values.map(([expression, value]) => {
    const chip = make("span", "value");
    const name = make("span", "expression");
    name.append(coloured(expression));
    chip.append(name, " = ", make("b", value === "False" ? "false" : value === "True" ? "true" : "", value));
    return chip;
  });
}

function show(view, at) {
  const { data, rows } = view;
  const lit = data.steps[at];
  rows.forEach((row, line) => {
    const last = data.steps.findLastIndex((step, i) => i <= at && step.line === line);
    row.classList.toggle("lit", line === lit.line);
    row.classList.toggle("past", last >= 0);
    if (line === lit.line) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
    row.querySelector(".now").replaceChildren(...(last >= 0 ? chips(data.steps[last]) : []));
  });
  if (view.note.textContent !== lit.note) view.note.textContent = lit.note;
}
