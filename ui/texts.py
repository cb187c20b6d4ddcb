"""Chapter 12: the same decoder over a predictable and a free text, and what five seeds say about the difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from core.decoding.request import DecodeRequest
from core.decoding.rounds import Choice
from core.decoding.trace import PairInfo, Trace
from ui import content, runs, visit
from ui.content import Prompt
from ui.palette import State
from ui.request_bar import MAX_SEED
from ui.runs import BothWays, Run
from ui.words import count, times

SEEDS = 5
"""Seeds of each text that a visitor sees at least."""
MODEL_C = 0.15
"""The price of a draft step, in target passes, where this machine's own is not wanted."""
CLEAR = 2.31
"""Standard errors by which two means of five seeds differ in 5 of 100 cases by chance (Student's t, 8 degrees)."""


@dataclass(frozen=True)
class Class:
    """A class of texts, and which of them stands on its side at first."""

    name: str
    title: str
    kinds: tuple[str, ...]
    first: str

    @property
    def prompts(self) -> list[Prompt]:
        """The curated prompts of the class."""
        return [p for p in content.prompts() if p.kind in self.kinds]

    @property
    def control(self) -> visit.Control[str]:
        """Which of them is looked at."""
        return visit.Control(self.name, self.first, visit.one_of(*(p.id for p in self.prompts)))


PREDICTABLE = Class("predictable", "Predictable", ("Code", "JSON", "Letter", "Repeat", "Translation"), "loop")
FREE = Class("free", "Free", ("Poem", "Story"), "autumn")
CLASSES = (PREDICTABLE, FREE)
PRICE = visit.Control("price", "measured", visit.one_of("measured", "model"))


@dataclass(frozen=True)
class Settings:
    """What both sides share; `length` in tokens."""

    temperature: float
    seed: int
    gamma: int
    length: int

    def request(self, prompt: Prompt, seed: int | None = None) -> DecodeRequest:
        """A text by draft-and-verify, with the seed in hand unless another one is given."""
        return DecodeRequest(
            prompt.text,
            chat=prompt.chat,
            gamma=self.gamma,
            temperature=self.temperature,
            seed=self.seed if seed is None else seed,
            max_new_tokens=self.length,
        )

    def alone(self, prompt: Prompt) -> DecodeRequest:
        """The same text by standard decoding."""
        return replace(self.request(prompt), method="standard")

    @property
    def seeds(self) -> list[int]:
        """The seed in hand and those after it."""
        return [(self.seed + i) % (MAX_SEED + 1) for i in range(SEEDS)]


def clocks(both: BothWays, price: str) -> tuple[float, float]:
    """The time of a run's tokens by standard decoding and by draft-and-verify.

    In measured seconds, or for the price "model" by counting calls: a target pass costs 1, a draft step `MODEL_C`,
    and nothing else takes time.
    """
    run = both.speculative
    if price == "model":
        return run.tokens, run.rounds + MODEL_C * run.drafted
    return both.standard.seconds_per_token * run.tokens, run.seconds


def gain(both: BothWays, price: str) -> float:
    """The speed-up on the chosen clock."""
    alone, together = clocks(both, price)
    return alone / together


@dataclass(frozen=True)
class Moment:
    """A token of the text: how it got there, and the target's entropy (nats) at its place."""

    text: str
    state: State
    entropy: float


def moments(trace: Trace) -> list[Moment]:
    """Every token of a run's text, in order."""
    pieces = iter(trace.pieces)
    return [Moment(next(pieces, text), state, entropy) for text, state, entropy in _written(trace)]


def _written(trace: Trace) -> Iterator[tuple[str, State, float]]:
    yield trace.prefill.choice.text, "plain", trace.prefill.choice.entropy
    for r in trace.rounds:
        yield from ((x.text, "kept", x.entropy_p) for x in r.positions if x.accepted)
        if r.final:
            yield r.final.text, _state(r.final), r.final.entropy


def _state(choice: Choice) -> State:
    return "correction" if choice.kind == "correction" else "bonus" if choice.kind == "bonus" else "plain"


def entropy_words(written: Sequence[Moment]) -> str:
    """The target's mean entropy where guesses were kept and where one was corrected."""
    by_state = {state: [m.entropy for m in written if m.state == state] for state in ("kept", "correction")}
    if not any(m.entropy for m in written):
        return "At temperature 0 the target has one choice everywhere: every entropy is 0."
    told = [
        f"{fmean(values):.1f} nats where {words}"
        for state, words in (("kept", "a guess was kept"), ("correction", "one was corrected"))
        if (values := by_state[state])
    ]
    return f"Mean entropy: {', '.join(told)}." if told else "No guess was examined here."


@dataclass(frozen=True)
class Spread:
    """A text's runs, one a seed, each beside standard decoding of the text."""

    prompt: Prompt
    pairs: tuple[BothWays, ...]

    @property
    def free(self) -> bool:
        return self.prompt.kind in FREE.kinds

    @property
    def name(self) -> str:
        return f"{self.prompt.kind} · {self.prompt.label}"

    @property
    def alphas(self) -> list[float]:
        return [both.speculative.alpha_hat or 0.0 for both in self.pairs]

    def gains(self, price: str) -> list[float]:
        return [gain(both, price) for both in self.pairs]


def spread(pair: PairInfo, settings: Settings, prompt: Prompt, alone: Run | None = None) -> Spread:
    """The visit's runs of a text with these settings, by any seed.

    Args:
        alone: the text's standard run; the pair's usual pace where None.
    """
    seeds = sorted({run.seed for run in runs.RUNS.held().values() if run.prompt == prompt.id})
    found = [runs.found(pair, settings.request(prompt, seed)) for seed in seeds]
    drafted = [run for run in found if run and run.alpha_hat is not None]
    standard = alone or runs.usual(runs.pair_name(pair))
    return Spread(prompt, tuple(BothWays(standard, run) for run in drafted) if standard else ())


def missing(pair: PairInfo, settings: Settings, prompts: Sequence[Prompt], seeds: Sequence[int]) -> list[DecodeRequest]:
    """The requests that the visit has no run of yet, seed by seed."""
    wanted = [settings.request(prompt, seed) for seed in seeds for prompt in prompts]
    return [request for request in wanted if runs.found(pair, request) is None]


def verdict(predictable: Spread, free: Spread, price: str) -> str:
    """Whether the rule of thumb holds for two texts, by their runs."""
    easy, hard = predictable.alphas, free.alphas
    if min(len(easy), len(hard)) < 2:
        return "One run of each says little: wait for the other seeds."
    apart = fmean(easy) - fmean(hard)
    clear = abs(apart) > CLEAR * ((stdev(easy) ** 2 / len(easy) + stdev(hard) ** 2 / len(hard)) ** 0.5)
    if not clear:
        head = "**No clear difference here.** The seeds scatter more than these two texts differ."
    elif apart > 0:
        head = "**The rule of thumb holds for these two.** The predictable text is guessed better."
    else:
        head = "**The rule of thumb fails here.** On this pair the free text of the two is guessed better."
    return f"{head} {_figures(predictable, price)}; {_figures(free, price)}."


def _figures(told: Spread, price: str) -> str:
    a, s = told.alphas, told.gains(price)
    return (
        f"*{told.prompt.label}*: α̂ from {min(a):.2f} to {max(a):.2f}, on average {fmean(a):.2f}, and {times(fmean(s))} "
        f"as fast as standard decoding ({count(len(a), 'seed')})"
    )


def classes_words(tried: Sequence[Spread]) -> str | None:
    """What all texts that were tried say of the two classes, and which kinds do not keep to the rule of thumb."""
    easy = [fmean(s.alphas) for s in tried if s.pairs and not s.free]
    hard = [fmean(s.alphas) for s in tried if s.pairs and s.free]
    if len(easy) < 2 or len(hard) < 2:
        return None
    mean_easy, mean_hard = fmean(easy), fmean(hard)
    means = (
        f"{count(len(easy), 'predictable text')} with a mean α̂ of {mean_easy:.2f}, "
        f"{count(len(hard), 'free text')} with {mean_hard:.2f}."
    )
    if mean_easy > mean_hard:
        head = "By class, the rule of thumb holds in this visit:"
        odd = [s for s in tried if s.pairs and not s.free and fmean(s.alphas) < mean_hard]
        side, mean = "Against it, below the free texts’", mean_hard
    else:
        head = "**By class, the rule of thumb fails on this pair:**"
        odd = [s for s in tried if s.pairs and s.free and fmean(s.alphas) > mean_easy]
        side, mean = "Most of all, above the predictable texts’", mean_easy
    against = ", ".join(f"*{s.name}* ({fmean(s.alphas):.2f})" for s in odd)
    return f"{head} {means}" + (f" {side} mean of {mean:.2f}: {against}." if odd else "")
