"""A Plotly figure that changes in place."""

from ui.components.chart.chart import Clicked, Picture, chart

__all__ = ["Clicked", "Picture", "chart"]
