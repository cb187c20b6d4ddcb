from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import LlamaForCausalLM

from tests.tools.test_train_draft import tiny_target
from tools.draft_data import Beginning, LockstepTarget, Row, draw_tokens

TEXTS = ([5, 9, 2, 7, 1, 4], [3, 3, 8], [6, 1, 9, 9])


@pytest.fixture(scope="module")
def model() -> LlamaForCausalLM:
    return tiny_target()


@pytest.fixture
def lockstep(model: LlamaForCausalLM, tmp_path: Path) -> LockstepTarget:
    model.save_pretrained(tmp_path)
    return LockstepTarget(tmp_path, len(TEXTS))


def reference(model: LlamaForCausalLM, text: list[int]) -> torch.Tensor:
    with torch.inference_mode():
        return model.model(torch.tensor([text])).last_hidden_state[0]


@torch.inference_mode()
def test_rows_at_different_places_are_read_as_alone(model: LlamaForCausalLM, lockstep: LockstepTarget) -> None:
    last: dict[int, torch.Tensor] = {}
    at = [0, 0, 0]
    for step in range(6):
        # A row that has ended repeats its last token: the others must not notice.
        at = [min(step, len(t) - 1) for t in TEXTS]
        hidden = lockstep.step(torch.tensor([t[i] for t, i in zip(TEXTS, at, strict=True)]), torch.tensor(at))
        last |= {row: hidden[row] for row in range(3)}
    for row, text in enumerate(TEXTS):
        torch.testing.assert_close(last[row], reference(model, text)[-1], atol=1e-5, rtol=1e-4)


@torch.inference_mode()
def test_a_shared_beginning_is_as_if_read(model: LlamaForCausalLM, lockstep: LockstepTarget) -> None:
    text = TEXTS[0]
    beginning = Beginning(lockstep, text[:3])
    row = Row("any", 1.0, list(text), 0)
    beginning.take(row, lockstep, 2)
    assert row.tokens == text[:3] and row.forced == text[3:] and row.written == [False] * 3
    for i in range(3, 6):
        hidden = lockstep.step(torch.tensor([0, 0, text[i]]), torch.tensor([i, i, i]))
    torch.testing.assert_close(hidden[2], reference(model, text)[-1], atol=1e-5, rtol=1e-4)


@torch.inference_mode()
def test_another_beginning_is_left_alone(lockstep: LockstepTarget) -> None:
    beginning = Beginning(lockstep, [5, 9])
    for forced in ([5, 8, 1], [5, 9]):
        row = Row("any", 1.0, list(forced), 0)
        beginning.take(row, lockstep, 1)
        assert row.tokens == [] and row.forced == forced


def test_tokens_are_drawn_at_each_rows_temperature() -> None:
    torch.manual_seed(0)
    n, size = 20_000, 600
    logits = 2 * torch.randn(2, size)
    temperatures = torch.tensor([1.0, 0.5])
    drawn, log_z = draw_tokens(logits.repeat(n, 1), temperatures.repeat(n))
    torch.testing.assert_close(log_z[:2], logits.logsumexp(-1))
    for row in range(2):
        counts = torch.bincount(torch.tensor(drawn[row::2]), minlength=size).double()
        expected = n * (logits[row] / temperatures[row]).double().softmax(-1)
        # Small cells pooled. The seed is fixed; right draws exceed the bound at one seed in 10,000.
        big = expected > 5
        x = ((counts - expected)[big] ** 2 / expected[big]).sum() + (
            counts[~big].sum() - expected[~big].sum()
        ) ** 2 / expected[~big].sum()
        cells = int(big.sum())
        assert x < cells + 3.72 * (2 * cells) ** 0.5 + 10


def test_greedy_rows_draw_the_largest_logit() -> None:
    torch.manual_seed(1)
    logits = torch.randn(64, 1000)
    best = logits.argmax(-1).tolist()
    drawn, _ = draw_tokens(logits, torch.full((64,), 1e-4))
    assert sum(a == b for a, b in zip(drawn, best, strict=True)) >= 60
