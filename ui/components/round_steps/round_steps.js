// A round at one step: the text, the numbers known by now, and the number drawn against min(1, p/q).

const views = new WeakMap();
const FIGURES = [["p", "p(x)"], ["q", "q(x)"], ["ratio", "p/q"], ["u", "u"]];
const VERDICTS = { kept: "✓ kept", miss: "✕ missed", dropped: "✕ dropped" };

export default function (component) {
  const root = component.parentElement.querySelector(".root");
  const view = views.get(root) ?? createView(root);
  views.set(root, view);
  view.component = component;
  const generation = ++view.generation;
  view.data = component.data;
  view.steps.update(view.data.id, view.data.step, view.data.frames.length - 1);
  return () => {
    if (generation !== view.generation) return;
    view.steps.stop();
    views.delete(root);
    root.querySelector(".steps-bar").replaceChildren();
  };
}

function createView(root) {
  const [bar, text, table, draw, said] = root.children;
  const view = { text, table, draw, said, generation: 0 };
  view.steps = createSteps(bar, (step) => show(view, step), (step) => view.component.setTriggerValue("step", step));
  const goTo = (event) => {
    const index = event.target.closest("[data-guess]")?.dataset.guess;
    const frame = view.data.frames.findIndex(({ at }) => String(at) === index);
    if (index !== undefined && frame >= 0) view.steps.go(frame);
  };
  text.addEventListener("click", goTo);
  table.addEventListener("click", goTo);
  return view;
}

function show(view, step) {
  const { data } = view;
  const frame = data.frames[step];
  showText(view.text, data, frame);
  showTable(view.table, data, frame);
  showDraw(view.draw, data, frame);
  if (view.said.textContent !== frame.said) view.said.textContent = frame.said;
}

// The guesses stand behind the text; the token that the target adds stands where the round ends.
function showText(box, data, frame) {
  const guess = (x, i) => ({ text: x.text, state: frame.states[i], tip: [], group: null, guess: i });
  const guesses = data.guesses.map(guess);
  const examined = data.guesses.filter((x) => x.verdict !== "dropped").length;
  const added = frame.final ? [{ text: data.final.text, state: data.final.state, tip: [], group: null }] : [];
  const before = data.before.map((text) => ({ text, state: "prompt", tip: [], group: null }));
  const tokens = [...before, ...guesses.slice(0, examined), ...added, ...guesses.slice(examined)];
  const buttons = layTokens(box, tokens, "token");
  if (data.more) box.prepend("… ");
  tokens.forEach((token, i) => {
    buttons[i].classList.toggle("looked-at", token.guess !== undefined && token.guess === frame.at);
    if (token.guess === undefined) buttons[i].disabled = true;
    else buttons[i].dataset.guess = token.guess;
  });
}

function showTable(box, data, frame) {
  const reached = frame.at ?? (frame.stage === "start" ? -1 : data.guesses.length);
  const head = make("div", "column heads");
  head.append(make("span", "cell token-cell", "guess x"), ...FIGURES.map(([, label]) => make("span", "cell", label)), make("span", "cell", "verdict"));
  const columns = data.guesses.map((x, i) => {
    const known = i <= reached;
    const verdict = frame.states[i] === "pending" ? "" : VERDICTS[x.verdict];
    const column = make("div", "column");
    column.dataset.guess = i;
    column.classList.toggle("looked-at", i === frame.at);
    column.classList.toggle("unused", frame.stage === "end" && x.verdict === "dropped");
    const name = make("span", "cell token-cell");
    fillText(name, x.text.trim() || x.text);
    column.append(name, ...FIGURES.map(([key]) => make("span", `cell figure-${key}`, cellText(x, key, known))), make("span", `cell verdict ${verdict && x.verdict}`, verdict || "·"));
    return column;
  });
  box.style.setProperty("--guesses", data.guesses.length);
  box.replaceChildren(head, ...columns);
}

// p and q are there as soon as the pass is over; the number is drawn when the guess is reached.
const cellText = (x, key, known) => (key === "u" ? (known ? (x.u ?? "–") : "·") : x[key]);

function showDraw(box, data, frame) {
  const x = frame.at === null ? null : data.guesses[frame.at];
  box.classList.toggle("empty", !x || x.drawn === null);
  if (!x || x.drawn === null) return;
  if (!box.firstChild) box.append(...scaleParts());
  const [, track, pin] = box.children;
  const [keep, missing] = track.children;
  keep.style.width = `${100 * x.limit}%`;
  keep.firstChild.textContent = x.limit > 0.12 ? "keep" : "";
  missing.firstChild.textContent = x.limit < 0.86 ? "miss" : "";
  const limit = box.querySelector(".limit");
  limit.style.left = `${100 * x.limit}%`;
  limit.textContent = `min(1, p/q) = ${x.limit === 1 ? "1" : small(x.limit)}`;
  limit.classList.toggle("leftward", x.limit > 0.5);
  pin.style.left = `${100 * x.drawn}%`;
  pin.dataset.verdict = x.verdict;
  pin.firstChild.textContent = `u = ${x.u}`;
  pin.classList.toggle("leftward", x.drawn > 0.75);
}

const small = (x) => (x > 0 && x < 0.0005 ? "<.001" : x.toFixed(3));

function scaleParts() {
  const limits = make("div", "limits");
  limits.append(make("span", "limit"));
  const track = make("div", "track");
  const [keep, missing] = [make("div", "keep"), make("div", "missing")];
  keep.append(make("span"));
  missing.append(make("span"));
  track.append(keep, missing);
  const pin = make("div", "pin");
  pin.append(make("span", "pin-label"));
  const ends = make("div", "ends");
  ends.append(make("span", "", "0"), make("span", "", "u is drawn evenly from 0 to 1"), make("span", "", "1"));
  return [limits, track, pin, ends];
}
