"""Linear layers with weights laid out once for the CPU's matrix kernels.

A plain float32 linear layer re-packs its weights on every call as soon as more than one position goes in, which
doubles the cost of a pass. With weights packed beforehand a pass over a few positions costs little more than a pass
over one: the very fact that speculative decoding lives from. There are two layouts:

- `HalfLinear`, FBGEMM's: weights in float16, arithmetic in float32. Half the bytes to read, so the quickest by far.
  Only for weights that float16 holds exactly, so that nothing is rounded: the same function as the plain layer.
- `PackedLinear`, oneDNN's, for any weights; the operators are those that `torch.compile` uses for frozen weights.

Where a build has neither, layers stay as they are.
"""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

ROWS = 5
"""Number of positions that oneDNN's layout is chosen for: a verification pass of the default draft length."""


class HalfLinear(nn.Module):
    """A frozen `nn.Linear` over float32 whose weights are kept in float16: [.., in] → [.., out]."""

    bias: torch.Tensor | None

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach())
        # A packed tensor is opaque: as a buffer it would break moves and state dicts.
        self.packed = torch.fbgemm_pack_gemm_matrix_fp16(linear.weight.detach())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.fbgemm_linear_fp16_weight_fp32_activation(x, self.packed, self.bias)

    @property
    def bytes(self) -> int:
        """Memory that the packed weights take, in bytes."""
        return 2 * self.in_features * self.out_features


class PackedLinear(nn.Module):
    """A frozen `nn.Linear` in oneDNN's layout: [.., in] → [.., out]."""

    bias: torch.Tensor | None

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach())
        self.packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), ROWS)
        self.bytes = self.in_features * self.out_features * linear.weight.itemsize

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


Layout = type[HalfLinear] | type[PackedLinear]


def works(layout: Layout, dtype: torch.dtype) -> bool:
    """Whether this build packs weights of `dtype` so and computes the same product from them."""
    if layout is HalfLinear and dtype != torch.float32:
        return False
    probe = nn.Linear(64, 96).to(dtype)
    probe.weight.data = probe.weight.data.half().to(dtype)
    x = torch.randn(3, 64, generator=torch.Generator().manual_seed(0)).to(dtype)
    try:
        # The kernel is announced to go in some later release: this very check will then choose the other one.
        with torch.inference_mode(), warnings.catch_warnings(action="ignore", category=UserWarning):
            return torch.allclose(layout(probe)(x), probe(x), atol=1e-2 if dtype == torch.bfloat16 else 1e-5)
    except (RuntimeError, AttributeError):
        return False


def exact_in_half(weight: torch.Tensor) -> bool:
    """Whether float16 holds every one of these weights to the last bit."""
    return bool((weight.half().to(weight.dtype) == weight).all())


def pack_linears(model: nn.Module) -> None:
    """Pack every `nn.Linear` of `model`, in place. The plain weights are freed unless something else holds them."""
    dtype = next(model.parameters()).dtype
    half, packed = works(HalfLinear, dtype), works(PackedLinear, dtype)

    def pack(place: tuple[nn.Module, str, nn.Linear]) -> None:
        parent, name, linear = place
        if half and exact_in_half(linear.weight):
            setattr(parent, name, HalfLinear(linear))
        elif packed:
            setattr(parent, name, PackedLinear(linear))

    places = [(m, name, x) for m in model.modules() for name, x in m.named_children() if type(x) is nn.Linear]
    # Packing runs on one core, and takes longer than reading the file.
    with ThreadPoolExecutor(torch.get_num_threads()) as pool:
        list(pool.map(pack, places))
