"""A run of training, whatever it trains: the data, the schedule, the checkpoints, the validation.

A run keeps its state in `--work`: the same command run again goes on from there (with whatever shards have been
added), and a larger `--passes` prolongs it. A few texts of the training prompts are never trained on: they choose
the weights that `--out` gets.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import PreTrainedModel

from core.models.draft_model import DraftForCausalLM, draft_from_target, save_draft
from tools.draft_training import Distil, Muon, Texts, epoch, fit_readout, hidden_states, load_texts, make_batch

VALIDATION_POOL, VALIDATION_EVERY = 200, 5  # of the first 200 texts, each fifth is kept from training
COLD = 0.5  # texts drawn below this temperature count as greedy


@dataclass
class Progress:
    """Where a run stands: token passes made, epoch and batch to go on with, best validation α, head in training."""

    passes: int = 0
    epoch: int = 0
    batch: int = 0
    best: float = 0.0
    seconds: float = 0.0
    head: bool = False


def choose_kept(texts: Texts, rows: torch.Tensor, count: int, sample: int = 30_000) -> torch.Tensor:
    """Ids [count] of the tokens that the target gives most probability, over about `sample` evenly spaced positions.

    Tokens that make up a thousandth of the texts or more are kept whatever p says,
    which covers the chat's own marks; `rows` [vocab, width] are the target's output rows.
    """
    scored = torch.nonzero(texts.log_z)[:, 0]
    scored = scored[:: max(1, len(scored) // sample)]
    mass = torch.zeros(len(rows))
    for index in scored.split(256):
        mass += torch.addmm(-texts.log_z[index, None], texts.hidden[index].float(), rows.T).exp_().sum(0)
    share = torch.bincount(texts.tokens, minlength=len(rows)) / len(texts.tokens)
    return torch.where(share > 0.001, torch.inf, mass).topk(count).indices.sort().values


class Trainer:
    """A run of training: the model, its optimisers, its data and its progress."""

    def __init__(self, args: argparse.Namespace, target: PreTrainedModel) -> None:
        self.args, self.progress = args, Progress()
        self.load_data()
        self.state_file = args.work / "state.pt"
        state = torch.load(self.state_file, weights_only=True) if self.state_file.is_file() else None
        output = target.get_output_embeddings().weight.detach()
        # While the head is the target's own rows, a run that goes on chooses them anew, on all the data by now.
        kept = state["kept_ids"] if state and state["progress"]["head"] else None
        kept = choose_kept(self.texts, output, args.kept) if kept is None else kept
        self.draft = self.build(target, kept).train()
        self.draft.model.norm.weight.data.fill_(1.0)  # the read-out takes its place
        self.rows = output[self.draft.kept_ids].contiguous()
        self.readout = torch.nn.Parameter(torch.eye(self.rows.shape[1]))
        norms = [w for w in self.draft.model.parameters() if w.dim() == 1]
        self.optimisers = [
            Muon([*self.matrices(), self.readout], args.lr),
            # Adam's second moment forgets fast here: the whole run is a few thousand steps.
            torch.optim.Adam(
                [{"params": norms, "lr": args.norm_lr}, {"params": [self.draft.lm_head.weight], "lr": args.head_lr}],
                betas=(0.9, 0.95),
            ),
        ]
        self.peaks = [[group["lr"] for group in optimiser.param_groups] for optimiser in self.optimisers]
        if state:
            own = ("lm_head.weight", "kept_ids") if not state["progress"]["head"] else ()
            self.draft.load_state_dict({k: t for k, t in state["draft"].items() if k not in own}, strict=False)
            self.readout.data = state["readout"]
            for optimiser, saved in zip(self.optimisers, state["optimisers"], strict=True):
                optimiser.load_state_dict(saved)
            self.progress = Progress(**state["progress"])
        else:
            self.start()

    def build(self, target: PreTrainedModel, kept: torch.Tensor) -> DraftForCausalLM:
        """What is trained, before any training."""
        return draft_from_target(target, tuple(self.args.layers), kept)

    def matrices(self) -> list[torch.nn.Parameter]:
        """What Muon trains beside the read-out."""
        return [w for w in self.draft.model.layers.parameters() if w.dim() == 2]

    def start(self) -> None:
        """Give the read-out, and what else starts at random, the best values that can be had in closed form."""
        self.readout.data = fit_readout(self.draft, self.texts, self.members[:400])

    def load_data(self) -> None:
        """All shards there are now. The first texts by name are the same however many shards were added since."""
        self.texts = load_texts(self.args.data)
        self.validation = np.arange(0, min(VALIDATION_POOL, len(self.texts)), VALIDATION_EVERY)
        self.members = np.setdiff1d(np.arange(len(self.texts)), self.validation)

    def checkpoint(self) -> None:
        """Write the whole state under a temporary name, then rename it: an interruption loses minutes, not the run."""
        self.args.work.mkdir(parents=True, exist_ok=True)
        part = self.state_file.with_suffix(".part")
        draft = {name: t for name, t in self.draft.state_dict().items() if "embed_tokens" not in name}
        optimisers = [optimiser.state_dict() for optimiser in self.optimisers]
        progress = vars(self.progress)
        torch.save(
            {
                "draft": draft,
                "readout": self.readout.data,
                "optimisers": optimisers,
                "progress": progress,
                "kept_ids": self.draft.kept_ids,
            },
            part,
        )
        part.rename(self.state_file)

    def schedule(self) -> tuple[float, bool]:
        """Set the learning rates for where the run stands; return the weight of 1 − Σ min(p, q), and if text is cold.

        Warm up, constant, then linearly to zero: unlike a cosine, that can be prolonged while constant.
        """
        args, done = self.args, self.progress.passes / self.args.passes
        scale = max(0.0, min(1.0, (self.progress.passes + 1) / args.warmup, (1 - done) / args.decay))
        for optimiser, peaks in zip(self.optimisers, self.peaks, strict=True):
            for group, peak in zip(optimiser.param_groups, peaks, strict=True):
                group["lr"] = peak * scale
        ramp = (done - args.tv_from) / max(1e-9, args.tv_full - args.tv_from)
        return min(1.0, max(0.0, ramp)), done >= args.cold_from

    def batches(self) -> Iterator[np.ndarray]:
        """Batches without end, going on in the epoch where the run stopped; the last phase favours cold texts."""
        while True:
            rng = np.random.default_rng((self.args.seed, self.progress.epoch))
            members, cold = self.members, self.schedule()[1]
            if cold:
                is_cold = self.texts.temperature[members] < COLD
                warm = rng.permutation(members[~is_cold])[: is_cold.sum()]
                members = np.concatenate([members[is_cold], warm])
            for number, batch in enumerate(epoch(self.texts.lengths, members, self.args.batch_tokens, rng)):
                if number < self.progress.batch:
                    continue
                yield batch
                self.progress.batch = number + 1
                if self.schedule()[1] != cold:
                    break
            self.progress.epoch, self.progress.batch = self.progress.epoch + 1, 0
            self.load_data()

    def score(
        self, members: np.ndarray, tv: float, train_head: bool, drop: float = 0.0
    ) -> tuple[torch.Tensor, torch.Tensor, int]:
        """Loss, α and number of scored positions of the texts `members`."""
        batch, texts = make_batch(self.texts, members, written_only=True), self.texts
        hidden = hidden_states(self.draft, batch.ids, drop).flatten(0, 1)[batch.flat] @ self.readout
        known = texts.hidden[batch.index], texts.log_z[batch.index], self.rows
        loss, alpha = Distil.apply(hidden, self.draft.lm_head.weight, *known, tv, train_head)
        return loss, alpha, len(batch.index)

    def save(self) -> None:
        """Write the draft to `--out`, the read-out folded into the head: (h·A)·Wᵀ = h·(W·Aᵀ)ᵀ."""
        head = self.draft.lm_head.weight
        raw = head.data
        head.data = raw @ self.readout.data.T
        save_draft(self.draft, self.args.out)
        head.data = raw

    def step(self, members: np.ndarray) -> tuple[float, float, int]:
        """One update on the texts `members`; its loss, its α, and how many tokens were fed."""
        torch.manual_seed(self.args.seed + self.progress.passes)  # a resumed run drops what the whole run would
        tv, _ = self.schedule()
        train_head = self.progress.passes >= self.args.head_from * self.args.passes
        self.progress.head |= train_head
        loss, alpha, _ = self.score(members, tv, train_head, self.args.drop)
        loss.backward()
        for optimiser in self.optimisers:
            optimiser.step()
            optimiser.zero_grad()
        return float(loss.detach()), float(alpha.detach()), int(self.texts.lengths[members].sum())

    @torch.no_grad()
    def validate(self) -> float:
        """α at temperature 1 on the texts kept from training (mean over positions)."""
        total = count = 0.0
        for members in np.array_split(self.validation, max(1, len(self.validation) // 10)):
            _, alpha, scored = self.score(members, 0.0, False)
            total, count = total + float(alpha) * scored, count + scored
        return total / count

    def report(self, recent: list[tuple[float, float, int]], elapsed: float) -> None:
        """Validate, print a line, keep the state, and let `--out` have the weights if they are the best so far."""
        progress, alpha = self.progress, self.validate()
        losses, alphas, fed = zip(*recent, strict=True)
        progress.seconds += elapsed
        print(
            f"{progress.passes} passes of {self.args.passes}, epoch {progress.epoch} of {len(self.members)} texts, "
            f"{sum(fed) / elapsed:.0f} tokens/s, loss {np.mean(losses):.3f}, α {np.mean(alphas):.4f}, "
            f"validation α {alpha:.4f}, "
            f"1 − Σ min weight {self.schedule()[0]:.2f}, {progress.seconds / 60:.1f} min",
            flush=True,
        )
        if alpha > progress.best:
            progress.best = alpha
            self.save()
        self.checkpoint()

    def run(self) -> None:
        """Train until `--passes` tokens were fed."""
        size = int(self.texts.lengths[self.members].sum())
        print(f"{len(self.members)} texts, {size} tokens, validation α {self.validate():.4f}", flush=True)
        recent, since = [], time.time()
        for members in self.batches():
            recent.append(self.step(members))
            self.progress.passes += recent[-1][2]
            finished = self.progress.passes >= self.args.passes
            if finished or time.time() - since > self.args.every:
                self.report(recent, time.time() - since)
                recent, since = [], time.time()
            if finished:
                return


def commands(doc: str | None, judged: str) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """A command line with `train` and `evaluate`, and its parser of `train`, for options of its own.

    Args:
        judged: names the option of the folder that is evaluated.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="command", required=True)
    train, judge = verbs.add_parser("train"), verbs.add_parser("evaluate")
    for verb in (train, judge):
        verb.add_argument("--target", type=Path, required=True, help="folder of the target")
        verb.add_argument("--data", type=Path, required=True, help="folder of shards from tools.draft_data")
        verb.add_argument("--threads", type=int, default=2)
    judge.add_argument(judged, type=Path, required=True)
    judge.add_argument("--json", action="store_true")
    _training_options(train)
    return parser, train


def _training_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--work", type=Path, required=True, help="folder for the state that a run resumes from")
    parser.add_argument("--out", type=Path, required=True, help="folder for the draft")
    parser.add_argument("--passes", type=int, default=3_000_000, help="tokens to feed, repetitions counted")
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--kept", type=int, default=8192, help="rows of the output head")
    parser.add_argument("--lr", type=float, default=1e-2, help="peak, for the layers' matrices (Muon)")
    parser.add_argument("--norm-lr", type=float, default=4e-3)
    parser.add_argument("--head-lr", type=float, default=1e-3)
    parser.add_argument("--head-from", type=float, default=0.5, help="share of the run after which the head trains")
    parser.add_argument("--drop", type=float, default=0.1, help="dropout: a short run sees each text several times")
    parser.add_argument("--warmup", type=int, default=10_000, help="passes")
    parser.add_argument("--decay", type=float, default=0.4, help="the last share of the run, rates falling to zero")
    parser.add_argument("--tv-from", type=float, default=0.6, help="share of the run after which 1 − Σ min enters")
    parser.add_argument("--tv-full", type=float, default=0.8, help="share after which it is the whole loss")
    parser.add_argument("--cold-from", type=float, default=0.93, help="share after which batches are half greedy text")
    parser.add_argument("--every", type=float, default=30, help="seconds between log lines")
    parser.add_argument("--seed", type=int, default=1)
