"""Chapter 12: one decoder, two kinds of text: what was kept, what was corrected, and how much the seeds scatter."""

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.decoding.trace import PairInfo, Trace
from ui import engine, figures_texts, runs, texts, visit
from ui.chapter import Chapter, aside
from ui.clocks import MEASURED, timeline
from ui.components.token_strip import StripToken, token_strip
from ui.content import ChapterText, Prompt
from ui.figures import show
from ui.page import tell_unreadable
from ui.request_bar import MAX_SEED, MAX_TEMPERATURE, seed_control, temperature_control
from ui.runs import BothWays
from ui.texts import CLASSES, MODEL_C, PRICE, Class, Settings
from ui.words import count, ended_early, times

PAGE = "text"
PRICES = {"measured": "Measured times", "model": f"Counted calls, c = {MODEL_C}"}
EVERY = visit.Control("every", 0, visit.whole(0, 1))


@dataclass(frozen=True)
class Shown:
    """One side of the picture: a text, run both ways."""

    side: Class
    prompt: Prompt
    alone: Trace
    together: Trace
    both: BothWays


def stage(chapter: Chapter) -> None:
    with chapter.view("texts"):
        settings, price = bar(chapter.text)
        columns = st.columns(2, gap="large")
        chosen = [choose(column, side) for column, side in zip(columns, CLASSES, strict=True)]
        if not engine.loading_panel():
            return
        shown = [side_runs(*each, settings) for each in zip(columns, CLASSES, chosen, strict=True)]
        whole = [each for each in shown if each]
        for column, each in zip(columns, shown, strict=True):
            with column:
                if each:
                    side(each, whole, price)
        if len(whole) < 2:
            return
    with chapter.view("spread"):
        spreads(whole, settings, price)


def bar(chapter: ChapterText) -> tuple[Settings, str]:
    """What both sides share, and the clock."""
    heat, grain = temperature_control(chapter.temperature), seed_control(chapter.seed)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="text-bar"):
        degrees = st.slider(
            "Temperature", 0.0, MAX_TEMPERATURE, step=0.1, format="%.1f", width=210, **visit.bind(heat, PAGE)
        )
        seed = st.number_input("Seed", 0, MAX_SEED, step=1, width=130, **visit.bind(grain, PAGE))
        st.button(
            "Run again with a new seed",
            key="text-again",
            icon=":material/casino:",
            on_click=visit.choose,
            args=(grain, (seed + 1) % (MAX_SEED + 1)),
        )
        price = st.segmented_control(
            "Clock",
            list(PRICES),
            format_func=lambda p: PRICES[p],
            required=True,
            help="Measured: this machine's own call times. Counted: a target pass costs 1, a draft step 0.15.",
            **visit.bind(PRICE, PAGE),
        )
    tell_unreadable(heat, grain, PRICE, *(c.control for c in CLASSES))
    return Settings(degrees, seed, chapter.gamma, chapter.length), str(price)


def choose(column: DeltaGenerator, side: Class) -> Prompt:
    """The choice of a side's text."""
    by_id = {p.id: p for p in side.prompts}
    with column:
        chosen = st.selectbox(
            f"{side.title} text",
            list(by_id),
            format_func=lambda i: f"{by_id[i].kind} · {by_id[i].label}",
            **visit.bind(side.control, PAGE),
        )
        prompt = by_id[chosen]
        with aside(f"prompt-{side.name}"):
            st.caption(f"“{prompt.text}”" if prompt.chat else f"Carried on: “{prompt.text}”")
    return prompt


def side_runs(column: DeltaGenerator, side: Class, prompt: Prompt, settings: Settings) -> Shown | None:
    """A side's text both ways; None while there is nothing to compare (the page says why)."""
    with column:
        together = engine.run(settings.request(prompt), f"text-{side.name}")
        alone = together and engine.run(settings.alone(prompt), f"text-{side.name}-alone")
        if not together or not alone:
            return None
        both = runs.compared(alone, together)
        if both is None:
            st.info("This answer is one token long, so it cannot be timed: choose another text or seed.")
            return None
    return Shown(side, prompt, alone, together, both)


def side(shown: Shown, whole: list[Shown], price: str) -> None:
    """One side: the text with its marks, the figures, the clocks, the entropies."""
    lane = timeline(shown.together, MEASURED)
    token_strip(
        [StripToken(t.text, t.state, t.tip, t.group) for t in lane.tokens if t.delivered],
        key=f"text-strip-{shown.side.name}",
        label=f"{shown.side.title} text: kept guesses, corrections, bonus tokens",
        selectable=False,
    )
    if remark := ended_early(shown.together, "the target", "token"):
        st.caption(remark)
    run = shown.both.speculative
    with st.container(horizontal=True, gap="medium"):
        for label, value in (
            ("Acceptance rate α̂", f"{run.alpha_hat:.2f}" if run.alpha_hat is not None else "–"),
            ("Tokens a round τ", f"{run.tau:.2f}"),
            ("Corrections", str(sum(m.state == "correction" for m in texts.moments(shown.together)))),
            ("Speed-up", times(texts.gain(shown.both, price))),
        ):
            st.metric(label, value, width="content")
    clocks(shown, whole, price)
    written = [texts.moments(each.together) for each in whole]
    highest = max(m.entropy for each in written for m in each)
    mine = written[whole.index(shown)]
    show(
        figures_texts.entropy_strip(mine, highest),
        f"text-entropy-{shown.side.name}",
        alt="The target’s entropy at each token of the text",
    )
    st.caption(texts.entropy_words(mine))


def clocks(shown: Shown, whole: list[Shown], price: str) -> None:
    """The same number of tokens by standard decoding and by draft-and-verify."""
    pairs = [texts.clocks(each.both, price) for each in whole]
    mine = pairs[whole.index(shown)]
    unit = "s" if price == "measured" else "target passes"
    c = MODEL_C if price == "model" else shown.both.speculative.c_hat
    price_words = f", a draft step costs {c:.2f} target passes" if c is not None else ""
    st.caption(
        f"Time of {count(shown.both.speculative.tokens, 'token')} after the first"
        f"{' in target passes' if price == 'model' else ', measured'}{price_words}"
    )
    show(
        figures_texts.clock_bars(*mine, unit, max(max(pair) for pair in pairs)),
        f"text-clock-{shown.side.name}",
        alt=f"Standard {mine[0]:.2f}, draft and verify {mine[1]:.2f} {unit}",
    )


def spreads(whole: list[Shown], settings: Settings, price: str) -> None:
    """What the seeds give: at least five of each text in hand, and all other texts of the visit."""
    st.subheader("Again and again: five seeds", anchor=False)
    pair = whole[0].together.pair
    picture = st.container()
    hand = [each.prompt for each in whole]
    rest = [p for each in CLASSES for p in each.prompts if p not in hand]
    more(pair, settings, hand, rest)
    now = [texts.spread(pair, settings, each.prompt, each.both.standard) for each in whole]
    tried = [other for p in rest if (other := texts.spread(pair, settings, p)).pairs]
    with picture:
        st.markdown(texts.verdict(now[0], now[1], price))
        show(figures_texts.spread_figure([*now, *tried], price, settings.seed), "text-spread")
        with aside("spread-note"):
            st.caption(
                "Every dot is one run with a seed of its own. A ring marks the runs above, a stroke the mean. "
                f"γ = {settings.gamma}, temperature {settings.temperature:g}, at most {settings.length} tokens. "
                "“Run again” adds a dot to both rows. Standard decoding is timed once for each text in hand."
            )
        if words := texts.classes_words([*now, *tried]):
            st.markdown(words)


def more(pair: PairInfo, settings: Settings, hand: list[Prompt], rest: list[Prompt]) -> None:
    """Make the runs that are missing, one after the other; each adds a dot."""
    every = visit.value(EVERY, PAGE) == 1
    wanted = texts.missing(pair, settings, hand, settings.seeds)
    others = texts.missing(pair, settings, rest, settings.seeds[:1])
    for request in wanted + others * every:
        if engine.run(request, "text-more") is None:
            break
    if others and not every:
        st.button(
            "Try every other text once",
            key="text-every",
            icon=":material/playlist_play:",
            on_click=visit.choose,
            args=(EVERY, 1),
        )


Chapter(12).show(stage)
