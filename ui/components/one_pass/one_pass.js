// One pass of the target: each place is a button from the token that went in to the answer that came out.

const views = new WeakMap();
const OUTCOMES = {
  kept: ["✓", "kept"],
  miss: ["✕", "missed"],
  bonus: ["+", "bonus"],
  unused: ["⊘", "not to be used"],
};

export default function (component) {
  const root = component.parentElement.querySelector(".root");
  const view = views.get(root) ?? createView(root);
  views.set(root, view);
  view.component = component;
  const { data } = component;
  const shown = JSON.stringify([data.places, data.label]);
  if (shown !== view.shown) build(view, data);
  view.shown = shown;
  press(view, data.place);
}

function createView(root) {
  const box = root.querySelector(".places");
  const view = { box, shown: "", buttons: [] };
  box.addEventListener("click", (event) => {
    const index = view.buttons.indexOf(event.target.closest(".place"));
    if (index >= 0) choose(view, index);
  });
  box.addEventListener("keydown", (event) => {
    const here = view.buttons.indexOf(event.target.closest(".place"));
    const ways = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, Home: 0, End: view.buttons.length - 1 };
    const to = view.buttons[ways[event.key]];
    if (!to) return;
    event.preventDefault();
    to.focus();
    choose(view, view.buttons.indexOf(to));
  });
  return view;
}

function choose(view, index) {
  press(view, index);
  view.component.setTriggerValue("place", index);
}

function press(view, index) {
  pressOnly(view.buttons, index);
  view.buttons.forEach((button, i) => (button.tabIndex = i === index ? 0 : -1));
}

function build(view, data) {
  const focused = view.buttons.indexOf(view.box.getRootNode().activeElement);
  view.box.setAttribute("aria-label", data.label);
  view.buttons = data.places.map(placeButton);
  view.box.style.setProperty("--places", data.places.length);
  view.box.replaceChildren(rowHeads(), ...view.buttons);
  view.buttons[focused]?.focus();
}

function rowHeads() {
  const heads = make("div", "heads");
  heads.ariaHidden = "true";
  heads.append(make("span", "in", "goes in"), make("span", "band", "one target pass"), make("span", "answer", "comes out: p"), make("span", "about", "read as an answer about"));
  return heads;
}

function placeButton(place, index) {
  const button = make("button", "place");
  button.type = "button";
  if (place.verdict) button.dataset.verdict = place.verdict;
  const input = make("span", `in ${index === 0 ? "text-token" : "guess-token"}`);
  input.append(chip(place.input));
  const answer = make("span", "answer");
  for (const [text, weight, label] of place.answer) {
    const row = make("span", "candidate");
    const name = make("span", "candidate-text");
    fillText(name, text.trim() || text);
    const bar = make("span", "bar");
    bar.style.setProperty("--weight", `${100 * weight}%`);
    row.append(name, make("span", "weight", label), bar);
    answer.append(row);
  }
  const about = make("span", "about");
  if (place.about === null) about.append(make("span", "place-name", "the place behind"));
  else about.append(make("span", "place-name", `guess ${index + 1}`), chip(place.about));
  const [sign, word] = OUTCOMES[place.verdict] ?? ["", ""];
  about.append(make("span", "outcome", `${sign} ${word}`.trim()));
  button.append(input, make("span", "band"), answer, about);
  button.setAttribute("aria-label", `Place ${index + 1}: ${place.input.trim()} goes in, an answer about ${place.about === null ? "the place behind the last guess" : `guess ${index + 1}, ${place.about.trim()},`} comes out. ${word}`);
  return button;
}

function chip(text) {
  const node = make("span", "chip");
  node.dir = "auto";
  fillText(node, text.trim() || text);
  return node;
}
