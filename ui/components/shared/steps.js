// Going through something step by step: buttons, the arrow keys of the whole page, and one word to the server.

const STEP_ICONS = {
  first: "M2 2h2v12H2zM14 2v12L5 8z",
  back: "M12 2v12L3 8z",
  next: "M4 2v12l9-6z",
  last: "M2 2v12l9-6zM12 2h2v12h-2z",
};
const KEEPS_ARROWS =
  "input, textarea, select, [contenteditable=true], [role=tablist], [role=radiogroup], [role=toolbar], [role=slider], [role=listbox], [role=dialog]";

// `show(step)` draws a step; `report(step)` tells the server, `delay` ms after the last move.
function createSteps(bar, show, report, delay = 0) {
  const steps = { step: 0, last: 0, id: null, waiting: [], timer: 0 };
  const buttons = {};
  const labels = { first: "First step", back: "Back", next: "Next", last: "Last step" };
  const targets = { first: () => 0, back: () => steps.step - 1, next: () => steps.step + 1, last: () => steps.last };
  for (const [name, path] of Object.entries(STEP_ICONS)) {
    const button = (buttons[name] = stepButton(name, path, labels[name]));
    button.addEventListener("click", () => go(targets[name]()));
  }
  const count = document.createElement("span");
  count.className = "step-count";
  const hint = document.createElement("span");
  hint.className = "step-hint";
  hint.textContent = "or the keys ← →";
  bar.append(...Object.values(buttons), count, hint);

  function paint() {
    show(steps.step);
    count.textContent = `Step ${steps.step + 1} of ${steps.last + 1}`;
    for (const name of ["first", "back"]) buttons[name].disabled = steps.step === 0;
    for (const name of ["next", "last"]) buttons[name].disabled = steps.step === steps.last;
  }
  function go(step) {
    const to = Math.min(Math.max(step, 0), steps.last);
    if (to === steps.step) return;
    steps.step = to;
    paint();
    clearTimeout(steps.timer);
    steps.waiting.push(to);
    steps.timer = setTimeout(() => report(to), delay);
  }
  // The server's step counts for something new, or when it is no echo of what was reported from here.
  function update(id, step, last) {
    const echo = steps.waiting.indexOf(step);
    steps.last = last;
    if (id !== steps.id || (echo < 0 && steps.waiting.length === 0)) steps.step = step;
    if (id !== steps.id) steps.waiting = [];
    else steps.waiting.splice(0, echo + 1);
    steps.id = id;
    steps.step = Math.min(steps.step, last);
    paint();
  }
  function press(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || event.composedPath().some((node) => node.matches?.(KEEPS_ARROWS))) return;
    event.preventDefault();
    go(steps.step + way);
  }
  document.addEventListener("keydown", press);
  return { update, go, stop: () => document.removeEventListener("keydown", press) };
}

function stepButton(name, path, label) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `step-button ${name}`;
  button.ariaLabel = button.title = label;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.ariaHidden = "true";
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  button.append(svg);
  if (name === "back" || name === "next") button.append(label);
  return button;
}
