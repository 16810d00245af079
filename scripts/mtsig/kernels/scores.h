/* Scores of summed statistics, and the differences that approximate randomization compares.
 *
 * A row of sums becomes one score. In approximate randomization (Noreen 1989; Riezler and Maxwell 2005) two systems
 * swap the outputs of some segments; with P the sums over the swapped segments and T over all of them, the two
 * shuffled systems have the sums P_i - P_j + T_j and P_j - P_i + T_i. So one matrix of P serves all pairs.
 */

#ifndef MTSIG_SCORES_H
#define MTSIG_SCORES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum formula_name { FORMULA_BLEU, FORMULA_CHRF, FORMULA_TER, FORMULA_RATIO };
enum smoothing_name { SMOOTH_NONE, SMOOTH_FLOOR, SMOOTH_ADD_K, SMOOTH_EXP };

typedef struct {
    enum formula_name name;
    /* BLEU */
    enum smoothing_name smoothing;
    double smoothing_value;
    int effective_order;
    int whole_sums;      /* add-k keeps the sums whole, as sacreBLEU's integer arrays do in its randomization test */
    int compensated_sum; /* Python's `sum` compensates rounding from version 3.12 on */
    /* chrF */
    double beta_squared;
} formula;

enum { MAX_COLUMNS = 512 };

/* --- parts of BLEU that are in double precision whatever the sums are ------------------------------------------- */

typedef struct {
    double total, lost;
} logarithm_sum;

static void add_logarithm(logarithm_sum *sum, double precision, int compensated) {
    /* sacreBLEU's floor for the logarithm of zero; the score becomes zero. */
    double term = precision != 0 ? log(precision) : -9999999999.0;
    double total = sum->total + term;
    if (compensated)
        sum->lost += fabs(sum->total) >= fabs(term) ? (sum->total - total) + term : (term - total) + sum->total;
    sum->total = total;
}

static double brevity_penalty(double hyp_len, double ref_len) {
    hyp_len = trunc(hyp_len);
    ref_len = trunc(ref_len);
    if (hyp_len >= ref_len) return 1;
    return hyp_len > 0 ? exp(1 - ref_len / hyp_len) : 0;
}

#define REAL float
#define NAME(function) function##_single
#include "scores_real.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(function) function##_double
#include "scores_real.h"
#undef REAL
#undef NAME

typedef double (*score_single)(const float *, size_t, const formula *);
typedef double (*score_double)(const double *, size_t, const formula *);

static score_single find_score_single(const formula *f) {
    static const score_single scores[] = {bleu_score_single, chrf_score_single, ter_score_single, ratio_score_single};
    return scores[f->name];
}

static score_double find_score_double(const formula *f) {
    static const score_double scores[] = {bleu_score_double, chrf_score_double, ter_score_double, ratio_score_double};
    return scores[f->name];
}

/* --- rows of sums ------------------------------------------------------------------------------------------------ */

static void scores_in_single(const formula *f, const float *sums, size_t rows, size_t k, double *scores) {
    const score_single score = find_score_single(f);
    for (size_t row = 0; row < rows; row++, sums += k)
        scores[row] = any_undefined_single(sums, k) ? NAN : score(sums, k, f);
}

static void scores_in_double(const formula *f, const double *sums, size_t rows, size_t k, double *scores) {
    const score_double score = find_score_double(f);
    for (size_t row = 0; row < rows; row++, sums += k)
        scores[row] = any_undefined_double(sums, k) ? NAN : score(sums, k, f);
}

/* --- approximate randomization ----------------------------------------------------------------------------------- */

/* Defines a function that writes the score difference of every pair and trial.
 *
 * products: (trials x systems x k) sums over the swapped segments; totals: (systems x k) sums over all segments;
 * pairs: (n_pairs x 2) system numbers; differences: (n_pairs x trials), score of the first shuffled system minus that
 * of the second. */
#define DEFINE_SWAP_DIFFERENCES(FUNCTION, REAL)                                                              \
    static void FUNCTION(const formula *f, const REAL *products, size_t trials, size_t systems, size_t k,    \
                         const double *totals, const int64_t *pairs, size_t n_pairs, double *differences) {  \
        const score_double score = find_score_double(f);                                                     \
        double first[MAX_COLUMNS], second[MAX_COLUMNS];                                                      \
        for (size_t pair = 0; pair < n_pairs; pair++) {                                                      \
            const size_t i = (size_t)pairs[2 * pair], j = (size_t)pairs[2 * pair + 1];                       \
            const double *total_i = totals + i * k, *total_j = totals + j * k;                               \
            for (size_t trial = 0; trial < trials; trial++) {                                                \
                const REAL *sums = products + trial * systems * k;                                           \
                for (size_t column = 0; column < k; column++) {                                              \
                    double moved = (double)sums[i * k + column] - (double)sums[j * k + column];              \
                    first[column] = moved + total_j[column];                                                 \
                    second[column] = total_i[column] - moved;                                                \
                }                                                                                            \
                differences[pair * trials + trial] = score(first, k, f) - score(second, k, f);               \
            }                                                                                                \
        }                                                                                                    \
    }

DEFINE_SWAP_DIFFERENCES(swap_differences_single, float)
DEFINE_SWAP_DIFFERENCES(swap_differences_double, double)

/* --- functions that Python calls --------------------------------------------------------------------------------- */

/* Reads the tuple that describes a formula: the order of its entries is that of `formula` above. */
static int parse_formula(PyObject *tuple, formula *f) {
    int name, smoothing;
    if (!PyArg_ParseTuple(tuple, "iidpppd:formula", &name, &smoothing, &f->smoothing_value, &f->effective_order,
                          &f->whole_sums, &f->compensated_sum, &f->beta_squared))
        return 0;
    if (name < FORMULA_BLEU || name > FORMULA_RATIO || smoothing < SMOOTH_NONE || smoothing > SMOOTH_EXP) {
        PyErr_SetString(PyExc_ValueError, "unknown formula");
        return 0;
    }
    f->name = (enum formula_name)name;
    f->smoothing = (enum smoothing_name)smoothing;
    return 1;
}

/* score_sums(formula, sums, k, single, scores) */
static PyObject *py_score_sums(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *description;
    Py_buffer sums, scores;
    Py_ssize_t k;
    int single;
    formula f;
    if (!PyArg_ParseTuple(args, "O!y*npw*:score_sums", &PyTuple_Type, &description, &sums, &k, &single, &scores))
        return NULL;
    if (parse_formula(description, &f)) {
        Py_BEGIN_ALLOW_THREADS
        const size_t rows = (size_t)scores.len / sizeof(double);
        if (single)
            scores_in_single(&f, sums.buf, rows, (size_t)k, scores.buf);
        else
            scores_in_double(&f, sums.buf, rows, (size_t)k, scores.buf);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&sums);
    PyBuffer_Release(&scores);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

/* swap_differences(formula, products, single, totals, k, pairs, differences) */
static PyObject *py_swap_differences(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *description;
    Py_buffer products, totals, pairs, differences;
    Py_ssize_t k;
    int single;
    formula f;
    if (!PyArg_ParseTuple(args, "O!y*py*ny*w*:swap_differences", &PyTuple_Type, &description, &products, &single,
                          &totals, &k, &pairs, &differences))
        return NULL;
    if (parse_formula(description, &f)) {
        Py_BEGIN_ALLOW_THREADS
        const size_t systems = (size_t)totals.len / sizeof(double) / (size_t)k;
        const size_t n_pairs = (size_t)pairs.len / (2 * sizeof(int64_t));
        const size_t trials = n_pairs ? (size_t)differences.len / sizeof(double) / n_pairs : 0;
        if (single)
            swap_differences_single(&f, products.buf, trials, systems, (size_t)k, totals.buf, pairs.buf, n_pairs,
                                    differences.buf);
        else
            swap_differences_double(&f, products.buf, trials, systems, (size_t)k, totals.buf, pairs.buf, n_pairs,
                                    differences.buf);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&products);
    PyBuffer_Release(&totals);
    PyBuffer_Release(&pairs);
    PyBuffer_Release(&differences);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

#define SCORES_METHODS                                                                                       \
    {"score_sums", py_score_sums, METH_VARARGS, "Scores of rows of sums."},                                  \
    {"swap_differences", py_swap_differences, METH_VARARGS, "Score differences of shuffled pairs."},

#endif
