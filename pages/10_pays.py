"""Chapter 10: the speed-up on paper, played with dice, and measured."""

from dataclasses import replace

import streamlit as st

from core.theory.simulation import survival_band
from ui import engine, figures_pays, pays, runs, tour, visit
from ui.chapter import Chapter, aside, side_by_side
from ui.content import ChapterText
from ui.figures import STYLE, Plain, show
from ui.page import tell_unreadable
from ui.pays import ALPHA, DRAW, GAMMA, MOST_GAMMA, NUMBERS_OF_ROUNDS, ROUNDS, C, Dot, Model
from ui.request_bar import gamma_slider, request_bar
from ui.runs import BothWays
from ui.words import share, times

MAP = visit.Control("map", "set", visit.one_of("set", "best"))
MAPS = {"set": "at your γ", "best": "at the best γ for each point"}
SOURCE = (
    "The formula is from Leviathan, Kalman & Matias, *Fast Inference from Transformers via Speculative Decoding*, "
    "2023 (arXiv 2211.17192). It assumes that every guess is kept with the same chance α, whatever happened to the "
    "others, that a check of γ + 1 positions costs as much as a pass over one, and that nothing else takes time. "
    "Real text keeps to none of these. Read the curves as **shapes, not promises**: where the best γ lies, "
    "which way a change pushes, where drafting stops to pay."
)


def stage(chapter: Chapter) -> None:
    top = st.container()
    with aside("runs"):
        both = measured_runs(chapter.text)
    told = chapter.predict(facts=pays.question_facts())
    hand = next(iter(pays.dots([both])), None) if both else None
    drafted = [b for b in runs.both_ways() if b.speculative.plain]
    others = pays.dots([b for b in drafted if not both or (b.pair == both.pair and b != both)])
    with top:
        on_paper(hand, others, told)
        with aside("options"):
            options(told)
    with aside("measured"):
        if both and hand:
            measurement(both, hand)
        st.markdown("##### Where the formula comes from")
        st.markdown(SOURCE)


@st.fragment
def on_paper(hand: Dot | None, others: list[Dot], told: bool) -> None:
    """Everything that follows the sliders, and nothing else: a moved slider runs this alone again."""
    numbers, pictures = side_by_side([1, 2])
    with numbers:
        model = sliders(hand)
    if not told and pays.gives_away(model):
        st.info(
            "These numbers lie close to those of the question above. Answer or skip it first, then look.",
            icon=":material/lock:",
        )
        return
    with pictures if tour.on() else numbers:
        on_the_formulas(model)
    with numbers:
        verdict(model)
    if not told:
        speedup_curve(model, hand, others)
        st.caption("A map of all α and c would answer the question above. It waits for your prediction.")
        return
    left, right = pictures.columns([11, 9], gap="medium")
    with left:
        speedup_curve(model, hand, others)
    with right:
        speedup_map(model, hand, others)


def sliders(hand: Dot | None) -> Model:
    """The three made-up numbers, and a button that sets them to the measured ones."""
    tell_unreadable(ALPHA, C, GAMMA, ROUNDS, DRAW, MAP)
    with st.container(border=True, key="pays-model"):
        top = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
        top.caption("Model: these three numbers are made up. Move them.", width="content")
        # Where the tour has the pictures beside them, the sliders stand one below the other.
        left, middle, right = (
            (st.container(), st.container(), st.container()) if tour.on() else st.columns(3, gap="medium")
        )
        alpha = left.slider("Acceptance rate α (model)", 0.0, 1.0, step=0.01, **visit.bind(ALPHA, "pays"))
        c = middle.slider("Cost ratio c (model)", 0.0, 1.0, step=0.01, **visit.bind(C, "pays"))
        gamma = right.slider("Draft length γ (model)", 1, MOST_GAMMA, **visit.bind(GAMMA, "pays"))
        if hand:
            top.button(
                "Set the sliders to the measured values",
                key="pays-set",
                icon=":material/straighten:",
                on_click=set_sliders,
                args=(hand.model,),
            )
    return Model(alpha, c, gamma)


def set_sliders(measured: Model) -> None:
    nearest = pays.on_sliders(measured)
    visit.choose(ALPHA, nearest.alpha)
    visit.choose(C, nearest.c)
    visit.choose(GAMMA, nearest.gamma)


def on_the_formulas(model: Model) -> None:
    """The formulas with the current numbers."""
    labels = ("Tokens a round", "Cost of a round", "Speed-up")
    for column, label, formula in zip(st.columns([12, 10, 9], gap="small"), labels, pays.formulas(model), strict=True):
        column.caption(label)
        column.latex(formula)


def verdict(model: Model) -> None:
    """Faster or slower, and the best γ."""
    say = st.success if model.speed_up > 1 + pays.EVEN else st.error if model.speed_up < 1 - pays.EVEN else st.info
    icon = ":material/trending_up:" if model.speed_up > 1 else ":material/trending_down:"
    say(f"{pays.verdict(model)} {pays.advice(model)}", icon=icon)


def speedup_curve(model: Model, hand: Dot | None, others: list[Dot]) -> None:
    st.markdown("##### Speed-up over the draft length")
    rounds, seed = visit.value(ROUNDS, "pays"), visit.value(DRAW, "pays")
    show(roomy(figures_pays.speedup_over_gamma(model, pays.play(model, rounds, seed), hand, others)), "pays-curve")
    with aside("crosses"):
        st.caption(
            f"Crosses: {rounds:,} rounds played with dice at each γ (seed {seed}). Band: their 95 % confidence "
            f"interval. Of {MOST_GAMMA} such intervals one misses the line on average, by chance alone."
        )


def roomy(picture: Plain) -> Plain:
    """On the tour the pictures are narrow, so their legends have several rows: room for them above the axes."""
    if not tour.on():
        return picture
    layout = picture["layout"]
    taller = {"height": layout["height"] + 60, "margin": {"t": STYLE["margin"]["t"] + 70}}
    return {**picture, "layout": {**layout, **taller}}


def options(told: bool) -> None:
    """What is seldom changed, kept out of what a slider runs again: the dice, and which map is shown."""
    left, right = st.columns([11, 9], gap="medium")
    with left, st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        st.segmented_control(
            "Rounds played at each γ",
            NUMBERS_OF_ROUNDS,
            format_func=lambda n: f"{n:,}",
            required=True,
            **visit.bind(ROUNDS, "pays"),
        )
        seed = st.number_input("Seed of the dice", 0, 999_999, step=1, width=180, **visit.bind(DRAW, "pays"))
        st.button(
            "Play again", icon=":material/casino:", key="pays-again", on_click=visit.choose, args=(DRAW, seed + 1)
        )
    if told:
        right.segmented_control(
            "Speed-up over α and c",
            list(MAPS),
            format_func=lambda name: MAPS[name],
            required=True,
            **visit.bind(MAP, "pays"),
        )


def speedup_map(model: Model, hand: Dot | None, others: list[Dot]) -> None:
    st.markdown("##### The map")
    kind = visit.value(MAP, "pays")
    show(roomy(figures_pays.speedup_map(model, kind == "best", hand, others)), "pays-map")
    if kind == "best":
        st.caption("With the best γ everywhere the border is a straight line: drafting can pay exactly where α > c.")


def measured_runs(chapter: ChapterText) -> BothWays | None:
    """The pair on this machine, both ways; None while there is nothing to show (the page says why)."""
    st.markdown("##### The pair on this machine")
    request = request_bar("pays", chapter)
    gamma = gamma_slider("pays", chapter.gamma)
    if request is None or not engine.loading_panel():
        return None
    # γ means nothing to standard decoding: one run of it serves every γ.
    asked = replace(request, max_new_tokens=chapter.length)
    alone = engine.run(replace(asked, method="standard"), "pays-alone")
    together = alone and engine.run(replace(asked, gamma=gamma), "pays-together")
    if not alone or not together:
        return None
    both = runs.compared(alone, together)
    if not pays.dots([both] if both else []):
        st.info("This answer is too short to be timed: choose another prompt or seed.")
        return None
    return both


def measurement(both: BothWays, hand: Dot) -> None:
    """The measured figures and the way from the formula to them."""
    at = hand.model
    with st.container(horizontal=True, gap="medium"):
        for label, value in (
            ("Acceptance rate α̂", share(at.alpha)),
            ("Cost ratio ĉ", f"{at.c:.2f}"),
            ("Draft length γ", str(at.gamma)),
            ("Tokens a round τ", f"{both.speculative.tau:.2f}"),
            ("The formula says", times(at.speed_up)),
            ("Measured speed-up", times(hand.speed_up)),
        ):
            st.metric(label, value, width="content")
    if hand.speed_up < 1:
        st.warning("**Drafting was slower here.** On this text the pair would do better without it.")
    st.markdown("##### Why formula and measurement differ")
    latency = engine.latency("pays-latency")
    cost = pays.check_cost(both.speculative, latency) if latency else None
    steps = pays.way_to_measured(both, hand, cost)
    show(figures_pays.way_figure(steps), "pays-way")
    st.markdown(
        "\n".join(f"{i}. **{step.name}** ({times(step.speed_up)}). {step.why}" for i, step in enumerate(steps, 1))
    )
    if cost:
        st.markdown(pays.best_with_checks(hand, cost))
    if latency and not latency.steady:
        st.caption("The machine was busy while the curve of chapter 3 was measured, so its figure is rough.")
    independence(both)


def independence(both: BothWays) -> None:
    """The survival curve against what one α̂ for all positions would give."""
    run = both.speculative
    same = [
        r
        for r in runs.RUNS.held().values()
        if r.plain and (r.pair, r.method, r.gamma) == (run.pair, run.method, run.gamma)
    ]
    measured = pays.pooled(same)
    if measured is None:
        return
    st.markdown("##### Does each guess hold by itself?")
    low, high = survival_band(measured.alpha_hat, len(measured.survival), measured.rounds, seed=0)
    show(figures_pays.survival_figure(measured, low, high), "pays-survival")
    st.markdown(pays.independence_words(measured, run.gamma))


Chapter(10).show(stage)
