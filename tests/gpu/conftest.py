"""No test is collected here: the script runs in the Python that has COMET, on a machine with a GPU."""

collect_ignore = ["measure_comet.py"]
