"""The switches of the exactness lab in words: what each changes, and why the text stays or does not.

What they do in code stands in `core.measure.altered`, under the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Group = Literal["as shipped", "changes the text", "exact, only slower"]


@dataclass(frozen=True)
class Switch:
    """One alteration. `does` says what is changed, `why` why the output is, or is not, the target's own."""

    name: str
    group: Group
    title: str
    does: str
    why: str


SHIPPED = Switch(
    "shipped",
    "as shipped",
    "The rule as shipped",
    "Each guess stays with probability min(1, p/q). The first miss is replaced by a draw from the residual.",
    "Kept guesses hand out min(p, q) of the probability, and the residual exactly what is missing from p.",
)

SWITCHES: tuple[Switch, ...] = (
    SHIPPED,
    Switch(
        "argmax",
        "changes the text",
        "First choices, scored as if drawn",
        "The draft always writes its first choice, but q still says that the token was drawn.",
        "A token that always comes is kept as if it came in a share q of the cases: it comes out too often. "
        "Scored honestly, with all of q on the one token, first choices would be exact.",
    ),
    Switch(
        "raw-q",
        "changes the text",
        "q without its own warp",
        "The draft draws with temperature and top-k, but is scored with its probabilities before both.",
        "The rule divides by a q from which nothing was drawn, so guesses are kept too often or too rarely.",
    ),
    Switch(
        "raw-p",
        "changes the text",
        "The target's warp forgotten",
        "The draft's distribution is warped by temperature and top-k, the target's is not.",
        "The output follows the target at temperature 1 without a cut-off: exact for another request than yours.",
    ),
    Switch(
        "softmax",
        "changes the text",
        "Residual put through a softmax",
        "After a miss, max(0, p − q) is treated as logits instead of being divided by its sum.",
        "A softmax gives something to every token, also where max(0, p − q) is 0. With a large vocabulary the "
        "replacement is close to a random word.",
    ),
    Switch(
        "from-p",
        "changes the text",
        "Replacement drawn from p",
        "After a miss, the replacement is drawn from the target's own distribution.",
        "What the draft likes has had its chance already. Drawn again from p, it comes out too often.",
    ),
    Switch(
        "stale-target",
        "changes the text",
        "The target's cache not rolled back",
        "Rejected guesses stay in the target's cache, and it goes on reading behind them.",
        "After a miss, p belongs to a text with words in it that nobody will see.",
    ),
    Switch(
        "unsure",
        "changes the text",
        "Unsure guesses taken back",
        "A drafted token is thrown away when the draft gave it less than 1/2, and the target writes there instead.",
        "Which tokens are taken back depends on what was drawn: likely ones stay, unlikely ones are drawn again. "
        "Stopping *behind* such a token, and keeping it, is exact.",
    ),
    Switch(
        "typical",
        "changes the text",
        "Typical acceptance (Medusa)",
        "A guess stays where p is above min(0.09, 0.3 e^−H), H being the entropy of p. q is not asked.",
        "Whatever the draft likes passes, as long as the target finds it plausible. The text is fluent, but its "
        "probabilities are the draft's.",
    ),
    Switch(
        "no-bonus",
        "exact, only slower",
        "No bonus token",
        "When every guess is kept, the target's answer after the last one is thrown away.",
        "That token would have been the target's own, and the next round draws one like it. "
        "Only the time is lost.",
    ),
    Switch(
        "stale-draft",
        "exact, only slower",
        "The draft's cache left stale",
        "Rejected guesses stay in the draft's cache, and it goes on guessing behind them.",
        "Its guesses get worse, but q says truly what they were drawn from, and the rule asks for no more. "
        "Nobody notices but the clock.",
    ),
    Switch(
        "other-temperature",
        "exact, only slower",
        "The draft at another temperature",
        "The draft draws at half the temperature, and q is the distribution at that temperature.",
        "Any q is allowed, as long as it is the one that was drawn from. It may even be kept more often.",
    ),
    Switch(
        "equal",
        "exact, only slower",
        "Keep a guess if the target draws it too",
        "At each position the target draws a token of its own. The guess stays only if it is the same.",
        "What is written is always the target's own draw. Two independent draws agree with probability Σ p·q only.",
    ),
    Switch(
        "coupled",
        "exact, only slower",
        "Coupled draws",
        "As before, but target and draft draw with the same random numbers at each position.",
        "What is written is still the target's own draw, and with shared luck the two agree often: "
        "at least (1 − TV)/(1 + TV) of the time, against 1 − TV for the rule as shipped.",
    ),
)  # fmt: skip


def switch(name: str) -> Switch:
    """The switch of that name.

    Raises:
        KeyError: where there is none.
    """
    return {s.name: s for s in SWITCHES}[name]
