"""One module per input format, each with a function ``read(testset, settings) -> EvaluationSet``."""
