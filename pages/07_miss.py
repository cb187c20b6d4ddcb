"""Chapter 7: four ways to replace a dropped guess, drawn many times at one real position."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from core.decoding.trace import Trace
from core.measure.exactness import Replacement, chi_square, output_distribution, residual, tv, tv_band
from core.measure.toy import MOST, Handful, Rounds, handful, play, read_back, with_share, written_out
from ui import engine, tour, visit
from ui.chapter import Chapter, aside, side_by_side
from ui.components.chart import Clicked
from ui.figures import show
from ui.figures_toys import Split, distance, outputs, split_bars
from ui.request_bar import MAX_SEED, request_bar
from ui.toy_words import noise_words, outcome_words, output_formula, residual_formula
from ui.toys import CHECKPOINTS, Place, noise_bands, places, seen_distances
from ui.words import visible

RULES: dict[Replacement, str] = {
    "residual": "Draw from the residual",
    "target": "Draw from p",
    "argmax": "Take p's first choice",
    "keep": "Keep the guess anyway",
}
TESTS = (1000, 10_000, 100_000, MOST)
LOCATION = visit.Control("location", 1, visit.whole(1, 999))
SHARES = visit.Control("shares", "", visit.text)
TOKEN = visit.Control("token", 1, visit.whole(1, 6))
RULE = visit.Control("instead", "residual", visit.one_of(*RULES))
DRAWN = visit.Control("draws", 1000, visit.whole(0, MOST))
SEED = visit.Control("draw_seed", 1, visit.whole(0, MAX_SEED))
TEST_AT = visit.Control("test_at", TESTS[1], lambda text: next((n for n in TESTS if str(n) == text), None))


def stage(chapter: Chapter) -> None:
    request = request_bar("miss", chapter.text)
    if request is None or not engine.loading_panel():
        return
    asked = replace(request, gamma=chapter.text.gamma, max_new_tokens=chapter.text.length)
    trace = engine.run(asked, "miss-run")
    if trace is None:
        return
    found = places(trace)
    if not found:
        st.info("This answer is too short for a guess: choose another prompt or seed.")
        return
    with aside("place"):
        place = choose_place(trace, found)
    real = handful(place.position)
    few = read_back(real, visit.value(SHARES, "miss")) or real
    wrong, right = (tv(written(few, rule), np.array(few.p)) for rule in ("target", "residual"))
    revealed = chapter.predict(facts={"wrong_tv": f"{wrong:.3f}", "right_tv": f"{right:.3f}" if right > 1e-9 else "0"})
    chosen, seen = side_by_side([1, 1])
    with chosen:
        picture(few, revealed)
        with aside("handful"):
            if few == real:
                st.caption(
                    f"Cut to these few, p and q overlap by β = {few.beta:.2f}; over all tokens by "
                    f"{place.position.beta:.2f}. Tokens that are lumped together hide their differences."
                    + (" r is the residual." if revealed else "")
                )
            edit(real, few)
    if revealed:
        with chosen:
            rule = instead(few)
            with aside("compare"):
                st.markdown("#### Draw, and compare with p")
            drawn, test_at = controls()
        with seen:
            draws(few, rule, drawn, test_at)
    else:
        st.caption("The ways to replace a dropped guess, and the draws, wait for your prediction.")


def choose_place(trace: Trace, found: list[Place]) -> Place:
    """Which guess of the run it is about, and the beginning it stood after."""
    at = min(visit.value(LOCATION, "miss"), len(found))
    st.session_state["miss:place"] = at
    st.selectbox(
        "Position: a guess of the draft",
        range(1, len(found) + 1),
        key="miss:place",
        format_func=lambda n: f"{n} of {len(found)} · after “…{found[n - 1].before[-30:]}”".replace("\n", "↵"),
        on_change=visit.take,
        args=(LOCATION, "miss:place", at),
        width=460,
    )
    place = found[at - 1]
    prompt = trace.request.prompt if not trace.request.chat else f"{trace.request.prompt}\n⏎\n"
    st.code(f"{prompt}{place.before}▁", language=None, wrap_lines=True)
    return place


def written(few: Handful, rule: Replacement) -> np.ndarray:
    return output_distribution(np.array(few.p), np.array(few.q), rule)


def picture(few: Handful, revealed: bool) -> None:
    """p and q of the handful; where they agree and what is left over, once there was a prediction."""
    rows = [Split.of(name, p, q) for name, p, q in zip(few.names, few.p, few.q, strict=True)]
    left = residual(np.array(few.p), np.array(few.q)).tolist() if few.beta < 1 else None
    named = ", ".join(f"{visible(r.name)} p {r.p:.2f} q {r.q:.2f}" for r in rows)
    show(split_bars(rows, parts=revealed, replacement=left if revealed else None), "miss-split",
         alt=f"Each token's probability under the target and the draft: {named}.", on_click=take_token)  # fmt: skip


def take_token(point: Clicked) -> None:
    """The token whose bar was clicked is the one in hand: bars of a token lie around its whole number."""
    visit.choose(TOKEN, round(float(point.y)) + 1)


def edit(real: Handful, few: Handful) -> None:
    """The token in hand, and its shares by hand."""
    names = [visible(name) for name in few.names]
    at = min(visit.value(TOKEN, "miss"), len(names)) - 1
    st.session_state["miss:token"] = at
    st.segmented_control(
        "Token in hand (or click a bar)",
        range(len(names)),
        key="miss:token",
        required=True,
        format_func=lambda i: names[i],
        on_change=lambda: visit.choose(TOKEN, st.session_state["miss:token"] + 1),
    )
    with st.expander("Change p and q by hand", icon=":material/tune:"):
        st.caption("Set the share of the token in hand. All others grow or shrink in proportion, so the sum stays 1.")
        for column, side, who in zip(st.columns(2), ("p", "q"), ("target", "draft"), strict=True):
            key = f"miss:{side}"
            st.session_state[key] = float(getattr(few, side)[at])
            label = f"{side}({names[at]}): the {who}'s share"
            column.slider(
                label, 0.0, 1.0, step=0.001, format="%.3f", key=key, on_change=partial(set_share, real, few, at)
            )
        edited = few != real
        st.button("Back to the real p and q", disabled=not edited, on_click=visit.choose, args=(SHARES, ""))
        if edited:
            st.caption("These are your numbers now, not the pair's.")


def set_share(real: Handful, few: Handful, at: int) -> None:
    p, q = (with_share(getattr(few, side), at, st.session_state[f"miss:{side}"]) for side in ("p", "q"))
    visit.choose(SHARES, written_out(real, p, q))


def instead(few: Handful) -> Replacement:
    """The rule after a miss, and what it makes of the token in hand."""
    st.markdown("#### After a miss, what is written?")
    rule: Replacement = st.segmented_control(
        "Rule after a miss",
        list(RULES),
        format_func=lambda r: RULES[r],
        required=True,
        label_visibility="collapsed",
        **visit.bind(RULE, "miss"),
    )
    at = min(visit.value(TOKEN, "miss"), len(few.names)) - 1
    p, q = np.array(few.p), np.array(few.q)
    share, out = few.p[at], float(written(few, rule)[at])
    with aside("formulas"):
        left, right = st.columns(2, gap="large")
    with left:
        st.latex(residual_formula(p, q, at))
        st.caption(f"The residual's share of “{visible(few.names[at])}”: what p wants more of, made to sum to 1.")
    with right:
        st.latex(output_formula(p, q, at, rule))
        equal = "equal" if abs(out - share) < 5e-4 else "**not** equal"
        st.caption(f"How often it is written under this rule. The target's p is {share:.3f}: {equal}.")
    return rule


def draws(few: Handful, rule: Replacement, drawn: int, test_at: int) -> None:
    """Many draws under the rule, what came out, and the test at a number fixed beforehand."""
    rounds = play(few.p, few.q, rule, drawn, visit.value(SEED, "miss"))
    p, exact = np.array(few.p), written(few, rule)
    left, right = (st.container(), st.container()) if tour.on() else st.columns(2, gap="medium")
    with left:
        st.markdown(f"**{drawn:,} draws.** What was written, beside p")
        counted = rounds.output() / max(1, drawn)
        show(outputs(few.names, few.p, exact.tolist(), counted.tolist()), "miss-output")
    with right:
        st.markdown("**Distance from p** (total variation), draw by draw")
        show(distance(CHECKPOINTS, noise_bands(few.p), seen_distances(rounds, p), tv(exact, p)), "miss-distance")
    if drawn:
        band = tv_band(p, drawn)
        with aside("noise"):
            st.markdown(noise_words(tv(counted, p), band.low, band.high, band.level, drawn))
    verdict(rounds, p, test_at)


def controls() -> tuple[int, int]:
    """Buttons that draw, the seed, and the number of draws that the test waits for."""
    drawn, test_at = visit.value(DRAWN, "miss"), visit.value(TEST_AT, "miss")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for more in (1, 1000, 100_000):
            st.button(f"Draw {more:,}", on_click=visit.choose, args=(DRAWN, min(MOST, drawn + more)))
        st.button(f"Draw up to the test at {test_at:,}", type="primary", disabled=drawn >= test_at,
                  on_click=visit.choose, args=(DRAWN, test_at))  # fmt: skip
        st.button("Start over", on_click=start_over, icon=":material/restart_alt:",
                  help="Forgets the draws and takes the next seed.")  # fmt: skip
    with aside("test"), st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        key = "miss:test_at"
        st.session_state[key] = test_at
        st.segmented_control(
            "Test after this many draws, fixed beforehand",
            TESTS,
            key=key,
            required=True,
            format_func=lambda n: f"{n:,}",
            help="Another number starts over: a test fixed after looking is no test.",
            on_change=fix_test,
        )
        st.number_input("Seed of the draws", 0, MAX_SEED, step=1, width=180, **visit.bind(SEED, "miss"))
    return drawn, test_at


def fix_test() -> None:
    visit.choose(TEST_AT, st.session_state["miss:test_at"])
    start_over()


def start_over() -> None:
    visit.choose(DRAWN, 0)
    visit.choose(SEED, (visit.value(SEED, "miss") + 1) % (MAX_SEED + 1))


def verdict(rounds: Rounds, p: np.ndarray, test_at: int) -> None:
    """The test's outcome, once the number of draws fixed beforehand is there."""
    if len(rounds) < test_at:
        st.info(f"**No verdict yet:** {len(rounds):,} of {test_at:,} draws.", icon=":material/hourglass_empty:")
    else:
        test = chi_square(rounds.output(test_at), p)
        passed, text = outcome_words(test, test_at)
        box, icon = (st.success, "check_circle") if passed else (st.error, "cancel")
        box(text, icon=f":material/{icon}:")
    with aside("meaning"), st.expander("What the verdict means"):
        st.markdown(
            "- The test is Pearson's χ² on the first draws, as many as were fixed beforehand. Draws after that do not "
            "change it.\n"
            "- The **p-value** is how often a rule that is exactly right would give a gap at least this wide, by "
            "chance alone. It is *not* the chance that the rule is right.\n"
            "- Below 1 % we say: not the target's distribution. So **one in a hundred right runs fails** too.\n"
            "- Looking again and again, and stopping at the first alarm, gives far more false alarms than 1 %. That is "
            "why nothing is judged before the number fixed beforehand.\n"
            "- A pass is no proof: it says that so many draws show no difference."
        )


Chapter(7).show(stage)
