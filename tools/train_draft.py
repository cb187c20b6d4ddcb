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
from collections.abc import Callable

import numpy as np
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from core.models.draft_model import DraftForCausalLM, load_draft
from tools.draft_trainer import Trainer, commands
from tools.draft_training import Batch, Texts, load_texts, make_batch

Guess = Callable[[Batch], torch.Tensor]
"""Final hidden states [n, width] at a batch's scored positions, from which the kept logits are read off."""


@torch.inference_mode()
def evaluate(
    target: PreTrainedModel, draft: DraftForCausalLM, texts: Texts, guess: Guess | None = None
) -> dict[str, dict[str, float]]:
    """By kind of text, and their plain mean: α at temperature 1 and 0.7, first-choice agreement, positions judged.

    Only positions whose next token the target wrote count. p is over the whole vocabulary, no top-k, no top-p;
    agreement is argmax p = argmax q. `guess` is what the draft says of a batch, by default from its tokens alone.
    """
    guess = guess or (lambda batch: draft.model(batch.ids).last_hidden_state.flatten(0, 1)[batch.flat])
    rows = target.get_output_embeddings().weight.float()
    sums: dict[str, torch.Tensor] = {}
    order = np.argsort(texts.lengths)
    for members in np.array_split(order, max(1, len(order) // 8)):
        batch = make_batch(texts, members, written_only=True)
        hidden = guess(batch)
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
    parser, train = commands(__doc__, "--draft")
    train.add_argument("--layers", type=int, nargs="+", default=[0, 1], help="the target's layers to start from")
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
