// The page of the lanes: built once per run, then brought to a time by changing only what differs.

const ICONS = {
  play: "M4 2l10 6-10 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  step: "M2 2l8 6-8 6zM11 2h3v12h-3z",
  round: "M1 2l7 6-7 6zM8 2l7 6-7 6z",
  finish: "M1 2l6 6-6 6zM7 2l6 6-6 6zM13 2h2v12h-2z",
  restart: "M8 2a6 6 0 1 1-5.7 4.1l1.9.6A4 4 0 1 0 8 4v2.5L4 3.2 8 0z",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

function controlButton(name, label) {
  const button = make("button", `control ${name}`);
  button.type = "button";
  button.dataset.do = name;
  button.ariaLabel = button.title = label;
  button.append(icon(name), make("span", "control-label", label));
  return button;
}

function buildControls(box, data) {
  const names = [["play", data.play_label], ["step", data.step_label]];
  if (data.lanes.some((lane) => lane.rounds.length)) names.push(["round", "Next round"]);
  names.push(["finish", "Finish"], ["restart", "Restart"]);
  const speeds = make("div", "speeds");
  speeds.role = "group";
  speeds.ariaLabel = "Speed";
  for (const [value, label] of [[0.25, "\u00bc\u00d7"], [0.5, "\u00bd\u00d7"], [1, "1\u00d7"], [2, "2\u00d7"], [4, "4\u00d7"]]) {
    const button = make("button", "speed", label);
    button.type = "button";
    button.dataset.speed = value;
    button.ariaLabel = `Speed ${value}`;
    speeds.append(button);
  }
  box.replaceChildren(...names.map(([name, label]) => controlButton(name, label)), speeds);
}

function buildLane(lane, data) {
  const article = make("section", "lane");
  article.ariaLabel = lane.title;
  const head = make("div", "lane-head");
  const reading = make("div", "reading");
  reading.append(make("span", "status"), make("b", "clock"));
  head.append(make("div", "lane-title", lane.title), reading);
  const box = make("div", "tokens");
  box.role = "toolbar";
  box.ariaLabel = `${lane.title}: text`;
  const counters = make("div", "counters");
  for (const [name, label] of counterNames(lane, data)) {
    const counter = make("div", `counter count-${name}`);
    const caption = make("span", "caption", label);
    counter.append(make("b", "", "0"), caption);
    if (name === "target" || name === "draft") counter.prepend(make("i", `swatch ${name}`));
    counters.append(counter);
  }
  const notices = make("div", "notices");
  notices.append(...lane.notices.map((notice) => buildNotice(notice, data)));
  article.append(head, box, counters, notices);
  const view = { article, box, lane, status: reading.firstChild, clock: reading.lastChild, counters, notices: [...notices.children] };
  view.buttons = layTokens(box, lane.tokens, data.words.token);
  view.roundMarks = [...box.querySelectorAll(".round")];
  view.states = lane.tokens.map(() => undefined);
  return view;
}

function buildNotice(notice, data) {
  const line = make("div", "notice");
  if (notice.round !== null) line.append(make("b", "", `${data.words.round} ${notice.round + 1}: `));
  line.append(notice.text);
  return line;
}

// A lane counts the calls that it makes; the last one also tells how much faster it is than the first.
function counterNames(lane, data) {
  const names = [["target", data.words.target_calls], ["draft", data.words.draft_calls]].filter(([model]) =>
    lane.calls.some((call) => call.model === model && (model === "target" || call.round !== null)),
  );
  names.push(["tokens", data.words.tokens]);
  if (data.speed_up_label && lane === data.lanes.at(-1)) names.push(["gain", data.speed_up_label]);
  return names;
}

function buildTrack(lane, end) {
  const row = make("div", "row");
  const track = make("div", "track");
  const done = make("div", "done");
  for (const call of lane.calls) {
    const block = make("i", `block ${call.model}${call.round === null ? " prompt-pass" : ""}`);
    block.style.left = `${(call.start / end) * 100}%`;
    block.style.width = `${((call.end - call.start) / end) * 100}%`;
    done.append(block);
  }
  const flag = make("div", "flag");
  const at = lane.finish / end;
  flag.style.left = `${at * 100}%`;
  flag.classList.toggle("leftward", at > 0.5);
  flag.append(make("span", "flag-label"));
  track.append(done, flag);
  row.append(make("div", "row-label", lane.title), track);
  return { row, done, blocks: [...done.children], flag };
}

function fillAxis(axis, end, unit, width) {
  const ticks = axisTicks(end, Math.max(2, Math.floor(width / 90)));
  axis.replaceChildren(
    ...ticks.map((time, i) => {
      const tick = make("span", "tick", i === ticks.length - 1 ? `${time} ${unit}` : String(time));
      tick.style.left = `${(time / end) * 100}%`;
      tick.classList.toggle("leftward", time / end > 0.97);
      return tick;
    }),
  );
}

// The states of the tokens, then the one kind of block that no counter explains.
function fillLaneLegend(box, data) {
  const tokens = data.lanes.flatMap((lane) => lane.tokens);
  const states = new Set(tokens.map((token) => token.state));
  if (tokens.some((token) => token.shown < token.settled)) states.add("pending");
  fillLegend(box, states);
  if (!data.lanes.some((lane) => lane.calls.some((call) => call.round === null))) return states;
  const item = make("span", "legend-item");
  item.append(make("i", "swatch target prompt-pass"), data.words.prompt_pass);
  box.append(item);
  box.hidden = false;
  return states;
}

// Brings one lane to time t; follows its newest token where the text is longer than its box.
function showLane(view, t, data, follow) {
  const { lane, buttons, states } = view;
  let changed = false;
  lane.tokens.forEach((token, index) => {
    const state = stateAt(token, t);
    if (state === states[index]) return;
    states[index] = state;
    buttons[index].dataset.hidden = String(state === null);
    // An unseen guess waits as pending: its verdict must not shine through when it appears.
    const waiting = token.shown < token.settled ? "pending" : token.state;
    setState(buttons[index], token, index, data.words.token, state ?? waiting);
    changed = true;
  });
  if (changed && follow) followText(view.box, buttons[states.findLastIndex((state) => state !== null)]);
  for (const mark of view.roundMarks) {
    mark.dataset.hidden = String(states[mark.dataset.first] === null);
    mark.classList.toggle("flagged", isFlagged(lane, lane.tokens[mark.dataset.first].group, t));
  }
  const latest = lane.notices.findLastIndex((notice) => notice.time <= t + EPS);
  view.notices.forEach((line, i) => (line.dataset.hidden = String(i !== latest)));
  const gain = speedUpAt(data.lanes, t);
  const counts = { ...countsAt(lane, t), gain: gain === null ? "\u2013" : `${gain.toFixed(2)}\u00d7` };
  for (const counter of view.counters.children) {
    const name = counter.className.match(/count-(\w+)/)[1];
    setText(counter.querySelector("b"), String(counts[name]));
  }
  const finished = t >= lane.finish - EPS;
  view.article.classList.toggle("finished", finished);
  setText(view.clock, `${Math.min(t, lane.finish).toFixed(data.digits)} ${data.unit}`);
  setText(view.status, statusText(lane, t, finished, data.words));
}

function followText(box, newest) {
  if (!newest || box.scrollHeight <= box.clientHeight) return;
  box.scrollTop = newest.offsetTop + newest.offsetHeight - box.clientHeight * 0.85;
}

function statusText(lane, t, finished, words) {
  if (finished) return words.finished;
  const call = callAt(lane, t);
  if (t <= EPS || !call) return words.ready;
  return call.round === null ? words.prompt : words[`${call.model}_busy`];
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function showTrack(view, lane, t, end, data) {
  view.done.style.clipPath = `inset(-2px ${(1 - t / end) * 100}% -2px 0)`;
  lane.calls.forEach((call, i) => {
    if (call.model === "target") view.blocks[i].classList.toggle("flagged", isFlagged(lane, call.round, t));
  });
  view.flag.dataset.hidden = String(t < lane.finish - EPS);
  setText(view.flag.firstChild, `${lane.finish.toFixed(data.digits)} ${data.unit}`);
}
