// The views of the page that is drawn: which one is seen, and how large each is. All of them stay laid out, so that
// the next one is ready before its key is pressed. What is found out about them is written into one style sheet,
// since the page may build its elements anew at any time. (A class named twice outweighs the page's own sheet.)

const VIEW = "st-key-view-";
const PATIENCE = 1500; // milliseconds until another view stands in for one that the page does not draw
const ROUNDING = 2; // pixels
const SETTLING = 3000; // milliseconds in which a view may be fitted freely `TRIES` times; then it only gets smaller,
const TRIES = 8; // or a picture whose height follows its width could go to and fro for ever

function createScreen(bar, onShown) {
  const sheet = document.createElement("style");
  document.head.append(sheet);
  const fits = new Map(); // by a view's class
  const screen = { id: null, instead: [], shown: null, show, stop };
  let [frame, timer, late] = [0, 0, false];

  const sizes = new ResizeObserver(soon);
  const page = new MutationObserver(soon);
  page.observe(document.querySelector("[data-testid=stMain]"), { subtree: true, childList: true, attributeFilter: ["class"] });
  window.addEventListener("resize", soon);

  // `instead` are the views that may stand in where the page has nothing to draw for this one.
  function show(id, instead) {
    if (id !== screen.id) late = false;
    Object.assign(screen, { id, instead });
    clearTimeout(timer);
    timer = setTimeout(() => ((late = true), refresh()), PATIENCE);
    refresh();
  }

  function soon() {
    frame ||= requestAnimationFrame(refresh);
  }

  function refresh() {
    cancelAnimationFrame(frame);
    frame = 0;
    const views = new Map([...document.querySelectorAll(`[class*="${VIEW}"]`)].map((view) => [nameOf(view), view]));
    const name = [screen.id, ...(late ? screen.instead : [])].map((id) => VIEW + id).find((it) => views.has(it));
    if (name && name !== screen.shown) {
      screen.shown = name;
      onShown();
    }
    for (const gone of [...fits.keys()].filter((it) => !views.has(it))) fits.delete(gone);
    for (const [it, view] of views) {
      view.inert = it !== screen.shown; // no focus goes where nobody sees it
      for (const node of [view, ...view.children]) sizes.observe(node);
    }
    const due = [...views].filter(([it, view]) => isDue(it, view));
    // What is looked at comes first, the others one a frame.
    const [next] = [...due.filter(([it]) => it === screen.shown), ...due];
    if (next) fitView(...next);
    write();
    if (next) fits.get(next[0]).inside = next[1].scrollHeight;
    if (due.length > 1) soon();
  }

  function isDue(name, view) {
    const known = fits.get(name);
    if (!known || known.view !== view || known.width !== window.innerWidth || known.room !== room()) return true;
    return Math.abs(view.getBoundingClientRect().height - known.shownHeight) > ROUNDING || (known.scrolls && known.inside !== view.scrollHeight);
  }

  function fitView(name, view) {
    const width = window.innerWidth;
    const style = (property, value) => view.style.setProperty(property, value, "important");
    const height = (zoom) => {
      style("zoom", zoom);
      style("width", `${width / zoom}px`);
      return view.getBoundingClientRect().height;
    };
    style("height", "auto");
    const before = fits.get(name);
    const since = before && performance.now() - before.since < SETTLING ? before.since : performance.now();
    const tries = before?.since === since ? before.tries + 1 : 0;
    const found = fit(height, room(), width);
    const zoom = tries > TRIES ? Math.min(found, before.zoom) : found;
    const tall = height(zoom);
    for (const property of ["zoom", "width", "height"]) view.style.removeProperty(property);
    const scrolls = tall > room() + ROUNDING;
    fits.set(name, { view, since, tries, zoom, width, room: room(), scrolls, shownHeight: Math.min(tall, room()) });
  }

  function write() {
    const rules = [...fits].map(([name, { zoom, width, scrolls, shownHeight }]) => {
      const top = Math.max(0, room() - shownHeight) / 2;
      const height = scrolls ? `${room() / zoom}px` : "auto";
      const over = scrolls ? "auto" : "visible";
      return `.${name}.${name} { zoom: ${zoom}; width: ${width / zoom}px !important; height: ${height} !important; top: ${top / zoom}px; overflow-y: ${over} !important; }`;
    });
    if (screen.shown) rules.push(`.${screen.shown}.${screen.shown} { opacity: 1; pointer-events: auto; z-index: 1; }`);
    const text = rules.join("\n");
    if (text !== sheet.textContent) sheet.textContent = text;
  }

  function stop() {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    sizes.disconnect();
    page.disconnect();
    window.removeEventListener("resize", soon);
    sheet.remove();
  }

  const nameOf = (view) => [...view.classList].find((it) => it.startsWith(VIEW));
  const room = () => window.innerHeight - bar.getBoundingClientRect().height;
  return screen;
}
