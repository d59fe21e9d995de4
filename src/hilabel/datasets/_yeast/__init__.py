"""The yeast collections GO and FUN: their names, and how to download and load them."""
