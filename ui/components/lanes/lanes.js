// The player: one time for all lanes, moved by the buttons, the scrubber or the frames of the browser.
// Nothing is sent to the server but a selected token.

const players = new WeakMap();
const still = matchMedia("(prefers-reduced-motion: reduce)");

export default function (component) {
  const root = component.parentElement.querySelector(".root");
  const player = players.get(root) ?? createPlayer(root);
  players.set(root, player);
  player.component = component;
  const generation = ++player.generation;
  update(player, component.data);
  return () => {
    if (generation !== player.generation) return;
    pause(player);
    player.hideTip();
  };
}

function createPlayer(root) {
  const part = (name) => root.querySelector(`.${name}`);
  const player = {
    root,
    controls: part("controls"),
    stage: part("stage"),
    tracks: part("tracks"),
    axis: part("axis"),
    range: part("range"),
    head: part("playhead"),
    legend: part("legend"),
    live: part("live"),
    dropped: part("dropped"),
    generation: 0,
    shown: "",
    run: null,
    t: 0,
    clock: 0,
    speed: 1,
    playing: false,
    frame: 0,
    selected: null,
  };
  player.hideTip = attachTip(root, (button) => tokenOf(player, button));
  listen(player);
  return player;
}

function listen(player) {
  const { root, controls, stage, range } = player;
  controls.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.speed) setSpeed(player, Number(button.dataset.speed));
    else if (button) ACTIONS[button.dataset.do](player);
  });
  range.addEventListener("input", () => {
    pause(player);
    seek(player, (Number(range.value) / Number(range.max)) * player.end);
  });
  stage.addEventListener("keydown", (event) => event.target.matches(".token") && moveFocus(event, event.target.closest(".tokens")));
  stage.addEventListener("focusin", (event) => event.target.matches(".token") && tabStop(event.target.closest(".tokens"), event.target));
  stage.addEventListener("click", (event) => {
    const button = event.target.closest("button.token");
    if (button) select(player, Number(button.closest(".tokens").dataset.lane), Number(button.dataset.index));
  });
  player.dropped.addEventListener("change", (event) => {
    root.classList.toggle("no-dropped", !event.target.checked);
    for (const view of player.views) keepTabStop(view.box, view.buttons);
  });
  new ResizeObserver(() => player.data && fillAxis(player.axis, player.end, player.data.unit, player.axis.clientWidth)).observe(player.axis);
}

const ACTIONS = {
  play: (player) => (player.playing ? pause(player, true) : play(player)),
  step: (player) => jump(player, nextStop(player.stops, player.t, player.end)),
  round: (player) => jump(player, nextStop(player.roundStops, player.t, player.end)),
  finish: (player) => jump(player, player.end),
  restart: (player) => jump(player, 0),
};

function update(player, data) {
  const shown = JSON.stringify(data);
  if (shown === player.shown) return;
  player.shown = shown;
  const fresh = data.run_id !== player.run;
  player.run = data.run_id;
  player.data = { ...data, digits: digitsFor(lastEnd(data.lanes)) };
  player.end = lastEnd(data.lanes);
  player.stops = callStops(data.lanes);
  player.roundStops = roundStops(data.lanes);
  if (fresh) reset(player);
  rebuild(player);
  seek(player, Math.min(player.t, player.end), !fresh);
}

function reset(player) {
  pause(player);
  player.t = player.data.start === "end" ? player.end : 0;
  player.selected = null;
}

function rebuild(player) {
  const { data, end } = player;
  player.hideTip();
  buildControls(player.controls, data);
  player.views = data.lanes.map((lane) => buildLane(lane, data));
  player.views.forEach((view, i) => (view.box.dataset.lane = i));
  player.stage.replaceChildren(...player.views.map((view) => view.article));
  player.trackViews = data.lanes.map((lane) => buildTrack(lane, end));
  player.tracks.replaceChildren(...player.trackViews.map((view) => view.row));
  fillAxis(player.axis, end, data.unit, player.axis.clientWidth || 600);
  const states = fillLaneLegend(player.legend, data);
  player.dropped.hidden = !states.has("discarded");
  setSpeed(player, player.speed);
  showPlaying(player);
  showSelection(player);
}

function play(player) {
  if (player.t >= player.end - EPS) seek(player, 0);
  player.playing = true;
  player.clock = player.t;
  let before = performance.now();
  const tick = (now) => {
    if (!player.playing || !player.root.isConnected) return;
    player.clock += (Math.min(Math.max(now - before, 0), 250) / 1000) * player.speed * player.data.pace;
    before = now;
    seek(player, Math.min(still.matches ? lastStop(player.stops, player.clock) : player.clock, player.end));
    if (player.t >= player.end - EPS) pause(player, true);
    else player.frame = requestAnimationFrame(tick);
  };
  player.frame = requestAnimationFrame(tick);
  showPlaying(player);
}

function pause(player, tell = false) {
  cancelAnimationFrame(player.frame);
  player.playing = false;
  if (player.data) showPlaying(player);
  if (tell) announce(player);
}

function jump(player, t) {
  pause(player);
  seek(player, t);
  announce(player);
}

function seek(player, t, follow = true) {
  const { data, end } = player;
  player.t = t;
  player.views.forEach((view) => showLane(view, t, data, follow));
  player.trackViews.forEach((view, i) => showTrack(view, data.lanes[i], t, end, data));
  player.head.style.left = `${(t / end) * 100}%`;
  player.range.value = Math.round((t / end) * Number(player.range.max));
  player.range.ariaValueText = `${t.toFixed(data.digits)} ${data.unit}`;
  for (const view of player.views) keepTabStop(view.box, view.buttons);
}

function setSpeed(player, speed) {
  player.speed = speed;
  for (const button of player.controls.querySelectorAll(".speed")) button.ariaPressed = String(Number(button.dataset.speed) === speed);
}

function showPlaying(player) {
  const button = player.controls.querySelector(".play");
  if (!button) return;
  const label = player.playing ? "Pause" : player.data.play_label;
  button.ariaLabel = button.title = label;
  button.replaceChildren(icon(player.playing ? "pause" : "play"), make("span", "control-label", label));
  player.root.classList.toggle("playing", player.playing);
}

function announce(player) {
  const parts = player.views.map(({ lane }) => {
    const { tokens } = countsAt(lane, player.t);
    return `${lane.title}: ${tokens} ${player.data.words.tokens}`;
  });
  setText(player.live, `${player.t.toFixed(player.data.digits)} ${player.data.unit}. ${parts.join(". ")}`);
}

const tokenOf = (player, button) => player.data.lanes[button.closest(".tokens").dataset.lane].tokens[button.dataset.index];

function select(player, lane, index) {
  const now = player.selected;
  if (now && now.lane === lane && now.index === index) return;
  player.selected = { lane, index };
  showSelection(player);
  player.component.setStateValue("selected", { run: player.run, lane, index });
}

function showSelection(player) {
  const { selected } = player;
  player.views.forEach((view, lane) => pressOnly(view.buttons, selected?.lane === lane ? selected.index : null));
}
