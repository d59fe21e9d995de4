"""The ARFF format of Clus for hierarchical multi-label data."""
