"""The yeast collections GO and FUN: names, files, downloads, loading."""
