"""Train the multi-token head on text that the target wrote, and judge a head on text held out.

    python -m tools.train_head train --target DIR --data DIR/train --work DIR --out DIR --passes 2000000
    python -m tools.train_head evaluate --target DIR --head DIR --data DIR/held_out [--json]

The same data, losses and schedule as the draft's (`tools.train_draft`). The run begins one guess deep; from
`--second-from` on it trains two guesses deep, from `--third-from` on three, since the second guess of a round
has only the first one's hidden state to go by.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

import numpy as np
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from core.models.draft_model import DraftForCausalLM, made_from_target, save_draft
from core.models.head_model import HeadForCausalLM, load_head
from tools.draft_trainer import Trainer, commands
from tools.draft_training import Batch, Distil, Texts, load_texts, make_batch
from tools.head_training import depths, true_hidden
from tools.train_draft import evaluate, show

DEEPEST = 3


class HeadTrainer(Trainer):
    """A run of training of the head."""

    draft: HeadForCausalLM

    def build(self, target: PreTrainedModel, kept: torch.Tensor) -> DraftForCausalLM:
        return made_from_target(HeadForCausalLM, target, (self.args.layer,), kept)

    def matrices(self) -> list[torch.nn.Parameter]:
        return [*super().matrices(), *self.draft.fuse.parameters()]

    @torch.no_grad()
    def start(self) -> None:
        """Fit first what goes into the layer, then what comes out of it, to the target's next hidden state."""
        members = self.members[:400]
        self.draft.fuse.weight.data = self._fit(members, self._inputs).T.contiguous()
        self.readout.data = self._fit(members, self._outputs)

    def _fit(self, members: np.ndarray, given: Callable[[Batch, np.ndarray], torch.Tensor]) -> torch.Tensor:
        """The matrix A that best turns what is given at each written position into the hidden state there."""
        square = cross = torch.zeros(())
        order = members[np.argsort(self.texts.lengths[members])]
        for part in np.array_split(order, max(1, len(order) // 10)):
            batch = make_batch(self.texts, part, written_only=True)
            x = given(batch, part).flatten(0, 1)[batch.flat]
            square, cross = square + x.T @ x, cross + x.T @ self.texts.hidden[batch.index].float()
        square.diagonal().add_(1e-3 * square.diagonal().mean())
        return torch.linalg.solve(square, cross)

    def _inputs(self, batch: Batch, members: np.ndarray) -> torch.Tensor:
        hidden = true_hidden(self.texts, members, batch.ids.shape[1])
        before = torch.nn.functional.pad(hidden, (0, 0, 1, 0))[:, :-1]
        return torch.cat([self.draft.model.embed_tokens(batch.ids), before], -1)

    def _outputs(self, batch: Batch, members: np.ndarray) -> torch.Tensor:
        hidden = true_hidden(self.texts, members, batch.ids.shape[1])
        return next(depths(self.draft, torch.eye(hidden.shape[-1]), batch.ids, hidden, 1, 0.0))

    def deepest(self) -> int:
        """How many guesses deep the run trains now."""
        done = self.progress.passes / self.args.passes
        return 1 + (done >= self.args.second_from) + (done >= self.args.third_from)

    def score(
        self, members: np.ndarray, tv: float, train_head: bool, drop: float = 0.0
    ) -> tuple[torch.Tensor, torch.Tensor, int]:
        """Loss and α, both averaged over the depths, and number of scored positions."""
        by_depth, scored = self._by_depth(members, tv, train_head, drop, self.deepest())
        loss, alpha = (torch.stack(column).mean() for column in zip(*by_depth, strict=True))
        return loss, alpha, scored

    def _by_depth(
        self, members: np.ndarray, tv: float, train_head: bool, drop: float, deepest: int
    ) -> tuple[list[tuple[torch.Tensor, torch.Tensor]], int]:
        batch, texts = make_batch(self.texts, members, written_only=True), self.texts
        hidden = true_hidden(texts, members, batch.ids.shape[1])
        known = texts.hidden[batch.index], texts.log_z[batch.index], self.rows
        guesses = depths(self.draft, self.readout, batch.ids, hidden, deepest, drop)
        head = self.draft.lm_head.weight
        found = [Distil.apply(x.flatten(0, 1)[batch.flat], head, *known, tv, train_head) for x in guesses]
        return found, len(batch.index)

    @torch.no_grad()
    def validate(self) -> float:
        """Mean α over the first three depths, on the texts kept from training; each depth's is printed."""
        sums, count = np.zeros(DEEPEST), 0
        for members in np.array_split(self.validation, max(1, len(self.validation) // 10)):
            by_depth, scored = self._by_depth(members, 0.0, False, 0.0, DEEPEST)
            sums, count = sums + np.array([float(alpha) for _, alpha in by_depth]) * scored, count + scored
        print("validation α by depth: " + ", ".join(f"{x:.4f}" for x in sums / count), flush=True)
        return float((sums / count).mean())

    def save(self) -> None:
        """Write the head to `--out`, the read-out as a layer of its own: the next guess reads what it makes."""
        self.draft.readout.weight.data = self.readout.data.T.contiguous()
        save_draft(self.draft, self.args.out)


def judge(target: PreTrainedModel, head: HeadForCausalLM, texts: Texts) -> dict[str, dict[str, dict[str, float]]]:
    """`tools.train_draft.evaluate` at each depth."""
    tables = {}
    readout = head.readout.weight.T
    for depth in range(1, DEEPEST + 1):

        def guess(batch: Batch, depth: int = depth) -> torch.Tensor:
            length = batch.ids.shape[1]
            # The first scored position of each row says which text the row holds.
            first = np.unique(batch.flat.numpy() // length, return_index=True)[1]
            members = np.searchsorted(texts.starts, batch.index.numpy()[first], side="right") - 1
            hidden = true_hidden(texts, members, length)
            *_, last = depths(head, readout, batch.ids, hidden, depth, 0.0)
            return last.flatten(0, 1)[batch.flat]

        tables[f"guess {depth}"] = evaluate(target, head, texts, guess)
    return tables


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, train = commands(__doc__, "--head")
    train.add_argument("--layer", type=int, default=29, help="the target's layer to start from")
    train.add_argument("--second-from", type=float, default=0.4, help="share after which it trains two deep")
    train.add_argument("--third-from", type=float, default=0.75, help="share after which it trains three deep")
    return parser.parse_args(argv)


def main() -> None:
    args = parse()
    torch.set_num_threads(args.threads)
    target = AutoModelForCausalLM.from_pretrained(args.target, dtype=torch.float32).eval()
    if args.command == "train":
        HeadTrainer(args, target).run()
        return
    tables = judge(target, load_head(args.head, target, torch.float32), load_texts(args.data))
    print(json.dumps(tables, indent=2) if args.json else "\n\n".join(f"{k}\n{show(t)}" for k, t in tables.items()))


if __name__ == "__main__":
    main()
