"""The workbench's controls, the run in hand, and the runs that can be held against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from core.decoding.request import DRAFTER_NAMES, MAX_BRANCHES, MAX_GAMMA, POLICY_NAMES, DecodeRequest
from core.decoding.trace import Trace
from core.spreadsheet import harmless
from ui import content, runs, visit
from ui.policies import CONTENDERS
from ui.request_bar import OWN, STYLE, TEXT, prompt_control, seed_control, temperature_control
from ui.runs import BothWays, Run
from ui.sources import SOURCES
from ui.words import times

PAGE = "lab_workbench.py"
PLACE = "workbench"
LONGEST = 512
"""Tokens that a run may write here."""
MOST_KEPT = 24

VIEWS = {"run": "Run", "sweep": "Sweep γ", "compare": "Compare", "file": "Open a trace"}
METHODS = {"speculative": "Draft and verify", "standard": "Target alone", "draft": "Draft alone"}
DRAFTERS: dict[str, str] = {source.drafter: source.title for source in SOURCES}
POLICIES: dict[str, str] = {c.policy: c.name for c in CONTENDERS if c.drafter == "draft"}
RULES = {"rejection": "Rejection", "coupled": "Coupled draws"}
TEMPLATES = {"prompt": "As meant", "on": "On", "off": "Off"}

# Names that no other page uses: a value chosen there would not make sense here, nor the other way round.
VIEW = visit.Control("bench", "run", visit.one_of(*VIEWS))
METHOD = visit.Control("bench-method", "speculative", visit.one_of(*METHODS))
DRAFTER = visit.Control("bench-drafter", "draft", visit.one_of(*DRAFTER_NAMES))
POLICY = visit.Control("bench-policy", "fixed", visit.one_of(*POLICY_NAMES))
GAMMA = visit.Control("bench-gamma", 4, visit.whole(1, MAX_GAMMA))
BRANCHES = visit.Control("bench-branches", 2, visit.whole(1, MAX_BRANCHES))
LENGTH = visit.Control("bench-length", 64, visit.whole(1, LONGEST))
TOP_K = visit.Control("bench-top-k", 0, visit.whole(0, 1000))
"""0 is off."""
TOP_P = visit.Control("bench-top-p", 1.0, visit.decimal(0.05, 1.0, 0.05))
"""1 is off."""
RULE = visit.Control("bench-rule", "rejection", visit.one_of(*RULES))
TEMPLATE = visit.Control("bench-template", "prompt", visit.one_of(*TEMPLATES))
DROPPED = visit.Control("bench-dropped", True, {"True": True, "False": False}.get)
CONTROLS = (VIEW, METHOD, DRAFTER, POLICY, GAMMA, BRANCHES, LENGTH, TOP_K, TOP_P, RULE, TEMPLATE, DROPPED)

_ASKED, _REPEATS, _KEPT = "workbench.asked", "workbench.repeats", "workbench.kept"

FIELDS = {
    "prompt": "Prompt",
    "chat": "Chat template",
    "method": "Method",
    "drafter": "Drafter",
    "policy": "Policy",
    "gamma": "γ",
    "branches": "Branches",
    "temperature": "Temperature",
    "top_k": "Top-k",
    "top_p": "Top-p",
    "max_new_tokens": "Length",
    "seed": "Seed",
    "rule": "Rule",
}
"""A request's fields in the order in which they are told."""
_WORDS = {"method": METHODS, "drafter": DRAFTERS, "policy": POLICIES, "rule": RULES}


def lab() -> content.Lab:
    """The lab's entry in the list of pages."""
    return next(lab for lab in content.labs() if lab.page == PAGE)


@dataclass(frozen=True)
class Asked:
    """What was asked for, and how often it has been asked for anew. `request` is None once it was stopped."""

    request: DecodeRequest | None
    repeat: int = 0


def asked(first: DecodeRequest | None) -> Asked:
    """What to run: at first what the controls say."""
    if _ASKED not in st.session_state and first is not None:
        ask(first)
    held: Asked = st.session_state.get(_ASKED, Asked(None))
    return held


def ask(request: DecodeRequest | None) -> None:
    """Ask for a run, or for none."""
    st.session_state[_ASKED] = Asked(request)


def ask_again(request: DecodeRequest) -> None:
    """Ask for a run to be made anew. Each time counts, so that none is taken for the one before."""
    number = st.session_state.get(_REPEATS, 0) + 1
    st.session_state[_REPEATS] = number
    st.session_state[_ASKED] = Asked(request, number)


def adopt(request: DecodeRequest) -> None:
    """Set the controls to what a request asks for, as far as they can say it, and go to the run they make."""
    prompt = prompt_control(content.default_prompt(lab()).id)
    curated = next((p for p in content.prompts() if p.text == request.prompt), None)
    if curated:
        meant = "prompt" if curated.chat == request.chat else "on" if request.chat else "off"
        visit.choose(TEMPLATE, meant)
    else:
        visit.choose(TEXT, request.prompt)
        visit.choose(STYLE, "message" if request.chat else "beginning")
    visit.choose(prompt, curated.id if curated else OWN)
    wanted: list[tuple[visit.Control[Any], object]] = [
        (temperature_control(lab().temperature), request.temperature),
        (seed_control(lab().seed), request.seed),
        (METHOD, request.method),
        (DRAFTER, request.drafter),
        (POLICY, request.policy),
        (GAMMA, request.gamma),
        (BRANCHES, request.branches),
        (LENGTH, request.max_new_tokens),
        (TOP_K, request.top_k or 0),
        (TOP_P, 1.0 if request.top_p is None else request.top_p),
        (RULE, request.rule),
    ]
    for control, value in wanted:
        nearest = control.parse(str(value))
        visit.choose(control, control.default if nearest is None else nearest)
    visit.choose(VIEW, "run")
    st.session_state.pop(_ASKED, None)


def simplest(request: DecodeRequest) -> DecodeRequest:
    """The request without what means nothing to its method: equal runs are then equal requests."""
    plain = DecodeRequest(request.prompt)
    if request.method != "speculative":
        return replace(request, drafter=plain.drafter, policy=plain.policy, gamma=plain.gamma, branches=plain.branches)
    return request if request.drafter == "tree" else replace(request, branches=plain.branches)


def standard(request: DecodeRequest) -> DecodeRequest:
    """The same text by the target alone: what a speed-up is measured against."""
    return simplest(replace(request, method="standard"))


@dataclass(frozen=True)
class Kept:
    """A run as the workbench remembers it: what was asked, the text, the figures. A whole trace would be too large.

    `run` is None for a text too short to be timed; `here` is False for a trace from a file, whose times may be
    another machine's.
    """

    number: int
    request: DecodeRequest
    pair: str
    pieces: tuple[str, ...]
    tokens: tuple[int, ...]
    run: Run | None
    here: bool = True

    @property
    def speed_up(self) -> float | None:
        """Against a standard run of the same text by the same pair, if this visit has made one."""
        if self.run is None or self.run.method == "standard" or not self.here:
            return None
        alone = [r for r in runs.RUNS.held().values() if r.method == "standard"]
        same = next((r for r in alone if (r.pair, r.asked) == (self.run.pair, self.run.asked)), None)
        return BothWays(same, self.run).speed_up if same else None


def timed(trace: Trace) -> Run | None:
    """A run in figures; None for a text too short to be timed."""
    return runs.summary(trace) if trace.seconds > 0 and len(trace.tokens) > 1 else None


def keep(trace: Trace, here: bool = True) -> None:
    """Remember a run. Equal requests are one run; the oldest go."""
    kept = _kept()
    name = (runs.pair_name(trace.pair), trace.request, here)
    number = kept[name].number if name in kept else 1 + max((k.number for k in kept.values()), default=0)
    kept[name] = Kept(number, trace.request, name[0], trace.pieces, tuple(trace.tokens), timed(trace), here)
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]


def kept() -> list[Kept]:
    """This visit's runs, oldest first."""
    return sorted(_kept().values(), key=lambda k: k.number)


def _kept() -> dict[tuple[str, DecodeRequest, bool], Kept]:
    held: dict[tuple[str, DecodeRequest, bool], Kept] = st.session_state.setdefault(_KEPT, {})
    return held


def label(k: Kept) -> str:
    """A run in a list."""
    r = k.request
    how = [METHODS[r.method]]
    if r.method == "speculative":
        how = [DRAFTERS[r.drafter], f"γ {r.gamma}", *([POLICIES[r.policy]] if r.policy != "fixed" else [])]
    where = [] if k.here else ["from a file"]
    heat = "greedy" if r.temperature == 0 else f"temperature {r.temperature:g}, seed {r.seed}"
    return " · ".join([str(k.number), *where, title(r), *how, heat])


def title(request: DecodeRequest) -> str:
    """The prompt in a few words."""
    found = next((p for p in content.prompts() if (p.text, p.chat) == (request.prompt, request.chat)), None)
    if found:
        return f"{found.kind}: {found.label}"
    words = " ".join(request.prompt.split())
    return words if len(words) <= 40 else words[:39] + "…"


def setting(request: DecodeRequest, name: str) -> str:
    """A field of a request in words."""
    value = getattr(request, name)
    if name == "prompt":
        # The table's own button makes a file of it, and a trace may be a stranger's.
        return harmless(value if len(value) <= 300 else value[:299] + "…")
    if value is None:
        return "off"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, float):
        return f"{value:g}"
    return _WORDS.get(name, {}).get(value, str(value))


def settings(requests: Sequence[DecodeRequest], only_different: bool = False) -> dict[str, list[str]]:
    """What the requests ask for, by the field's name in words."""
    rows = {title: [setting(r, name) for r in requests] for name, title in FIELDS.items()}
    same = [title for name, title in FIELDS.items() if len({getattr(r, name) for r in requests}) == 1]
    return {title: row for title, row in rows.items() if not (only_different and title in same)}


def figures(k: Kept) -> dict[str, str]:
    """A run's figures in words."""
    run = k.run
    none = "–"
    return {
        "Tokens": str(len(k.tokens)),
        "Acceptance rate α̂": none if run is None or run.alpha_hat is None else f"{run.alpha_hat:.2f}",
        "Tokens a pass τ": none if run is None else f"{run.tau:.2f}",
        "Cost ratio ĉ": none if run is None or run.c_hat is None else f"{run.c_hat:.2f}",
        "Time a token": none if run is None else f"{1000 * run.seconds_per_token:.1f} ms",
        "Speed-up": none if k.speed_up is None else times(k.speed_up),
    }
