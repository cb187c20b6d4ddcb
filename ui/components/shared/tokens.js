// Tokens as buttons: how their text, state, tip, legend and keyboard work in every component.
// Whatever a model or a person wrote reaches the page through textContent only.

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

const RIGHT_TO_LEFT = /[\u0591-\u07FF\u08A0-\u08FF\uFB1D-\uFDFD\uFE70-\uFEFC]/;
const LETTER = /\p{L}/u;

function directionOf(texts) {
  const first = texts.join("").match(LETTER);
  return first && RIGHT_TO_LEFT.test(first[0]) ? "rtl" : "ltr";
}

// A leading space becomes a gap, a new line becomes a sign and a real break (with the indent of the line
// that follows), other blanks become faint signs.
function splitText(text) {
  const gap = text.startsWith(" ");
  const indent = text.match(/\n([ \t]*)$/)?.[1] ?? null;
  const body = text.slice(gap ? 1 : 0, text.length - (indent?.length ?? 0));
  return { gap, body, indent, breakBefore: /^\s*\n[^]*\S/.test(text) };
}

function fillText(span, body) {
  if (body === "") span.append(make("span", "blank", "\u00b7"));
  for (const part of body.split(/(\n|\t|  +|^ +| +$)/)) {
    if (part === "") continue;
    if (part === "\n") span.append(make("span", "blank", "\u21b5"));
    else if (part === "\t") span.append(make("span", "blank", "\u2192"));
    else if (/^ +$/.test(part) && (part.length > 1 || part === body)) span.append(make("span", "blank", "\u00b7".repeat(part.length)));
    else span.append(part);
  }
}

// A guess that has not been checked keeps its figures, and with them its verdict, to itself.
const figuresOf = (token, state) => (state === "pending" ? [] : token.tip);

function describe(token, index, noun, state) {
  const look = LOOKS[state];
  const figures = figuresOf(token, state).map(([label, value]) => `${label} ${value}`);
  const text = token.text.trim() === "" ? JSON.stringify(token.text) : `'${token.text.trim()}'`;
  return [`${noun} ${index + 1}`, text, look.word, ...figures].join(", ");
}

function tokenButton(token, index, noun) {
  const { body } = splitText(token.text);
  const button = make("button", "token");
  button.type = "button";
  button.tabIndex = -1;
  button.dataset.index = index;
  const text = make("span", "text");
  text.dir = "auto";
  fillText(text, body);
  const glyph = make("span", "glyph");
  glyph.ariaHidden = "true";
  button.append(text, glyph);
  setState(button, token, index, noun, token.state);
  return button;
}

function setState(button, token, index, noun, state) {
  button.dataset.state = state;
  button.lastChild.textContent = LOOKS[state].glyph;
  button.setAttribute("aria-label", describe(token, index, noun, state));
}

// Lays tokens out, with real line breaks and a small number where a new round begins. Tokens of one
// word stay on one line, unless they are too many for it. A dropped guess breaks no line.
function layTokens(box, tokens, noun) {
  box.replaceChildren();
  box.dir = directionOf(tokens.map((token) => token.text));
  let group = null;
  let word = null;
  return tokens.map((token, index) => {
    const { gap, indent, breakBefore } = splitText(token.text);
    const breaks = token.state !== "discarded";
    const button = tokenButton(token, index, noun);
    if (breakBefore && breaks) box.append(make("br"));
    if (gap) box.append(" ");
    if (!word || gap || breakBefore || word.textContent.length + token.text.length > 24) {
      word = make("span", "word");
      box.append(word);
    }
    if (token.group !== null && token.group !== group) word.append(roundMark(token.group, index));
    group = token.group;
    word.append(button);
    if (indent !== null && breaks) {
      box.append(make("br"), make("span", "indent", indent.replaceAll("\t", "    ")));
      word = null;
    }
    return button;
  });
}

function roundMark(group, first) {
  const mark = make("span", "round", String(group + 1));
  mark.ariaHidden = "true";
  mark.dataset.first = first;
  return mark;
}

function pressOnly(buttons, selected) {
  buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(index === selected)));
}

const canBeSeen = (node) => node.checkVisibility({ visibilityProperty: true });

// One tab stop for all tokens; arrow keys, Home and End move between those that can be seen.
function moveFocus(event, box) {
  const seen = [...box.querySelectorAll(".token")].filter(canBeSeen);
  const here = seen.indexOf(event.target.closest(".token"));
  const forward = box.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const back = box.dir === "rtl" ? "ArrowRight" : "ArrowLeft";
  let next;
  if (event.key === forward) next = here + 1;
  else if (event.key === back) next = here - 1;
  else if (event.key === "Home") next = 0;
  else if (event.key === "End") next = seen.length - 1;
  else if (event.key === "ArrowDown" || event.key === "ArrowUp") next = nextLine(seen, here, event.key === "ArrowDown");
  else return;
  event.preventDefault();
  event.stopPropagation();
  const target = seen[Math.min(Math.max(next, 0), seen.length - 1)];
  tabStop(box, target);
  target.focus();
}

function nextLine(seen, here, down) {
  const from = seen[here].getBoundingClientRect();
  const centre = (from.left + from.right) / 2;
  let best = here;
  let distance = Infinity;
  seen.forEach((button, index) => {
    const to = button.getBoundingClientRect();
    const lines = down ? to.top - from.bottom : from.top - to.bottom;
    if (lines < -2) return;
    const far = lines * 10 + Math.abs((to.left + to.right) / 2 - centre);
    if (far < distance) [best, distance] = [index, far];
  });
  return best;
}

function tabStop(box, button) {
  for (const other of box.querySelectorAll('.token[tabindex="0"]')) other.tabIndex = -1;
  if (button) button.tabIndex = 0;
}

// Keeps the tab stop where it can be reached.
function keepTabStop(box, buttons) {
  const stop = box.querySelector('.token[tabindex="0"]');
  if (!stop || !canBeSeen(stop)) tabStop(box, buttons.find(canBeSeen) ?? buttons[0]);
}

// One tip for all tokens of a component, in the browser's top layer so that nothing clips it.
function attachTip(root, tokenOf) {
  const tip = make("div", "tip");
  tip.popover = "manual";
  tip.ariaHidden = "true";
  root.append(tip);
  const show = (event) => {
    const button = event.target.closest?.(".token");
    if (!button) return;
    fillTip(tip, tokenOf(button), button.dataset.state);
    if (!tip.matches(":popover-open")) tip.showPopover();
    placeTip(tip, button.getBoundingClientRect());
  };
  const hide = () => tip.matches(":popover-open") && tip.hidePopover();
  root.addEventListener("mouseover", show);
  root.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && show(event));
  root.addEventListener("mouseout", hide);
  root.addEventListener("focusout", hide);
  return hide;
}

function fillTip(tip, token, state) {
  const head = make("div", "tip-head");
  const text = make("bdi", "tip-text");
  fillText(text, token.text);
  head.append(text, make("span", "tip-state", [LOOKS[state].glyph, LOOKS[state].word].join(" ").trim()));
  head.dataset.state = state;
  tip.replaceChildren(head);
  for (const [label, value] of figuresOf(token, state)) {
    const row = make("div", "tip-row");
    row.append(make("span", "", label), make("b", "", value));
    tip.append(row);
  }
}

function placeTip(tip, rect) {
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, rect.left + rect.width / 2 - width / 2), innerWidth - width - 8);
  const above = rect.top - height - 8;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 8 ? above : rect.bottom + 8}px`;
}

// Only the states that occur, each by a sample in its own shape and its word.
function fillLegend(box, states) {
  const named = Object.keys(LOOKS).filter((state) => states.has(state) && state !== "plain");
  box.hidden = named.length === 0;
  box.replaceChildren(
    ...named.map((state) => {
      const item = make("span", "legend-item");
      const sample = make("span", "token sample");
      sample.dataset.state = state;
      sample.append(make("span", "text", "word"), make("span", "glyph", LOOKS[state].glyph));
      sample.ariaHidden = "true";
      item.append(sample, LOOKS[state].word);
      return item;
    }),
  );
}
