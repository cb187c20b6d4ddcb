"""A Plotly figure that changes in place."""

from ui.components.chart.chart import Clicked, chart

__all__ = ["Clicked", "chart"]
