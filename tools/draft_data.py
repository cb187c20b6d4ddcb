"""The target writes the draft's training text, and the held-out text that judges it.

Every row of a batch is a text of its own at its own position; a finished row
starts its next text in the same step, its prompt fed token by token. So no step
is spent on padding, and a batch of 64 keeps one core busy with matrix products.
What most texts begin with, the chat's system message, is read once and copied.

With each token the target's last hidden state and the log of its normaliser are
kept: from these two the whole distribution can be rebuilt (p = exp(h·Wᵀ − logZ)),
for any subset of the vocabulary, without running the target again.

    python -m tools.draft_data --out data/train --tokens 1000000 --seed 1
    python -m tools.draft_data --out data/held_out --tokens 30000 --held-out
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F
from transformers import PreTrainedTokenizerBase

from tools.draft_prompts import sample_plain_start, sample_prompt

MAX_LEN = 256
MAX_USER_TURN = 48
SYSTEM = "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"


@dataclass
class Row:
    """One text in the making: what is forced next, what has been written."""

    kind: str
    temperature: float
    forced: list[int]
    turns_left: int
    user_turn: bool = False
    tokens: list[int] = field(default_factory=list)
    written: list[bool] = field(default_factory=list)
    hidden: list[np.ndarray] = field(default_factory=list)
    log_z: list[float] = field(default_factory=list)


class LockstepTarget:
    """SmolLM2's forward pass over one token of every row, each row at its own position."""

    def __init__(self, folder: Path, batch: int) -> None:
        from transformers import AutoModelForCausalLM

        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        cfg = model.config
        self.eps, self.heads, self.kv = cfg.rms_norm_eps, cfg.num_attention_heads, cfg.num_key_value_heads
        self.dim = cfg.hidden_size // self.heads
        self.embed = model.model.embed_tokens.weight.detach()
        self.norm = model.model.norm.weight.detach()
        self.layers = []
        for layer in model.model.layers:
            attn, mlp = layer.self_attn, layer.mlp
            self.layers.append(
                (
                    layer.input_layernorm.weight.detach(),
                    torch.cat([attn.q_proj.weight, attn.k_proj.weight, attn.v_proj.weight]).detach(),
                    attn.o_proj.weight.detach(),
                    layer.post_attention_layernorm.weight.detach(),
                    torch.cat([mlp.gate_proj.weight, mlp.up_proj.weight]).detach(),
                    mlp.down_proj.weight.detach(),
                )
            )
        inv = 1.0 / cfg.rope_parameters["rope_theta"] ** (torch.arange(0, self.dim, 2) / self.dim)
        angles = torch.outer(torch.arange(MAX_LEN + 1).float(), inv)
        self.cos, self.sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
        shape = (len(self.layers), batch, self.kv, MAX_LEN, self.dim)
        self.keys, self.values = torch.zeros(shape), torch.zeros(shape)

    def rope(self, x: torch.Tensor, pos: torch.Tensor) -> torch.Tensor:
        cos, sin = self.cos[pos][:, None], self.sin[pos][:, None]
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def step(self, tokens: torch.Tensor, pos: torch.Tensor) -> torch.Tensor:
        """Hidden states after the final norm, [B, hidden], for `tokens` [B] at positions `pos` [B]."""
        rows, n, d = torch.arange(len(tokens)), int(pos.max()) + 1, self.dim
        mask = (torch.arange(n) <= pos[:, None])[:, None, None]
        x = self.embed[tokens]
        for i, (n1, qkv, o, n2, gate_up, down) in enumerate(self.layers):
            q, k, v = F.linear(F.rms_norm(x, (len(n1),), n1, self.eps), qkv).split(
                [self.heads * d, self.kv * d, self.kv * d], -1
            )
            keys, values = self.keys[i, : len(tokens)], self.values[i, : len(tokens)]
            keys[rows, :, pos] = self.rope(k.view(-1, self.kv, d), pos)
            values[rows, :, pos] = v.view(-1, self.kv, d)
            # The query heads that share a key head become rows of one product: keys are read once.
            q = self.rope(q.view(-1, self.heads, d), pos).view(len(tokens), self.kv, self.heads // self.kv, d)
            scores = (q @ keys[:, :, :n].transpose(-1, -2)) * d**-0.5
            out = scores.masked_fill(~mask, -torch.inf).softmax(-1) @ values[:, :, :n]
            x = x + F.linear(out.reshape(len(tokens), -1), o)
            gate, up = F.linear(F.rms_norm(x, (len(n2),), n2, self.eps), gate_up).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, down)
        return F.rms_norm(x, (len(self.norm),), self.norm, self.eps)


class Beginning:
    """What many texts begin with, read once: its tokens, and all that the model knows after them.

    Leaves the model's row 0 in use: read it before any text is under way.
    """

    def __init__(self, model: LockstepTarget, tokens: list[int]) -> None:
        self.tokens = tokens
        steps = [model.step(torch.tensor([t]), torch.tensor([i])) for i, t in enumerate(tokens)]
        self.hidden = [x[0].half().numpy() for x in steps]
        self.log_z = [float(F.linear(x, model.embed).logsumexp(-1)) for x in steps]
        self.keys, self.values = (x[:, 0, :, : len(tokens)].clone() for x in (model.keys, model.values))

    def take(self, row: Row, model: LockstepTarget, index: int) -> None:
        """Let `row`, at this place in the batch, have it if it begins so."""
        n = len(self.tokens)
        if row.forced[:n] == self.tokens and len(row.forced) > n:
            row.tokens, row.forced = row.forced[:n], row.forced[n:]
            row.written, row.hidden, row.log_z = [False] * n, list(self.hidden), list(self.log_z)
            model.keys[:, index, :, :n], model.values[:, index, :, :n] = self.keys, self.values


def draw_tokens(logits: torch.Tensor, temperatures: torch.Tensor) -> tuple[list[int], torch.Tensor]:
    """A token of every row of `logits` [B, V] at its temperature, and log Σ exp of each row. Overwrites `logits`.

    The cumulative sum goes over blocks first, then inside the one that was hit.
    """
    top = logits.amax(-1, keepdim=True)
    weights = logits.sub_(top)
    other = torch.nonzero(temperatures != 1)[:, 0]
    sharpened = (weights[other] / temperatures[other, None]).exp_()
    log_z = top[:, 0] + weights.exp_().sum(-1).log()
    weights[other] = sharpened
    rows, block = torch.arange(len(weights)), 256
    blocks = F.pad(weights, (0, -weights.shape[1] % block)).view(len(weights), -1, block)
    mass = blocks.sum(-1)
    ends = mass.cumsum(-1)
    u = torch.rand(len(weights), 1) * ends[:, -1:]
    hit = torch.searchsorted(ends, u, right=True).clamp(max=ends.shape[1] - 1)
    rest = u - (ends.gather(1, hit) - mass.gather(1, hit))
    inside = blocks[rows, hit[:, 0]]
    at = torch.searchsorted(inside.cumsum(-1), rest, right=True)
    # Rounding can carry past the block's end: its last token with any weight then stands for it.
    last = block - 1 - (inside.flip(-1) > 0).int().argmax(-1, keepdim=True)
    return (hit * block + torch.minimum(at, last))[:, 0].tolist(), log_z


def new_row(rng: random.Random, tok: PreTrainedTokenizerBase, held_out: bool) -> Row:
    """Start a text: a templated request, an open user turn, or plain text."""

    def encode(text: str) -> list[int]:
        return tok(text, add_special_tokens=False)["input_ids"]

    asked = "<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
    if held_out:
        kind, text = sample_prompt(rng, held_out=True)
        return Row(kind, 1.0, encode(SYSTEM + asked.replace("{}", text)), 0)
    temperature = rng.choices([1.0, 0.7, 0.3, 1e-4], [0.64, 0.14, 0.08, 0.14])[0]
    draw = rng.random()
    if draw < 0.40:  # the target invents the request, always at temperature 1: variety is its point
        return Row("open", temperature, encode(SYSTEM + "<|im_start|>user\n"), 1, user_turn=True)
    if draw < 0.92:
        kind, text = sample_prompt(rng)
        return Row(kind, temperature, encode(SYSTEM + asked.replace("{}", text)), 0)
    return Row("plain", temperature, encode(sample_plain_start(rng)) or [1], 0)


def save_shard(rows: list[Row], path: Path) -> None:
    """Write rows as one npz under a temporary name, then rename: a reader never sees half a shard."""
    part = path.with_suffix(".part.npz")
    np.savez(
        part,
        tokens=np.concatenate([np.array(r.tokens, np.uint16) for r in rows]),
        written=np.concatenate([np.array(r.written, bool) for r in rows]),
        hidden=np.concatenate([np.stack(r.hidden) for r in rows]),
        log_z=np.concatenate([np.array(r.log_z, np.float32) for r in rows]),
        lengths=np.array([len(r.tokens) for r in rows], np.int32),
        temperature=np.array([r.temperature for r in rows], np.float32),
        kind=np.array([r.kind for r in rows]),
    )
    part.rename(path)


def advance(row: Row, sampled: int, tok_ids: dict[str, list[int]]) -> bool:
    """Append the next token (forced or sampled) to `row`; True when the text is finished."""
    if row.forced:
        row.tokens.append(row.forced.pop(0))
        row.written.append(False)
    else:
        row.tokens.append(sampled)
        row.written.append(True)
        over = row.user_turn and sum(row.written) >= MAX_USER_TURN
        if sampled == tok_ids["eos"][0] or over:
            if not row.turns_left:
                return True
            row.turns_left, row.user_turn = row.turns_left - 1, False
            row.forced = list(tok_ids["answer"] if sampled == tok_ids["eos"][0] else tok_ids["eos"] + tok_ids["answer"])
    return len(row.tokens) >= MAX_LEN


@torch.inference_mode()
def generate(args: argparse.Namespace) -> None:
    from transformers import AutoTokenizer

    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    tok = AutoTokenizer.from_pretrained(args.target)
    ids = {
        "eos": tok("<|im_end|>", add_special_tokens=False)["input_ids"],
        "answer": tok("\n<|im_start|>assistant\n", add_special_tokens=False)["input_ids"],
    }
    model = LockstepTarget(args.target, args.batch)
    args.out.mkdir(parents=True, exist_ok=True)
    beginning = Beginning(model, tok(SYSTEM, add_special_tokens=False)["input_ids"])

    def start(index: int) -> Row:
        row = new_row(rng, tok, args.held_out)
        beginning.take(row, model, index)
        advance(row, 0, ids)
        return row

    rows = [start(i) for i in range(args.batch)]
    done: list[Row] = []
    total = pending = shard = 0
    started = time.time()
    while total < args.tokens:
        pos = torch.tensor([len(r.tokens) - 1 for r in rows])
        hidden = model.step(torch.tensor([r.tokens[-1] for r in rows]), pos)
        temperatures = torch.tensor([1.0 if r.user_turn else r.temperature for r in rows])
        draws, log_z = draw_tokens(F.linear(hidden, model.embed), temperatures)
        half = hidden.half().numpy()
        for i, row in enumerate(rows):
            row.hidden.append(half[i].copy())
            row.log_z.append(float(log_z[i]))
            if advance(row, draws[i], ids):
                # The last token was never fed: it is a label without a distribution of its own.
                row.hidden.append(np.zeros_like(half[i]))
                row.log_z.append(0.0)
                done.append(row)
                total += sum(row.written)
                pending += len(row.tokens)
                rows[i] = start(i)
        if pending > args.shard or total >= args.tokens:
            save_shard(done, args.out / f"{args.seed:03d}-{shard:05d}.npz")
            print(f"{total} tokens written, {total / (time.time() - started):.0f}/s", flush=True)
            done, pending, shard = [], 0, shard + 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", type=Path, required=True, help="folder of the converted target")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokens", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--shard", type=int, default=20_000, help="tokens a file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--held-out", action="store_true")
    generate(parser.parse_args())


if __name__ == "__main__":
    main()
