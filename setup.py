"""Build of the optional native extension; everything else is declared in pyproject.toml.

Installation never fails for lack of a compiler: the extension is optional, and `mtsig.kernels` has a Python twin of
every function.
"""

from pathlib import Path

from setuptools import Extension, setup

setup(
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
