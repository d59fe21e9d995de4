"""The yeast collections GO and FUN: names, files, downloads and loading."""
