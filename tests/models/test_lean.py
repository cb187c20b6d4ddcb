"""The short way through a draft computes what Transformers' way computes."""

from __future__ import annotations

from unittest.mock import patch

import pytest
import torch
from transformers.cache_utils import Cache, DynamicCache

from core.models import Reader, head_model
from core.models.draft_model import DraftForCausalLM, draft_from_target, made_from_target
from core.models.head_model import HeadForCausalLM
from core.models.reader import SlabLayer
from tests.tiny import tiny_model

VOCABULARY = 20
TARGET = tiny_model(3, VOCABULARY, layers=3)
TEXT = [3, 1, 4, 1, 5, 9, 2, 6, 5]


@pytest.fixture
def draft() -> DraftForCausalLM:
    return draft_from_target(TARGET, (0, 2), torch.arange(12) + 4).eval()


def usual(model: DraftForCausalLM, tokens: list[int]) -> torch.Tensor:
    """Logits [n, V] by the way that training takes: with gradients on, no cache."""
    logits: torch.Tensor = model(input_ids=torch.tensor([tokens])).logits[0].detach()
    return logits


def test_passes_of_any_grouping_give_the_logits_of_one_pass_the_usual_way(draft: DraftForCausalLM) -> None:
    with patch("core.models.draft_model.last_hidden", wraps=head_model.last_hidden) as short:
        reader = Reader(draft)
        rows = [reader.read(TEXT[:4], keep=4), reader.read(TEXT[4:5]), reader.extend(TEXT[5:8]), reader.read(TEXT[8:])]
    assert short.call_count == 4
    assert torch.allclose(torch.cat(rows), usual(draft, TEXT), atol=1e-4)


def test_a_rolled_back_text_is_read_on_at_the_right_place(draft: DraftForCausalLM) -> None:
    reader = Reader(draft)
    reader.read(TEXT)
    reader.crop(5)
    assert torch.allclose(reader.read([7, 8], keep=2), usual(draft, [*TEXT[:5], 7, 8])[-2:], atol=1e-4)


def test_each_branch_of_a_tree_sees_its_own_guesses_only(draft: DraftForCausalLM) -> None:
    reader = Reader(draft)
    reader.read(TEXT)
    # Two candidates behind the text, and one behind the second of them.
    sees = torch.tensor([[1, 0, 0], [0, 1, 0], [0, 1, 1]], dtype=torch.bool)
    rows = reader.branch([7, 8, 10], sees, [9, 9, 10])
    wanted = [usual(draft, [*TEXT, *path])[-1] for path in ([7], [8], [8, 10])]
    assert torch.allclose(rows, torch.stack(wanted), atol=1e-4)


def test_the_cache_of_transformers_works_as_well(draft: DraftForCausalLM) -> None:
    with torch.no_grad():
        cache = DynamicCache()
        first = draft(input_ids=torch.tensor([TEXT[:6]]), cache=cache).logits[0]
        rest = draft(input_ids=torch.tensor([TEXT[6:]]), cache=cache).logits[0]
    assert torch.allclose(torch.cat([first, rest]), usual(draft, TEXT), atol=1e-4)


def test_a_batch_with_padding_goes_the_usual_way(draft: DraftForCausalLM) -> None:
    seen = torch.tensor([[0, 0, *[1] * len(TEXT)]])
    with torch.no_grad(), patch("core.models.draft_model.last_hidden") as short:
        draft(input_ids=torch.tensor([[0, 0, *TEXT]]), attention_mask=seen, cache=DynamicCache())
    assert not short.called


def test_the_head_guesses_the_same_hidden_states_both_ways() -> None:
    head = made_from_target(HeadForCausalLM, TARGET, (1,), torch.arange(12) + 4).eval()
    fused = torch.randn(1, 6, 16, generator=torch.Generator().manual_seed(0))
    cache = Cache(layers=[SlabLayer()])
    with torch.inference_mode():
        short = torch.cat([head.features(fused[:, :4], cache), head.features(fused[:, 4:], cache)], 1)
    assert torch.allclose(short, head.features(fused).detach(), atol=1e-4)
