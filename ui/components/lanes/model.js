// What is true of the lanes at a time t: nothing here touches the page.

const EPS = 1e-6;

const lastEnd = (lanes) => Math.max(EPS, ...lanes.map((lane) => lane.end));

// A call counts as over when the next one may begin: on the measured clock a round's overhead lies between.
function callStops(lanes) {
  const times = lanes.flatMap((lane) => lane.calls.map((_, i) => lane.calls[i + 1]?.start ?? lane.end));
  return [...new Set(times)].sort((a, b) => a - b);
}

const roundStops = (lanes) => lanes.flatMap((lane) => lane.rounds).sort((a, b) => a - b);

const nextStop = (stops, t, end) => stops.find((time) => time > t + EPS) ?? end;

const lastStop = (stops, t) => stops.findLast((time) => time <= t + EPS) ?? 0;

function stateAt(token, t) {
  if (t < token.shown - EPS) return null;
  return t < token.settled - EPS ? "pending" : token.state;
}

function countsAt(lane, t) {
  const over = (model) => lane.calls.filter((c) => c.model === model && c.end <= t + EPS);
  return {
    target: over("target").length,
    draft: over("draft").filter((c) => c.round !== null).length,
    tokens: lane.delivered.filter((time) => time <= t + EPS).length,
  };
}

// Whether a remark on this round has been made by then.
const isFlagged = (lane, round, t) =>
  round !== null && lane.notices.some((notice) => notice.round === round && notice.time <= t + EPS);

const callAt = (lane, t) => lane.calls.find((c) => c.start <= t + EPS && t < c.end - EPS);

// How much sooner the last lane had its tokens of time t than the first lane has, from the first token on.
function speedUpAt(lanes, t) {
  const slow = lanes[0].delivered;
  const fast = lanes[lanes.length - 1].delivered;
  const n = Math.min(slow.length, fast.filter((time) => time <= t + EPS).length);
  if (n < 2 || fast[n - 1] <= fast[0]) return null;
  return (slow[n - 1] - slow[0]) / (fast[n - 1] - fast[0]);
}

// Round tick distances that give at most `most` marks.
function axisTicks(end, most) {
  const rough = end / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= rough);
  return Array.from({ length: Math.floor(end / step + EPS) + 1 }, (_, i) => Number((i * step).toPrecision(8)));
}

const digitsFor = (end) => (end >= 2 ? 1 : end >= 0.2 ? 2 : 3);
