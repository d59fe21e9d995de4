"""Files that were changed at random, and what may come of reading them.

``python -m fuzz --cases 10000`` in the folder ``tests`` runs all of it; ``make fuzz``
does so with new cases each time.
"""
