"""Measurements of a pair on the machine at hand."""
