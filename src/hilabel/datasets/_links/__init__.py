"""Read links between ids from the files that programs and databases write."""
