"""Generated data: the artificial data of the paper, and problems of any size."""
