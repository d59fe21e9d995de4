"""Generated data: the paper's artificial data, and random problems of any size."""
