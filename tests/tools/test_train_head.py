"""The head's training and evaluation, on a tiny random target."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import LlamaForCausalLM
from transformers.cache_utils import Cache

from core.models.draft_model import made_from_target, save_draft
from core.models.head_model import HeadForCausalLM, load_head
from core.models.reader import SlabLayer
from tests.tools.test_train_draft import KEPT, VOCAB, WIDTH, tiny_target, write_shard
from tools.draft_training import load_texts
from tools.head_training import depths, true_hidden
from tools.train_head import HeadTrainer, judge, parse


@pytest.fixture
def target() -> LlamaForCausalLM:
    return tiny_target()


@pytest.fixture
def head(target: LlamaForCausalLM) -> HeadForCausalLM:
    torch.manual_seed(3)
    head = made_from_target(HeadForCausalLM, target, (1,), torch.arange(KEPT) + 5).eval()
    with torch.no_grad():
        for layer in (head.fuse, head.readout):
            layer.weight.normal_(std=0.2)
    return head


def test_training_reads_at_each_depth_what_drafting_reads(target: LlamaForCausalLM, head: HeadForCausalLM) -> None:
    ids = torch.tensor([[6, 9, 12, 7, 30, 8]])
    with torch.no_grad():
        hidden = target.model(ids).last_hidden_state
        found = list(depths(head, head.readout.weight.T, ids, hidden, 3, 0.0))
        # As the drafter does it: true hidden states up to a token, then three tokens on its own.
        for last in (2, 3):
            cache = Cache(layers=[SlabLayer()])
            before = torch.nn.functional.pad(hidden, (0, 0, 1, 0))[:, : last + 1]
            own = head.features(head.fused(ids[:, : last + 1], before), cache)[:, -1:]
            for depth in range(3):
                assert torch.allclose(found[depth][:, last + depth], own[:, 0], atol=1e-5), (last, depth)
                if last + depth + 1 < ids.shape[1]:
                    own = head.features(head.fused(ids[:, last + depth + 1 : last + depth + 2], own), cache)


def test_a_saved_head_is_the_same_and_fits_its_own_target_only(
    target: LlamaForCausalLM, head: HeadForCausalLM, tmp_path: Path
) -> None:
    for name, weight in head.named_parameters():
        if "embed_tokens" not in name:
            weight.data = weight.data.half().float()
    save_draft(head, tmp_path)
    loaded = load_head(tmp_path, target, torch.float32)
    ids, hidden = torch.tensor([[6, 9]]), torch.randn(1, 2, WIDTH)
    with torch.no_grad():
        assert torch.equal(
            loaded.full_logits(loaded.features(loaded.fused(ids, hidden))),
            head.full_logits(head.features(head.fused(ids, hidden))),
        )
    assert loaded.full_logits(hidden).shape == (1, 2, VOCAB)
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(Exception, match="deserializing|header"):
        load_head(tmp_path, target, torch.float32)


def test_training_learns_goes_deeper_and_resumes(target: LlamaForCausalLM, tmp_path: Path) -> None:
    data = write_shard(target, tmp_path / "data")

    def arguments(passes: int, *more: str) -> object:
        base = f"train --target x --data {data} --work {tmp_path}/w --out {tmp_path}/out --passes {passes}"
        return parse([*f"{base} --kept {KEPT} --layer 1 --batch-tokens 40 --warmup 20 --every 0".split(), *more])

    trainer = HeadTrainer(arguments(600, "--drop", "0"), target)  # type: ignore[arg-type]
    members = trainer.members[:3]
    trainer.progress.passes = 20
    before = trainer.step(members)[0]
    assert min(trainer.step(members)[0] for _ in range(5)) < before
    trainer.progress.passes = 300
    assert trainer.deepest() == 2
    trainer.progress.passes = 500
    assert trainer.deepest() == 3 and np.isfinite(trainer.step(members)[0])
    trainer.progress.passes = 560
    trainer.run()
    again = HeadTrainer(arguments(600), target)  # type: ignore[arg-type]
    assert again.progress.passes == trainer.progress.passes
    assert torch.equal(again.draft.fuse.weight, trainer.draft.fuse.weight)
    tables = judge(target, load_head(tmp_path / "out", target, torch.float32), load_texts(data))
    assert list(tables) == ["guess 1", "guess 2", "guess 3"]
    assert all(0 < t["mean"]["alpha"] < 1 for t in tables.values())
    assert tables["guess 1"]["mean"]["alpha"] != tables["guess 2"]["mean"]["alpha"]


def test_true_hidden_states_stand_behind_their_tokens(target: LlamaForCausalLM, tmp_path: Path) -> None:
    texts = load_texts(write_shard(target, tmp_path))
    members = np.array([4, 1])
    found = true_hidden(texts, members, 20)
    assert found.shape == (2, 20, WIDTH)
    for row, member in zip(found, members, strict=True):
        start, n = texts.starts[member], texts.lengths[member]
        assert torch.equal(row[:n], texts.hidden[start : start + n].float()) and not row[n:].any()
