"""ROC analysis of quality estimation: curves, bootstrap, and the decisions read off them."""
