"""Linear layers with weights laid out once for the CPU's matrix kernels.

A plain float32 linear layer re-packs its weights on every call as soon as more than one position goes in,
which doubles the cost of a pass. oneDNN keeps a packed copy, and a pass over two to eight positions then
costs as much as a pass over one: the very fact that speculative decoding lives from. The operators are
those that `torch.compile` uses for frozen weights; where a build lacks them, layers stay as they are.
"""

from __future__ import annotations

import torch
from torch import nn

ROWS = 5
"""Number of positions the layout is chosen for: a verification pass of the default draft length."""


class PackedLinear(nn.Module):
    """A frozen `nn.Linear` for inference on the CPU: [.., in] → [.., out]."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach())
        # A packed tensor is opaque: as a buffer it would break moves and state dicts.
        self.packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach(), ROWS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.ops.mkldnn._linear_pointwise(x, self.packed, self.bias, "none", [], "")


def can_pack(dtype: torch.dtype) -> bool:
    """Whether this build packs weights of `dtype` and computes the same product from them."""
    probe = nn.Linear(64, 96, bias=False).to(dtype)
    x = torch.randn(3, 64, generator=torch.Generator().manual_seed(0)).to(dtype)
    try:
        with torch.inference_mode():
            return torch.allclose(PackedLinear(probe)(x), probe(x), atol=1e-2 if dtype == torch.bfloat16 else 1e-5)
    except (RuntimeError, AttributeError):
        return False


def pack_linears(model: nn.Module) -> None:
    """Replace every `nn.Linear` of `model`, in place. The plain weights are freed unless something else holds them."""
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if type(child) is nn.Linear:
                setattr(parent, name, PackedLinear(child))
