"""Data made in code: the paper's artificial set, and problems of any size."""
