// The tour's keys, wherever the focus is but in text and on sliders, and the bar at the foot of the screen. The browser
// keeps the number of the step itself and sends it as it is, so that no press is lost while the server is at work.

const TEXT = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=dialog], [role=menu]";
const KEEPS_ARROWS = "[role=tablist], [role=radiogroup], [role=toolbar]:not(.tour)";
const PRESSABLE = "button, a[href], summary, label, input, [role=button], [role=radio], [role=tab]";
const OPEN = "[data-baseweb=popover], [role=dialog]";
const MOVES = { ArrowRight: "next", " ": "next", PageDown: "next", ArrowLeft: "back", PageUp: "back", Home: "first", End: "last" };
const JUST_LEFT = 400; // milliseconds in which one Esc may be heard twice: by the browser's full screen, and here

const tours = new WeakMap();

export default function (component) {
  const root = component.parentElement.querySelector(".tour");
  const tour = tours.get(root) ?? createTour(root, component.parentElement.querySelector(".live"));
  tours.set(root, tour);
  tour.component = component;
  const generation = ++tour.generation;
  take(tour, component.data);
  return () => generation === tour.generation && tour.stop();
}

function createTour(root, live) {
  const tour = { root, live, generation: 0, step: 1, sent: null, steps: [], leftFullScreen: 0 };
  tour.bar = createBar(root, (what) => ACTIONS[what](tour));
  tour.screen = createScreen(root, () => paint(tour));
  const heard = [
    [window, "keydown", (event) => press(tour, event)],
    [window, "popstate", () => back(tour)],
    [document, "fullscreenchange", () => fullScreenChanged(tour)],
  ];
  // Before anybody else: a chapter's own step-by-step picture also listens to arrows.
  for (const [where, what, handle] of heard) where.addEventListener(what, handle, true);
  tour.stop = () => {
    for (const [where, what, handle] of heard) where.removeEventListener(what, handle, true);
    tour.screen.stop();
    tours.delete(root);
  };
  return tour;
}

const ACTIONS = {
  next: (tour) => go(tour, tour.step + 1),
  back: (tour) => go(tour, tour.step - 1),
  first: (tour) => go(tour, 1),
  last: (tour) => go(tour, tour.steps.filter((step) => !step.encore).length),
  full: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.()),
  leave: (tour) => tour.component.setTriggerValue("leave", tour.step),
};

// The server's step counts unless it is on its way to one that was sent from here.
function take(tour, data) {
  tour.steps = data.steps;
  if (tour.sent === null || tour.sent === data.step) {
    tour.sent = null;
    tour.step = data.step;
  }
  showStep(tour);
}

function go(tour, wanted) {
  const step = Math.min(Math.max(wanted, 1), tour.steps.length);
  if (step === tour.step) return;
  tour.step = tour.sent = step;
  showStep(tour);
  tour.component.setTriggerValue("go", step);
}

// Back and Forward of the browser. The address has changed already, but the server goes by what it is sent.
function back(tour) {
  const step = Number(new URLSearchParams(location.search).get("tour"));
  if (tour.steps[step - 1]) go(tour, step);
}

function showStep(tour) {
  const here = tour.steps[tour.step - 1];
  const stages = tour.steps.filter((step) => step.page === here.page && !/-(predict|takeaway)$/.test(step.id));
  tour.screen.show(here.id, stages.map((step) => step.id));
  paint(tour);
}

function paint(tour) {
  const here = tour.steps[tour.step - 1];
  tour.bar.paint(tour.steps, tour.step);
  const text = `${here.label}: ${here.title}`;
  if (tour.live.textContent !== text) tour.live.textContent = text;
}

function press(tour, event) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const path = event.composedPath().filter((node) => node.matches);
  if (path.some((node) => node.matches(TEXT))) return;
  const what = event.key === "Escape" ? escaping(tour) : event.key.toLowerCase() === "f" ? "full" : MOVES[event.key];
  if (!what) return;
  if (event.key.startsWith("Arrow") && path.some((node) => node.matches(KEEPS_ARROWS))) return;
  if (event.key === " " && path.some((node) => node.matches(PRESSABLE))) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // A key held down is one press.
  if (!event.repeat) ACTIONS[what](tour);
}

// Esc closes what is open on the page, then leaves the full screen, then the tour.
function escaping(tour) {
  if (document.fullscreenElement) return "full";
  return document.querySelector(OPEN) || performance.now() - tour.leftFullScreen < JUST_LEFT ? null : "leave";
}

function fullScreenChanged(tour) {
  if (!document.fullscreenElement) tour.leftFullScreen = performance.now();
  tour.bar.full(Boolean(document.fullscreenElement));
}
