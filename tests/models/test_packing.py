"""Packed layers compute what the plain ones do, and float16 is only used where it loses nothing."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from core.models import packing
from core.models.packing import HalfLinear, PackedLinear, exact_in_half, pack_linears, works


def linear(exact: bool, bias: bool = False) -> nn.Linear:
    torch.manual_seed(3)
    layer = nn.Linear(48, 80, bias=bias).requires_grad_(False)
    if exact:
        layer.weight.data = layer.weight.data.half().float()
    return layer


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("layout", [HalfLinear, PackedLinear])
def test_a_packed_layer_gives_what_the_plain_one_does(layout: packing.Layout, bias: bool) -> None:
    plain = linear(exact=True, bias=bias)
    packed = layout(plain)
    for n in (1, 2, 5, 6, 7, 40):
        x = torch.randn(1, n, 48)
        torch.testing.assert_close(packed(x), plain(x), atol=1e-5, rtol=1e-5)


def test_weights_that_float16_cannot_hold_are_not_rounded() -> None:
    rough = linear(exact=False)
    assert not exact_in_half(rough.weight)
    fine = nn.Linear(80, 8)
    fine.weight.data += 1e-4
    model = nn.Sequential(linear(exact=True), nn.ReLU(), fine, nn.LayerNorm(8))
    pack_linears(model.requires_grad_(False))
    assert [type(layer) for layer in model] == [HalfLinear, nn.ReLU, PackedLinear, nn.LayerNorm]


@pytest.mark.parametrize("value", [70_000.0, 1e-9, 1 / 3])
def test_too_large_too_small_too_fine(value: float) -> None:
    assert not exact_in_half(torch.tensor([1.0, value]))
    assert exact_in_half(torch.tensor([1.0, -0.25, 0.0, 65504.0]))


def test_a_build_without_a_kernel_keeps_the_plain_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*args: object) -> None:
        raise AttributeError("no such operator")

    monkeypatch.setattr(torch, "fbgemm_pack_gemm_matrix_fp16", gone)
    model = nn.Sequential(linear(exact=True))
    pack_linears(model)
    assert type(model[0]) is PackedLinear
    monkeypatch.setattr(packing.PackedLinear, "forward", gone)
    model = nn.Sequential(linear(exact=True))
    pack_linears(model)
    assert type(model[0]) is nn.Linear


def test_bfloat16_never_takes_the_float32_kernel() -> None:
    assert not works(HalfLinear, torch.bfloat16) and not works(HalfLinear, torch.float16)


def test_bytes_are_those_of_the_layout() -> None:
    plain = linear(exact=True)
    assert HalfLinear(plain).bytes == 2 * 48 * 80 and PackedLinear(plain).bytes == 4 * 48 * 80
