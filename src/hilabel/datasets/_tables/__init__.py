"""Tables, edge lists, ontologies and annotations, matched by id."""
