"""Read tables, edge lists, ontologies and annotations, and join them by id."""
