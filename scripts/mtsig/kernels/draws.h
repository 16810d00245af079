/* Random draws from the stream of numpy's default generator (PCG64), fused with what resampling does with them.
 *
 * numpy.random.default_rng(seed) is a PCG64 generator: a 128-bit linear congruential step followed by a rotation of
 * the folded state (O'Neill 2014, "XSL RR"). Bounded integers below 2**32 come from its 64-bit words in two halves,
 * the low one first, by Lemire's multiplication method with rejection. The functions here draw from exactly that
 * stream, so that they continue where numpy stopped and numpy can continue where they stop.
 */

#ifndef MTSIG_DRAWS_H
#define MTSIG_DRAWS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

typedef struct {
    uint128 state, increment;
    int has_half;  /* whether the high half of the last word is still to be handed out */
    uint32_t half;
} generator;

/* Layout of a generator in an array of 64-bit words, as `_pack_state` of the Python side writes it. */
enum { STATE_HIGH, STATE_LOW, INCREMENT_HIGH, INCREMENT_LOW, HAS_HALF, HALF, GENERATOR_WORDS };

static generator load_generator(const uint64_t *words) {
    generator g;
    g.state = (uint128)words[STATE_HIGH] << 64 | words[STATE_LOW];
    g.increment = (uint128)words[INCREMENT_HIGH] << 64 | words[INCREMENT_LOW];
    g.has_half = words[HAS_HALF] != 0;
    g.half = (uint32_t)words[HALF];
    return g;
}

static void store_generator(uint64_t *words, const generator *g) {
    words[STATE_HIGH] = (uint64_t)(g->state >> 64);
    words[STATE_LOW] = (uint64_t)g->state;
    words[HAS_HALF] = (uint64_t)g->has_half;
    words[HALF] = g->half;
}

static inline uint64_t next_word(generator *g) {
    const uint128 multiplier = (uint128)2549297995355413924ULL << 64 | 4865540595714422341ULL;
    g->state = g->state * multiplier + g->increment;
    uint64_t folded = (uint64_t)(g->state >> 64) ^ (uint64_t)g->state;
    unsigned rotation = (unsigned)(g->state >> 122);
    return folded >> rotation | folded << (-rotation & 63);
}

static inline uint32_t next_half(generator *g) {
    if (g->has_half) {
        g->has_half = 0;
        return g->half;
    }
    uint64_t word = next_word(g);
    g->has_half = 1;
    g->half = (uint32_t)(word >> 32);
    return (uint32_t)word;
}

/* Products whose low half lies below this are rejected, so that every index is equally likely (Lemire 2019). */
static inline uint32_t rejection_threshold(uint32_t n) { return (uint32_t)(-n) % n; }

/* One index in 0..n-1. numpy draws nothing at all when there is only one possible value. */
static inline uint32_t next_index(generator *g, uint32_t n, uint32_t threshold) {
    if (n == 1) return 0;
    for (;;) {
        uint64_t product = (uint64_t)next_half(g) * n;
        if ((uint32_t)product >= threshold) return (uint32_t)(product >> 32);
    }
}

/* Defines a function that fills `rows` rows of `n` draw counts: how often each unit occurs in n draws with replacement. */
#define DEFINE_DRAW_COUNTS(NAME, REAL)                                                                       \
    static void NAME(uint64_t *words, uint32_t n, size_t rows, REAL *counts) {                               \
        generator g = load_generator(words);                                                                 \
        const uint32_t threshold = rejection_threshold(n);                                                   \
        memset(counts, 0, rows * n * sizeof *counts);                                                        \
        for (size_t row = 0; row < rows; row++, counts += n)                                                 \
            for (uint32_t draw = 0; draw < n; draw++) counts[next_index(&g, n, threshold)] += 1;             \
        store_generator(words, &g);                                                                          \
    }

DEFINE_DRAW_COUNTS(draw_counts_single, float)
DEFINE_DRAW_COUNTS(draw_counts_double, double)

/* Defines a function that writes the next `length` random bits as 0 and 1. numpy takes bits from 32-bit halves, lowest
 * first, and drops the rest of the last half at the end of a call. */
#define DEFINE_SWAP_SIGNS(NAME, REAL)                                                                        \
    static void NAME(uint64_t *words, size_t length, REAL *signs) {                                          \
        generator g = load_generator(words);                                                                 \
        REAL patterns[256][8]; /* the eight bits of every byte, spread out */                                \
        for (int byte = 0; byte < 256; byte++)                                                               \
            for (int bit = 0; bit < 8; bit++) patterns[byte][bit] = (REAL)(byte >> bit & 1);                 \
        while (length > 0) {                                                                                 \
            uint32_t bits = next_half(&g);                                                                   \
            size_t taken = length < 32 ? length : 32;                                                        \
            for (size_t done = 0; done < taken; done += 8, bits >>= 8) {                                     \
                size_t now = taken - done < 8 ? taken - done : 8;                                            \
                if (now == 8)                                                                                \
                    memcpy(signs + done, patterns[bits & 255], sizeof patterns[0]);                          \
                else                                                                                         \
                    memcpy(signs + done, patterns[bits & 255], now * sizeof(REAL));                          \
            }                                                                                                \
            signs += taken;                                                                                  \
            length -= taken;                                                                                 \
        }                                                                                                    \
        store_generator(words, &g);                                                                          \
    }

DEFINE_SWAP_SIGNS(swap_signs_single, float)
DEFINE_SWAP_SIGNS(swap_signs_double, double)

/* Sums of n drawn rows of `statistics` (n x k) in single precision, added one after the other in the order of the
 * draws: what numpy's float32 sum over the first axis gives. Only needed where rounding makes the order matter. */
static void sequential_sums(uint64_t *words, const float *statistics, uint32_t n, size_t k, size_t rows, float *sums) {
    generator g = load_generator(words);
    const uint32_t threshold = rejection_threshold(n);
    for (size_t row = 0; row < rows; row++, sums += k) {
        memcpy(sums, statistics + (size_t)next_index(&g, n, threshold) * k, k * sizeof *sums);
        for (uint32_t draw = 1; draw < n; draw++) {
            const float *drawn = statistics + (size_t)next_index(&g, n, threshold) * k;
            for (size_t column = 0; column < k; column++) sums[column] += drawn[column];
        }
    }
    store_generator(words, &g);
}

/* --- functions that Python calls --------------------------------------------------------------------------------- */

static PyObject *py_draw_counts(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer state, counts;
    unsigned int n;
    int single;
    if (!PyArg_ParseTuple(args, "w*Iw*p:draw_counts", &state, &n, &counts, &single)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    const size_t rows = (size_t)counts.len / n / (single ? sizeof(float) : sizeof(double));
    if (single)
        draw_counts_single(state.buf, n, rows, counts.buf);
    else
        draw_counts_double(state.buf, n, rows, counts.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&state);
    PyBuffer_Release(&counts);
    Py_RETURN_NONE;
}

static PyObject *py_swap_signs(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer state, signs;
    int single;
    if (!PyArg_ParseTuple(args, "w*w*p:swap_signs", &state, &signs, &single)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    if (single)
        swap_signs_single(state.buf, (size_t)signs.len / sizeof(float), signs.buf);
    else
        swap_signs_double(state.buf, (size_t)signs.len / sizeof(double), signs.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&state);
    PyBuffer_Release(&signs);
    Py_RETURN_NONE;
}

static PyObject *py_sequential_sums(PyObject *module, PyObject *args) {
    (void)module;
    Py_buffer state, statistics, sums;
    unsigned int n;
    if (!PyArg_ParseTuple(args, "w*y*Iw*:sequential_sums", &state, &statistics, &n, &sums)) return NULL;
    Py_BEGIN_ALLOW_THREADS
    const size_t k = (size_t)statistics.len / n / sizeof(float);
    sequential_sums(state.buf, statistics.buf, n, k, (size_t)sums.len / k / sizeof(float), sums.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&state);
    PyBuffer_Release(&statistics);
    PyBuffer_Release(&sums);
    Py_RETURN_NONE;
}

#define DRAWS_METHODS                                                                                        \
    {"draw_counts", py_draw_counts, METH_VARARGS, "Fill rows with the counts of n draws."},                  \
    {"swap_signs", py_swap_signs, METH_VARARGS, "Fill an array with random bits."},                          \
    {"sequential_sums", py_sequential_sums, METH_VARARGS, "Add drawn rows one by one in single precision."},

#endif
