"""Entry of the rule `comet_score`, run by the Python that has COMET; and the check before it.

It needs COMET, torch, numpy, pyarrow and PyYAML, and so do the modules of mtsig that it reaches.
"""

import argparse
import json
import os
import sys
import traceback
from pathlib import Path


def main():
    """Check what is there (a question and an answer in JSON), or score a test set with one metric."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="read metrics from standard input, write what was found")
    for name in ("segments", "hypotheses", "scores", "notes"):
        parser.add_argument(f"--{name}", help=f"the {name} file")
    parser.add_argument("--job", help="JSON: testset, langpair, metric, settings, missing, made_from")
    parser.add_argument("--runtime", help="JSON: devices, store, local_files_only, threads")
    options = vars(parser.parse_args())

    from mtsig.errors import MtsigError

    if options.pop("check"):
        from mtsig.metrics.neural.availability import probe

        print(json.dumps(probe(**json.load(sys.stdin))))
        return
    try:
        from mtsig.metrics.neural.scoring import Runtime
        from mtsig.steps.comet import comet

        runtime = Runtime(**json.loads(options.pop("runtime")), report=report)
        comet(**json.loads(options.pop("job")), **options, runtime=runtime)
    except MtsigError as error:
        sys.exit(f"error: {error}")
    except Exception as error:
        print(f"error: unexpected failure in comet_score ({type(error).__name__}: {error})", file=sys.stderr)
        traceback.print_exc()
        sys.exit(1)


def report(line):
    """Say something to the user, and to the log behind the standard error."""
    print(line, flush=True)
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    # This folder holds mtsig, but also entries that may be called like packages: packages come first.
    here = str(Path(__file__).resolve().parent)
    sys.path[:] = [*(entry for entry in sys.path if entry != here), here]
    # Threads that spin while they wait make everything many times slower where cores are shared. Torch reads it once.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    main()
