"""Make links between rows: nearest rows, or hits of sequences."""
