"""The shipped draft's class, its training and its evaluation, on a tiny random target."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from core.models.draft_model import DraftForCausalLM, draft_from_target, load_draft, save_draft
from tools.draft_trainer import Trainer, choose_kept
from tools.draft_training import Distil, Texts, epoch, hidden_states, load_texts, make_batch, orthogonal
from tools.train_draft import evaluate, parse, show

VOCAB, WIDTH, KEPT = 64, 32, 40


def tiny_target(layers: int = 3, seed: int = 0) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=VOCAB, hidden_size=WIDTH, intermediate_size=48, num_hidden_layers=layers, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=128, tie_word_embeddings=True, initializer_range=0.3,
        bos_token_id=1, eos_token_id=2, pad_token_id=2,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()


@pytest.fixture
def target() -> LlamaForCausalLM:
    return tiny_target()


@pytest.fixture
def draft(target: LlamaForCausalLM) -> DraftForCausalLM:
    return draft_from_target(target, (0, 2), torch.arange(KEPT) + 5).eval()


@torch.no_grad()
def write_shard(target: LlamaForCausalLM, folder: Path, texts: int = 12) -> Path:
    """A shard as tools.draft_data writes it, of random tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    lengths = rng.integers(6, 14, texts).astype(np.int32)
    tokens, hidden, log_z, written = [], [], [], []
    for length in lengths:
        ids = torch.from_numpy(rng.integers(5, VOCAB, (1, length)))
        state = target.model(ids).last_hidden_state[0]
        norm = target.lm_head(state).logsumexp(-1)
        state[-1], norm[-1] = 0, 0
        tokens.append(ids[0].numpy().astype(np.uint16))
        hidden.append(state.half().numpy())
        log_z.append(norm.numpy())
        written.append(np.arange(length) >= 3)
    np.savez(
        folder / "001-00000.npz", tokens=np.concatenate(tokens), written=np.concatenate(written),
        hidden=np.concatenate(hidden), log_z=np.concatenate(log_z), lengths=lengths,
        temperature=np.where(np.arange(texts) % 3 == 0, 1e-4, 1.0).astype(np.float32),
        kind=np.array(["poem", "code"] * (texts // 2)),
    )  # fmt: skip
    return folder


def test_round_trip_keeps_logits_and_never_stores_the_embeddings(target, draft, tmp_path):
    save_draft(draft, tmp_path)
    loaded = load_draft(tmp_path, target, torch.float32)
    ids = torch.randint(0, VOCAB, (2, 7))
    for name, weight in draft.named_parameters():
        if "embed_tokens" not in name:
            weight.data = weight.data.half().float()  # what the file holds
    assert torch.equal(loaded(ids).logits, draft(ids).logits)
    assert torch.equal(loaded.kept_ids, torch.arange(KEPT) + 5)
    # float16: two bytes a weight, and no room for 64 × 32 embeddings besides.
    weights = sum(p.numel() for name, p in loaded.named_parameters() if "embed_tokens" not in name)
    assert (tmp_path / "model.safetensors").stat().st_size < 2 * weights + 8 * KEPT + 4096
    assert not list(tmp_path.glob("*.part"))


def test_embeddings_are_the_targets_own(target, draft, tmp_path):
    save_draft(draft, tmp_path)
    loaded = load_draft(tmp_path, target, torch.bfloat16)
    own, theirs = loaded.model.embed_tokens.weight, target.model.embed_tokens.weight
    assert own.data_ptr() == theirs.data_ptr() and not own.requires_grad
    assert theirs.requires_grad and theirs.dtype == torch.float32
    assert loaded(torch.tensor([[1, 2, 3]])).logits.dtype == torch.bfloat16
    assert loaded.model.rotary_emb.inv_freq.dtype == torch.float32  # rounded positions would be wrong ones


def test_logits_outside_the_kept_tokens(draft):
    ids = torch.randint(0, VOCAB, (2, 5))
    out = draft(ids, logits_to_keep=2)
    assert out.logits.shape == (2, 2, VOCAB)
    outside = torch.ones(VOCAB, dtype=torch.bool)
    outside[draft.kept_ids] = False
    assert (out.logits[..., outside] == -1e4).all()
    kept = draft.kept_logits(draft.model(ids).last_hidden_state)
    torch.testing.assert_close(out.logits[..., ~outside], kept[:, -2:])
    assert (out.logits.softmax(-1)[..., outside] == 0).all()


def test_cache_gives_the_same_logits(draft):
    ids = torch.randint(0, VOCAB, (1, 9))
    whole = draft(ids).logits
    first = draft(ids[:, :5], use_cache=True)
    rest = draft(ids[:, 5:], cache=first.cache, use_cache=True)
    torch.testing.assert_close(torch.cat([first.logits, rest.logits], 1), whole, atol=1e-4, rtol=1e-4)


def test_assisted_generation_writes_the_targets_greedy_text(target, draft):
    ids = torch.tensor([[1, 9, 17, 23]])
    plain = target.generate(ids, max_new_tokens=20, do_sample=False)
    assisted = target.generate(ids, max_new_tokens=20, do_sample=False, assistant_model=draft)
    assert torch.equal(plain, assisted)


def test_a_damaged_or_foreign_draft_is_refused(target, draft, tmp_path):
    with pytest.raises(FileNotFoundError, match="config.json is missing"):
        load_draft(tmp_path, target, torch.float32)
    save_draft(draft, tmp_path)
    other = LlamaForCausalLM(LlamaConfig.from_dict(target.config.to_dict() | {"vocab_size": VOCAB + 8}))
    with pytest.raises(ValueError, match="was made for a target"):
        load_draft(tmp_path, other, torch.float32)
    config = tmp_path / "config.json"
    config.write_text(config.read_text().replace(f'"draft_rows": {KEPT}', f'"draft_rows": {KEPT + 1}'))
    with pytest.raises(ValueError, match="do not fit"):
        load_draft(tmp_path, target, torch.float32)


def test_lean_forward_equals_the_modules_own(draft):
    ids = torch.randint(0, VOCAB, (3, 11))
    torch.testing.assert_close(hidden_states(draft, ids), draft.model(ids).last_hidden_state, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("tv", [0.0, 0.3, 1.0])
def test_loss_and_gradient_are_those_of_the_formula(tv):
    torch.manual_seed(1)
    h, head = torch.randn(70, 6, requires_grad=True), torch.randn(9, 6, requires_grad=True)
    hidden, rows = torch.randn(70, 6), torch.randn(9, 6)
    log_z = (hidden @ rows.T).logsumexp(-1) + 0.2  # some of p lies outside the kept rows
    loss, alpha = Distil.apply(h, head, hidden, log_z, rows, tv, True)
    ours = torch.autograd.grad(loss, [h, head])
    p, log_q = (hidden @ rows.T - log_z[:, None]).exp(), (h @ head.T).log_softmax(-1)
    overlap = torch.minimum(p, log_q.exp()).sum(-1).mean()
    plain = (1 - tv) * -(p * log_q).sum(-1).mean() + tv * (1 - overlap)
    torch.testing.assert_close(loss, plain)
    torch.testing.assert_close(alpha, overlap)
    for one, other in zip(ours, torch.autograd.grad(plain, [h, head]), strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-4)


def test_orthogonal_flattens_the_singular_values():
    for shape in ((8, 20), (20, 8)):
        values = torch.linalg.svdvals(orthogonal(torch.randn(shape)))
        assert values.min() > 0.9 and values.max() < 1.001


def test_batches_cover_every_text_once_and_score_only_what_was_written(target, tmp_path):
    texts = load_texts(write_shard(target, tmp_path))
    rng = np.random.default_rng(0)
    seen = np.concatenate(list(epoch(texts.lengths, np.arange(len(texts)), 30, rng)))
    assert sorted(seen) == list(range(len(texts)))
    batch = make_batch(texts, np.array([3, 5]), written_only=True)
    assert len(batch.index) == texts.lengths[[3, 5]].sum() - 2 * 3  # three forced tokens; written ones are labels
    assert torch.equal(batch.ids.flatten()[batch.flat], texts.tokens[batch.index])
    assert texts.written[batch.index + 1].all() and (texts.log_z[batch.index] != 0).all()


def test_kept_tokens_are_those_with_most_probability(target, tmp_path):
    texts = load_texts(write_shard(target, tmp_path))
    texts.tokens.fill_(7)  # an often seen token is kept even when p is small
    rows = target.lm_head.weight.detach()
    kept = choose_kept(texts, rows, 10)
    scored = texts.log_z != 0
    mass = (texts.hidden[scored].float() @ rows.T).softmax(-1).sum(0)
    mass[7] = torch.inf
    assert kept.tolist() == sorted(mass.topk(10).indices.tolist())


def train_args(target_data: Path, work: Path, passes: int, *more: str):
    base = f"train --target x --data {target_data} --work {work} --out {work}/draft --passes {passes} --kept {KEPT}"
    base += " --layers 0 2 --batch-tokens 40 --warmup 20 --every 0"
    return parse([*base.split(), *more])


def test_training_lowers_the_loss_and_resumes_where_it_stopped(target, tmp_path, capsys):
    data = write_shard(target, tmp_path / "data")
    trainer = Trainer(train_args(data, tmp_path / "a", 600, "--drop", "0"), target)
    members = trainer.members[:3]
    trainer.progress.passes = 20  # past most of the warm-up
    before, after = trainer.step(members)[0], trainer.step(members)[0]
    assert after < before

    whole = Trainer(train_args(data, tmp_path / "b", 400), target)
    whole.run()
    stopped = Trainer(train_args(data, tmp_path / "c", 400), target)
    for batch in stopped.batches():
        stopped.progress.passes += stopped.step(batch)[2]
        if stopped.progress.passes > 150:
            break
    stopped.progress.batch += 1  # `batches` counts a batch once the next one is asked for
    stopped.checkpoint()
    resumed = Trainer(train_args(data, tmp_path / "c", 400), target)
    assert resumed.progress.passes == stopped.progress.passes
    resumed.run()
    assert resumed.progress.passes == whole.progress.passes
    torch.testing.assert_close(resumed.draft.lm_head.weight, whole.draft.lm_head.weight)
    assert "validation α" in capsys.readouterr().out
    assert load_draft(tmp_path / "b" / "draft", target, torch.float32).config.draft_rows == KEPT


def test_evaluate_on_a_case_made_by_hand(monkeypatch):
    """p and q known in full: two positions, one where they agree and one where q is elsewhere."""
    target = tiny_target()
    draft = draft_from_target(target, (0, 2), torch.tensor([0, 1]))
    weight = torch.zeros(VOCAB, WIDTH)
    weight[0, 0] = weight[1, 1] = weight[2, 2] = 1.0
    weight[3:, 3] = -1.0  # the other tokens: pushed out of sight by a large coordinate 3
    target.lm_head.weight = torch.nn.Parameter(weight)
    log = lambda *p: [float(np.log(x)) for x in p]  # noqa: E731
    states = torch.zeros(3, WIDTH)
    states[0, :4] = torch.tensor([*log(0.6, 0.3, 0.1), 100.0])
    states[1, :4] = torch.tensor([*log(0.2, 0.7, 0.1), 100.0])
    texts = Texts(
        torch.tensor([5, 0, 1]), torch.tensor([False, True, True]), states, torch.tensor([1e-9, 1e-9, 0.0]),
        np.array([3]), np.array([1.0]), np.array(["toy"]),
    )  # fmt: skip
    with torch.no_grad():  # q = (.8, .2) at every position
        draft.lm_head.weight.zero_()
        draft.model.norm.weight.fill_(1.0)
        monkeypatch.setattr(draft, "kept_logits", lambda h: torch.tensor(log(0.8, 0.2)).expand(*h.shape[:-1], 2))
    row = evaluate(target, draft, texts)["toy"]
    assert row["alpha"] == pytest.approx((0.6 + 0.2 + 0.2 + 0.2) / 2, abs=1e-5)
    assert row["agreement"] == pytest.approx(0.5)
    assert row["tokens"] == 2
    warm = lambda *p: np.array(p) ** (1 / 0.7) / (np.array(p) ** (1 / 0.7)).sum()  # noqa: E731
    q = np.append(warm(0.8, 0.2), 0.0)
    expected = np.mean([np.minimum(warm(*p), q).sum() for p in ((0.6, 0.3, 0.1), (0.2, 0.7, 0.1))])
    assert row["alpha_0.7"] == pytest.approx(expected, abs=1e-5)
    assert "toy" in show(evaluate(target, draft, texts))
