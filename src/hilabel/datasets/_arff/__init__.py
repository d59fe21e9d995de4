"""The Clus HMC ARFF format: text, header, rows, labels, then one data set."""
