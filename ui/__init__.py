"""What pages are made of: components, figures, clocks and the palette."""
