"""Generated data: the paper's artificial set, and problems of any size."""
