"""Studies of tests and metrics: calibration, null rejection, power, ROC and meta-evaluation."""
