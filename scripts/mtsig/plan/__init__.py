"""What a run makes: which files there are, what each of them is made from, and what its job asks for.

Everything here follows from the checked settings and the raw files that they name. The rules look things up here, and
nothing of Snakemake is imported.
"""
