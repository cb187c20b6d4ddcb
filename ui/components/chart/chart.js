// One Plotly figure that is redrawn in place. Its text takes the page's colour and font, and its sizes the page's.

const BASE = 17; // pixels of text that a figure's sizes are meant for
const charts = new WeakMap();
const still = matchMedia("(prefers-reduced-motion: reduce)");
const coarse = matchMedia("(pointer: coarse)");

export default function (component) {
  const root = component.parentElement.querySelector(".lab-chart");
  const chart = charts.get(root) ?? createChart(root);
  charts.set(root, chart);
  chart.component = component;
  const generation = ++chart.generation;
  root.setAttribute("aria-label", component.data.label);
  root.classList.toggle("clickable", component.data.clickable);
  draw(chart);
  return () => generation === chart.generation && remove(chart);
}

function createChart(root) {
  const chart = { root, generation: 0, width: 0, busy: false, again: false, listening: false, drawn: null, traces: [], template: null };
  chart.observer = new ResizeObserver(() => {
    if (root.clientWidth !== chart.width) draw(chart);
  });
  chart.observer.observe(root);
  return chart;
}

// Redraws take their turn: what arrives meanwhile is drawn once, in its latest state.
async function draw(chart) {
  chart.again = true;
  if (chart.busy) return;
  chart.busy = true;
  while (chart.again) {
    chart.again = false;
    try {
      await redraw(chart);
    } catch (error) {
      console.warn("A chart could not be drawn.", error);
      chart.traces = []; // what was drawn of them is gone
      const note = document.createElement("p");
      note.className = "failed";
      note.textContent = "This chart could not be drawn: reload the page.";
      chart.root.replaceChildren(note);
    }
  }
  chart.busy = false;
}

async function redraw(chart) {
  const { root } = chart;
  const scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / BASE;
  const theme = themed(root, BASE * scale);
  // A page's run sends every chart anew, and most of them have not changed.
  const { figure } = chart.component.data;
  const drawn = JSON.stringify([figure, root.clientWidth, scale, theme, still.matches, coarse.matches]);
  if (drawn === chart.drawn && chart.width === root.clientWidth) return;
  chart.drawn = null; // until it is: a picture that failed is drawn again
  const { data, layout } = JSON.parse(figure);
  layout.height ??= 450;
  resize(layout, scale);
  chart.traces = data.map((trace, at) => unchanged(chart.traces[at], trace, scale));
  root.style.height = `${layout.height}px`;
  const Plotly = await library(chart.component.data.library);
  const resized = chart.width !== 0 && chart.width !== root.clientWidth;
  chart.width = root.clientWidth;
  if (chart.width === 0 || !root.isConnected) return; // out of sight: the observer comes back to it
  if (JSON.stringify(theme) !== JSON.stringify(chart.template?.layout)) chart.template = { layout: theme };
  Object.assign(layout, { width: chart.width, autosize: false, template: chart.template });
  layout.uirevision ??= "kept";
  if (still.matches) delete layout.transition;
  if (coarse.matches) layout.dragmode = false;
  root.querySelector(":scope > .failed")?.remove();
  const traces = chart.traces.map(({ trace }) => trace);
  await Plotly.react(root, traces, layout, { displayModeBar: false, displaylogo: false });
  // A legend that now breaks into other rows was placed by the margins from before.
  if (resized) await Plotly.redraw(root);
  chart.drawn = drawn;
  if (!chart.listening) {
    root.on("plotly_click", (event) => report(chart, event));
    chart.listening = true;
  }
}

// A trace that is the very object of last time is not drawn again, where nothing but shapes and notes have changed.
function unchanged(before, trace, scale) {
  const said = JSON.stringify([trace, scale]);
  if (before?.said === said) return before;
  resize(trace, scale);
  for (const [name, value] of Object.entries(trace)) if (value?.bdata !== undefined) trace[name] = unpacked(value);
  return { said, trace };
}

// NumPy's arrays, as chart.py packs them. Plotly would unpack them at each drawing, into new ones each time.
const NUMBERS = { f8: Float64Array, f4: Float32Array, i4: Int32Array };

function unpacked({ dtype, bdata, shape }) {
  const letters = atob(bdata);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at);
  const flat = new NUMBERS[dtype](bytes.buffer);
  const nested = (numbers, [size, ...rest]) =>
    rest.length ? Array.from({ length: size }, (_, at) => nested(numbers.subarray((at * numbers.length) / size, ((at + 1) * numbers.length) / size), rest)) : numbers;
  return shape ? nested(flat, shape.split(",").map(Number)) : flat;
}

function report(chart, event) {
  const point = event.points[0];
  if (!chart.component.data.clickable || !point) return;
  const index = point.pointIndex ?? point.pointNumber;
  chart.component.setTriggerValue("clicked", {
    trace: point.curveNumber,
    index: Array.isArray(index) ? index.at(-1) : index,
    x: point.x ?? null,
    y: point.y ?? null,
    customdata: point.customdata ?? null,
  });
}

// Fonts, height, margins and offsets grow with the page's text.
function resize(part, scale) {
  if (Array.isArray(part)) return part.forEach((item) => resize(item, scale));
  if (!part || typeof part !== "object") return;
  for (const [name, value] of Object.entries(part)) {
    const font = name.toLowerCase().endsWith("font");
    if (font && value?.size) value.size = Array.isArray(value.size) ? value.size.map((s) => s * scale) : value.size * scale;
    if (name === "margin") for (const side of "lrtb") if (value[side]) value[side] *= scale;
    if (["height", "xshift", "yshift", "ax", "ay", "standoff"].includes(name) && typeof value === "number") part[name] = value * scale;
    if (!["x", "y", "z", "text", "customdata"].includes(name)) resize(value, scale);
  }
}

function themed(root, size) {
  const style = getComputedStyle(root);
  const [text, background, line] = ["--st-text-color", "--st-background-color", "--st-border-color"].map((name) =>
    style.getPropertyValue(name).trim(),
  );
  const font = { color: text, family: style.getPropertyValue("--st-font").trim() || "sans-serif", size };
  const axis = { automargin: true, linecolor: line, tickcolor: line, zerolinecolor: line };
  return {
    font,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    xaxis: axis,
    yaxis: axis,
    hoverlabel: { bgcolor: background, bordercolor: line, align: "left", font },
    annotationdefaults: { arrowcolor: text },
    shapedefaults: { line: { color: text } },
    coloraxis: { colorbar: { outlinewidth: 0 } },
  };
}

function remove(chart) {
  chart.observer.disconnect();
  charts.delete(chart.root);
  if (chart.listening) window[SLOT].then((Plotly) => Plotly.purge(chart.root));
}

// The library is loaded once a page, from the app's own static folder: it lies beside the folder from which
// Streamlit's scripts came, whatever path the app is served under.
const SLOT = "speculativeLabPlotly";

function library(name) {
  window[SLOT] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const streamlit = performance.getEntriesByType("resource").find((entry) => /\/static\/js\/[^/]+\.js$/.test(entry.name));
    script.src = new URL(`../../app/static/${name}`, streamlit?.name ?? new URL("a/b/", document.baseURI)).href;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      delete window[SLOT];
      script.remove();
      reject(new Error(`${script.src} could not be loaded`));
    };
    document.head.append(script);
  });
  return window[SLOT];
}
