from __future__ import annotations

import pytest

from core.decoding import DecodeRequest, RequestError

BAD = [
    {"prompt": ""},
    {"prompt": " \n\t "},
    {"prompt": "null \x00 byte"},
    {"prompt": "bell \x07"},
    {"prompt": "half a pair \ud83d"},
    {"gamma": 0},
    {"gamma": 33},
    {"gamma": 2.5},
    {"gamma": True},
    {"temperature": -0.1},
    {"temperature": float("nan")},
    {"temperature": float("inf")},
    {"temperature": "1"},
    {"top_k": 0},
    {"top_p": 0.0},
    {"top_p": 1.1},
    {"max_new_tokens": 0},
    {"max_new_tokens": 10_000_000},
    {"seed": -1},
    {"method": "telepathy"},
    {"rule": "hope"},
]


@pytest.mark.parametrize("change", BAD, ids=str)
def test_a_value_that_cannot_be_run_is_refused_in_one_sentence(change):
    with pytest.raises(RequestError) as caught:
        DecodeRequest(**{"prompt": "Hello", **change})
    sentence = str(caught.value)
    assert sentence[0].isupper() and sentence.endswith(".") and "\n" not in sentence


@pytest.mark.parametrize("prompt", ["emoji 🙂 and 你好", "שלום עולם", "tabs\tand\nlines", "<b>HTML</b>", "<|im_end|>"])
def test_any_text_is_a_prompt(prompt):
    assert DecodeRequest(prompt).prompt == prompt


def test_requests_are_values():
    assert DecodeRequest("a", seed=1) == DecodeRequest("a", seed=1) != DecodeRequest("a", seed=2)
    assert len({DecodeRequest("a"), DecodeRequest("a")}) == 1
