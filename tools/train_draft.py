"""Train the draft on text that the target wrote, and judge a draft on text held out.

    python -m tools.train_draft train --target DIR --data DIR/train --work DIR --out DIR --passes 3000000
    python -m tools.train_draft evaluate --target DIR --draft DIR --data DIR/held_out [--json]

Training minimises KL(p‖q) over the kept tokens, then moves to 1 − Σ min(p, q), the rejection
rate itself, and ends on batches rich in the target's greedy text. It keeps its state in `--work`:
the same command run again goes on from there (with whatever shards have been added), and a larger
`--passes` prolongs it. A few texts of the training prompts are never trained on: they choose
the weights that `--out` gets. Held-out text has no say in anything but `evaluate`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from core.models.draft_model import DraftForCausalLM, draft_from_target, load_draft, save_draft
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
        self.draft = draft_from_target(target, tuple(args.layers), kept).train()
        self.draft.model.norm.weight.data.fill_(1.0)  # the read-out takes its place
        self.rows = output[self.draft.kept_ids].contiguous()
        self.readout = torch.nn.Parameter(torch.eye(self.rows.shape[1]))
        matrices = [w for w in self.draft.model.layers.parameters() if w.dim() == 2] + [self.readout]
        norms = [w for w in self.draft.model.parameters() if w.dim() == 1]
        self.optimisers = [
            Muon(matrices, args.lr),
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


@torch.inference_mode()
def evaluate(target: PreTrainedModel, draft: DraftForCausalLM, texts: Texts) -> dict[str, dict[str, float]]:
    """By kind of text, and their plain mean: α at temperature 1 and 0.7, first-choice agreement, positions judged.

    Only positions whose next token the target wrote count. p is over the whole vocabulary, no top-k, no top-p;
    agreement is argmax p = argmax q.
    """
    rows = target.get_output_embeddings().weight.float()
    sums: dict[str, torch.Tensor] = {}
    order = np.argsort(texts.lengths)
    for members in np.array_split(order, max(1, len(order) // 8)):
        batch = make_batch(texts, members, written_only=True)
        hidden = draft.model(batch.ids).last_hidden_state.flatten(0, 1)[batch.flat]
        owner = np.searchsorted(texts.starts, batch.index.numpy(), side="right") - 1
        for part in torch.arange(len(batch.index)).split(256):
            p_logits = texts.hidden[batch.index[part]].float() @ rows.T
            q_logits = draft.kept_logits(hidden[part]).float()
            columns = [
                torch.minimum((p_logits / t).softmax(-1)[:, draft.kept_ids], (q_logits / t).softmax(-1)).sum(-1)
                for t in (1.0, 0.7)
            ]
            columns += [(p_logits.argmax(-1) == draft.kept_ids[q_logits.argmax(-1)]).float(), torch.ones(len(part))]
            for kind, row in zip(texts.kind[owner[part.numpy()]], torch.stack(columns, 1).double(), strict=True):
                sums[str(kind)] = sums.get(str(kind), torch.zeros_like(row)) + row
    names = ("alpha", "alpha_0.7", "agreement")
    table = {
        kind: dict(zip(names, (total[:3] / total[3]).tolist(), strict=True)) | {"tokens": int(total[3])}
        for kind, total in sorted(sums.items())
    }
    mean = {name: float(np.mean([row[name] for row in table.values()])) for name in names}
    return table | {"mean": mean | {"tokens": sum(row["tokens"] for row in table.values())}}


def show(table: dict[str, dict[str, float]]) -> str:
    """The evaluation as aligned text."""
    lines = [f"{'kind':10} {'α (T=1)':>9} {'α (T=0.7)':>10} {'agreement':>10} {'tokens':>8}"]
    lines += [
        f"{kind:10} {row['alpha']:9.3f} {row['alpha_0.7']:10.3f} {row['agreement']:10.3f} {row['tokens']:8d}"
        for kind, row in table.items()
    ]
    return "\n".join(lines)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    train, judge = commands.add_parser("train"), commands.add_parser("evaluate")
    for command in (train, judge):
        command.add_argument("--target", type=Path, required=True, help="folder of the target")
        command.add_argument("--data", type=Path, required=True, help="folder of shards from tools.draft_data")
        command.add_argument("--threads", type=int, default=2)
    judge.add_argument("--draft", type=Path, required=True)
    judge.add_argument("--json", action="store_true")
    train.add_argument("--work", type=Path, required=True, help="folder for the state that a run resumes from")
    train.add_argument("--out", type=Path, required=True, help="folder for the draft")
    train.add_argument("--passes", type=int, default=3_000_000, help="tokens to feed, repetitions counted")
    train.add_argument("--batch-tokens", type=int, default=2048)
    train.add_argument("--kept", type=int, default=8192, help="rows of the output head")
    train.add_argument("--layers", type=int, nargs="+", default=[0, 1], help="the target's layers to start from")
    train.add_argument("--lr", type=float, default=1e-2, help="peak, for the layers' matrices (Muon)")
    train.add_argument("--norm-lr", type=float, default=4e-3)
    train.add_argument("--head-lr", type=float, default=1e-3)
    train.add_argument("--head-from", type=float, default=0.5, help="share of the run after which the head trains")
    train.add_argument("--drop", type=float, default=0.1, help="dropout: a short run sees each text several times")
    train.add_argument("--warmup", type=int, default=10_000, help="passes")
    train.add_argument("--decay", type=float, default=0.4, help="the last share of the run, rates falling to zero")
    train.add_argument("--tv-from", type=float, default=0.6, help="share of the run after which 1 − Σ min enters")
    train.add_argument("--tv-full", type=float, default=0.8, help="share after which it is the whole loss")
    train.add_argument("--cold-from", type=float, default=0.93, help="share after which batches are half greedy text")
    train.add_argument("--every", type=float, default=30, help="seconds between log lines")
    train.add_argument("--seed", type=int, default=1)
    return parser.parse_args(argv)


def main() -> None:
    args = parse()
    torch.set_num_threads(args.threads)
    target = AutoModelForCausalLM.from_pretrained(args.target, dtype=torch.float32).eval()
    if args.command == "train":
        Trainer(args, target).run()
        return
    table = evaluate(target, load_draft(args.draft, target, torch.float32), load_texts(args.data))
    print(json.dumps(table, indent=2) if args.json else show(table))


if __name__ == "__main__":
    main()
