const strips = new WeakMap();

export default function (component) {
  const root = component.parentElement.querySelector(".root");
  const strip = strips.get(root) ?? createStrip(root);
  strips.set(root, strip);
  strip.component = component;
  const generation = ++strip.generation;
  showStrip(strip, component.data);
  return () => generation === strip.generation && strip.hideTip();
}

function createStrip(root) {
  const [box, legend] = root.children;
  const strip = { root, box, legend, generation: 0, data: null, shown: "", id: null, selected: null, buttons: [] };
  strip.hideTip = attachTip(root, (button) => strip.data.tokens[button.dataset.index]);
  box.addEventListener("keydown", (event) => moveFocus(event, box));
  box.addEventListener("focusin", (event) => tabStop(box, event.target.closest(".token")));
  box.addEventListener("click", (event) => {
    const button = event.target.closest(".token");
    if (button && strip.data.selectable) select(strip, Number(button.dataset.index));
  });
  return strip;
}

function select(strip, index) {
  if (index === strip.selected) return;
  strip.selected = index;
  pressOnly(strip.buttons, index);
  strip.component.setStateValue("selected", { id: strip.data.id, index });
}

function showStrip(strip, data) {
  const shown = JSON.stringify(data.tokens);
  strip.data = data;
  if (data.id !== strip.id) strip.selected = data.selected;
  strip.id = data.id;
  strip.box.setAttribute("aria-label", data.label);
  if (shown !== strip.shown) redraw(strip, data);
  strip.shown = shown;
  strip.box.classList.toggle("selectable", data.selectable);
  if (data.selectable) pressOnly(strip.buttons, strip.selected);
  fillLegend(strip.legend, new Set(data.legend ? data.tokens.map((token) => token.state) : []));
}

function redraw(strip, data) {
  const active = strip.root.getRootNode().activeElement;
  const focused = active && strip.box.contains(active) ? active.dataset.index : undefined;
  strip.hideTip();
  strip.buttons = layTokens(strip.box, data.tokens, data.noun);
  const stop = strip.buttons[focused] ?? strip.buttons[strip.selected ?? 0];
  tabStop(strip.box, stop);
  if (focused !== undefined) stop?.focus();
}
