"""Speculative decoding on paper: closed forms, no model needed."""
