"""A profile that draws many examples: `pytest tests/fuzz --hypothesis-profile=fuzz`."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile("fuzz", deadline=None, derandomize=False, max_examples=20_000, print_blob=True)

# Programs, of which one needs a package that is not for everybody.
collect_ignore = ["fuzz_kernels.py", "fuzz_readers.py"]
