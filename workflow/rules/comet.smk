"""From segments and hypotheses to neural segment scores.

Needs: segments.parquet, hypotheses.parquet, a Python with COMET, the model, and preferably a GPU. Makes:
scores/{metric}.parquet of the metrics of kind comet, and neural/{metric}.json with what is to be said about them.
"""


rule comet:
    """The neural metrics and all that follows from them, beside everything else."""
    input:
        lambda wildcards: comet_files(),


rule comet_score:
    """Score all systems of a test set with one neural metric, in the Python that has COMET."""
    input:
        neural_texts,
        segments="<results>/{testset}/segments.parquet",
        hypotheses="<results>/{testset}/hypotheses.parquet",
    output:
        scores="<results>/{testset}/scores/{metric}.parquet",
        notes="<results>/{testset}/neural/{metric}.json",
    log:
        "<logs>/{testset}/comet.{metric}.log",
    wildcard_constraints:
        metric=names_of(gpu=True),
    conda:
        "../envs/comet.yaml"
    threads: 8
    resources:
        gpu=neural_gpus(),
        mem_mb=grows(12000, text=40),
        runtime=grows(240, text=10),
    params:
        command=neural_command,
        job=neural_job,
        runtime=neural_runtime,
        code=lambda wildcards: code("comet_score", wildcards),
    shell:
        "{params.command} --segments {input.segments:q} --hypotheses {input.hypotheses:q} --scores {output.scores:q}"
        " --notes {output.notes:q} --job {params.job:q} --runtime {params.runtime:q} 2> {log:q}"
