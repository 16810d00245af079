"""Build of the optional native extension, and of wheels that carry the workflow; all else stands in pyproject.toml.

Installation never fails for lack of a compiler: the extension is optional, and `mtsig.kernels` has a Python twin of
every function.
"""

import shutil
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

#: What a run needs besides the package. Wheels have it in mtsig/checkout; see `mtsig.home`.
WORKFLOW = ("Snakefile", "workflow/**/*", "scripts/*.py", "config/**/*", "profiles/**/*")


class BuildWithWorkflow(build_py):
    """Copies the workflow to where wheels carry it."""

    def run(self):
        """Build the package, then add the workflow."""
        super().run()
        carried = Path(self.build_lib, "mtsig", "checkout")
        shutil.rmtree(carried, ignore_errors=True)
        # An editable installation lies in the checkout itself.
        if not self.editable_mode:
            for path in sorted(file for pattern in WORKFLOW for file in Path().glob(pattern) if file.is_file()):
                self.mkpath(str(carried / path.parent))
                self.copy_file(str(path), str(carried / path))


setup(
    cmdclass={"build_py": BuildWithWorkflow},
    ext_modules=[
        Extension(
            "mtsig.kernels._native",
            sources=["scripts/mtsig/kernels/_native.c"],
            depends=[str(header) for header in sorted(Path("scripts/mtsig/kernels").glob("*.h"))],
            # No contraction: fused multiply-adds would change the last digits that must equal sacreBLEU's.
            extra_compile_args=["-O3", "-std=c11", "-ffp-contract=off"],
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
