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

/* Two systems whose outputs are swapped: sums over all units, and over the units that the first one keeps in a trial. */
typedef struct {
    const double *total_first, *total_second;
    size_t first, second; /* where their sums stand in a trial's row of products */
} swapped_pair;

static swapped_pair find_pair(const double *totals, const int64_t *pair, size_t k) {
    const size_t first = (size_t)pair[0] * k, second = (size_t)pair[1] * k;
    return (swapped_pair){totals + first, totals + second, first, second};
}

/* Defines a function that gives the score of the first shuffled system minus that of the second in one trial. */
#define DEFINE_SHUFFLED_DIFFERENCE(FUNCTION, REAL)                                                           \
    static inline double FUNCTION(score_double score, const formula *f, const REAL *products, size_t k,      \
                                  const swapped_pair *pair) {                                                \
        double first[MAX_COLUMNS], second[MAX_COLUMNS];                                                      \
        for (size_t column = 0; column < k; column++) {                                                      \
            double moved = (double)products[pair->first + column] - (double)products[pair->second + column]; \
            first[column] = moved + pair->total_second[column];                                              \
            second[column] = pair->total_first[column] - moved;                                              \
        }                                                                                                    \
        return score(first, k, f) - score(second, k, f);                                                     \
    }

DEFINE_SHUFFLED_DIFFERENCE(shuffled_difference_single, float)
DEFINE_SHUFFLED_DIFFERENCE(shuffled_difference_double, double)

/* Defines a function that writes the score difference of every pair and trial.
 *
 * products: (trials x systems x k) sums over the units kept; totals: (systems x k) sums over all units; pairs:
 * (n_pairs x 2) system numbers; differences: (n_pairs x trials). */
#define DEFINE_SWAP_DIFFERENCES(FUNCTION, DIFFERENCE, REAL)                                                  \
    static void FUNCTION(const formula *f, const REAL *products, size_t trials, size_t systems, size_t k,    \
                         const double *totals, const int64_t *pairs, size_t n_pairs, double *differences) {  \
        const score_double score = find_score_double(f);                                                     \
        for (size_t number = 0; number < n_pairs; number++) {                                                \
            const swapped_pair pair = find_pair(totals, pairs + 2 * number, k);                              \
            for (size_t trial = 0; trial < trials; trial++)                                                  \
                *differences++ = DIFFERENCE(score, f, products + trial * systems * k, k, &pair);             \
        }                                                                                                    \
    }

DEFINE_SWAP_DIFFERENCES(swap_differences_single, shuffled_difference_single, float)
DEFINE_SWAP_DIFFERENCES(swap_differences_double, shuffled_difference_double, double)

/* Defines a function that counts for every pair the trials whose difference is at least as large as the observed one
 * within the tolerance (first count; undefined differences are), and those whose is strictly larger (second). */
#define DEFINE_COUNT_SWAPS(FUNCTION, DIFFERENCE, REAL)                                                       \
    static void FUNCTION(const formula *f, const REAL *products, size_t trials, size_t systems, size_t k,    \
                         const double *totals, const int64_t *pairs, size_t n_pairs, const double *observed, \
                         double tolerance, int64_t *counts) {                                                \
        const score_double score = find_score_double(f);                                                     \
        for (size_t number = 0; number < n_pairs; number++) {                                                \
            const swapped_pair pair = find_pair(totals, pairs + 2 * number, k);                              \
            const double larger = fabs(observed[number]), nearly = larger - tolerance;                       \
            int64_t at_least = 0, more = 0;                                                                  \
            for (size_t trial = 0; trial < trials; trial++) {                                                \
                double size = fabs(DIFFERENCE(score, f, products + trial * systems * k, k, &pair));          \
                at_least += !(size < nearly);                                                                \
                more += size > larger;                                                                       \
            }                                                                                                \
            *counts++ = at_least;                                                                            \
            *counts++ = more;                                                                                \
        }                                                                                                    \
    }

DEFINE_COUNT_SWAPS(count_swaps_single, shuffled_difference_single, float)
DEFINE_COUNT_SWAPS(count_swaps_double, shuffled_difference_double, double)

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

/* count_swaps(formula, products, single, totals, k, pairs, observed, tolerance, counts) */
static PyObject *py_count_swaps(PyObject *module, PyObject *args) {
    (void)module;
    PyObject *description;
    Py_buffer products, totals, pairs, observed, counts;
    Py_ssize_t k;
    int single;
    double tolerance;
    formula f;
    if (!PyArg_ParseTuple(args, "O!y*py*ny*y*dw*:count_swaps", &PyTuple_Type, &description, &products, &single,
                          &totals, &k, &pairs, &observed, &tolerance, &counts))
        return NULL;
    if (parse_formula(description, &f)) {
        Py_BEGIN_ALLOW_THREADS
        const size_t systems = (size_t)totals.len / sizeof(double) / (size_t)k;
        const size_t n_pairs = (size_t)observed.len / sizeof(double);
        const size_t row = systems * (size_t)k * (single ? sizeof(float) : sizeof(double));
        const size_t trials = (size_t)products.len / row;
        if (single)
            count_swaps_single(&f, products.buf, trials, systems, (size_t)k, totals.buf, pairs.buf, n_pairs,
                               observed.buf, tolerance, counts.buf);
        else
            count_swaps_double(&f, products.buf, trials, systems, (size_t)k, totals.buf, pairs.buf, n_pairs,
                               observed.buf, tolerance, counts.buf);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&products);
    PyBuffer_Release(&totals);
    PyBuffer_Release(&pairs);
    PyBuffer_Release(&observed);
    PyBuffer_Release(&counts);
    if (PyErr_Occurred()) return NULL;
    Py_RETURN_NONE;
}

#define SCORES_METHODS                                                                                       \
    {"score_sums", py_score_sums, METH_VARARGS, "Scores of rows of sums."},                                  \
    {"swap_differences", py_swap_differences, METH_VARARGS, "Score differences of shuffled pairs."},         \
    {"count_swaps", py_count_swaps, METH_VARARGS, "Compare shuffled pairs with the observed difference."},

#endif
