// The bar: the chapters as a line that fills up, the step's title and place, and the same moves as the keys'.

const BUTTONS = [
  ["back", "Back", "←", "M15 5l-7 7 7 7"],
  ["next", "Next", "→", "M9 5l7 7-7 7"],
  ["full", "Full screen", "F", "M9 4H4v5M15 4h5v5M4 15v5h5M20 15v5h-5"],
  ["leave", "Leave the tour", "Esc", "M5 5l14 14M19 5L5 19"],
];

function createBar(root, act) {
  const make = (tag, className) => root.appendChild(Object.assign(document.createElement(tag), { className }));
  const line = make("div", "line");
  line.role = "progressbar";
  const title = make("span", "title");
  const place = make("span", "place");
  const buttons = Object.fromEntries(BUTTONS.map((row) => [row[0], root.appendChild(barButton(row, act))]));
  let drawn = "";

  function paint(steps, number) {
    const here = steps[number - 1];
    const tour = steps.filter((step) => !step.encore);
    const pages = [...new Set(tour.map((step) => step.page))];
    if (drawn !== pages.join()) line.replaceChildren(...pages.map((page) => segment(tour, page)));
    drawn = pages.join();
    pages.forEach((page, i) => {
      const its = tour.filter((step) => step.page === page).length;
      const before = tour.findIndex((step) => step.page === page);
      line.children[i].style.setProperty("--done", Math.min(Math.max((number - before) / its, 0), 1));
    });
    Object.assign(line, { ariaValueMin: "1", ariaValueMax: String(tour.length), ariaValueNow: String(Math.min(number, tour.length)), ariaValueText: here.label, ariaLabel: "Progress of the tour" });
    title.textContent = here.title;
    place.textContent = here.label;
    buttons.back.disabled = number === 1;
    buttons.next.disabled = number === steps.length;
  }
  return { paint, full: (on) => buttons.full.setAttribute("aria-pressed", String(on)) };
}

function segment(tour, page) {
  const part = document.createElement("i");
  part.style.flexGrow = tour.filter((step) => step.page === page).length;
  return part;
}

function barButton([what, label, key, path], act) {
  const button = document.createElement("button");
  button.type = "button";
  button.ariaLabel = label;
  button.title = `${label} (${key})`;
  const [drawing, line] = ["svg", "path"].map((tag) => document.createElementNS("http://www.w3.org/2000/svg", tag));
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  drawing.append(line);
  button.append(drawing);
  button.addEventListener("click", () => act(what));
  return button;
}
