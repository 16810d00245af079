/* Statistics of BLEU, chrF and TER for all systems of a block of segments, and the functions that Python calls.
 *
 * Texts come as UTF-32 code points, all in one buffer, with the offsets of their ends in another. The hypotheses of
 * one system stand together. What depends on a reference only is computed once for all systems.
 */

#ifndef MTSIG_EXTRACTION_H
#define MTSIG_EXTRACTION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

#include "memory.h"
#include "ngrams.h"
#include "ter.h"
#include "text.h"

enum { MAX_ORDER = 64 };

typedef struct {
    const uint32_t *letters;
    const int64_t *offsets; /* text i is letters[offsets[i]..offsets[i + 1] - 1] */
} texts;

static span text_at(texts t, int64_t i) {
    return (span){t.letters + t.offsets[i], (int32_t)(t.offsets[i + 1] - t.offsets[i])};
}

/* The block of segments at hand: hypothesis `segment` of system s is text s * n_segments + segment. */
typedef struct {
    texts references, hypotheses;
    int64_t n_segments, n_systems;
} block;

static span hypothesis_at(const block *b, int64_t system, int64_t segment) {
    return text_at(b->hypotheses, system * b->n_segments + segment);
}

static int64_t longest_hypothesis(const block *b, int64_t segment) {
    int64_t longest = 0;
    for (int64_t system = 0; system < b->n_systems; system++) {
        const int64_t length = hypothesis_at(b, system, segment).length;
        if (length > longest) longest = length;
    }
    return longest;
}

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* Room for the words of the texts of a segment, and for those letters of words that are not taken from the text. */
typedef struct {
    int64_t capacity;
    span *ref_words, *hyp_words;
    uint32_t *ref_letters, *hyp_letters, *spare_letters;
} word_memory;

static void free_word_memory(word_memory *m) {
    free(m->ref_words);
    free(m->hyp_words);
    free(m->ref_letters);
    free(m->hyp_letters);
    free(m->spare_letters);
    memset(m, 0, sizeof *m);
}

/* Makes room for texts of up to `capacity` characters in all. Returns 0 if there is none. */
static int fit_word_memory(word_memory *m, int64_t capacity) {
    if (m->capacity >= capacity && m->capacity > 0) return 1;
    const int64_t n = capacity + capacity / 2 + 1;
    m->capacity = n;
    return RENEW(m->ref_words, n) && RENEW(m->hyp_words, n) && RENEW(m->ref_letters, detached_capacity(n)) &&
           RENEW(m->hyp_letters, detached_capacity(n)) && RENEW(m->spare_letters, detached_capacity(n));
}

static void name_words(const vocabulary *v, const span *words, int32_t n, uint32_t *symbols) {
    for (int32_t i = 0; i < n; i++) symbols[i] = (uint32_t)find_word(v, words[i]);
}

static void name_reference_words(vocabulary *v, const span *words, int32_t n, uint32_t *symbols) {
    for (int32_t i = 0; i < n; i++) symbols[i] = (uint32_t)number_of_word(v, words[i]);
}

/* --- BLEU -------------------------------------------------------------------------------------------------------- */

typedef struct {
    word_memory text;
    ngram_memory ngrams;
    int32_t *ref_lengths;
    int64_t ref_capacity;
} bleu_memory;

/* The reference length closest to the hypothesis's, the shorter one of two that are equally close. */
static int32_t closest_length(const int32_t *lengths, int64_t n, int32_t hyp_length) {
    int32_t closest = lengths[0];
    for (int64_t i = 1; i < n; i++) {
        const int32_t distance = abs(hyp_length - lengths[i]), smallest = abs(hyp_length - closest);
        if (distance < smallest || (distance == smallest && lengths[i] < closest)) closest = lengths[i];
    }
    return closest;
}

static int32_t split_for_bleu(span text, int tokenize, span *words, uint32_t **letters, uint32_t *spare) {
    return tokenize ? split_words_13a(text, words, letters, spare) : split_words(text, words);
}

/* Statistics of one segment of all systems, hyp_len, ref_len, correct_1.., total_1.., each system's `stride` apart.
 * Its references are texts first..last-1. Returns 0 if there is no memory. */
static int bleu_segment(const block *b, int64_t segment, int64_t first, int64_t last, int tokenize, int order,
                        bleu_memory *m, double *out, int64_t stride) {
    const int64_t letters = b->references.offsets[last] - b->references.offsets[first];
    const int64_t capacity = larger(letters, longest_hypothesis(b, segment));
    if (!fit_word_memory(&m->text, capacity) || !fit_ngram_memory(&m->ngrams, order, capacity)) return 0;
    if (last - first > m->ref_capacity) {
        m->ref_capacity = last - first;
        if (!RENEW(m->ref_lengths, m->ref_capacity)) return 0;
    }

    int32_t n_words = 0;
    uint32_t *free_letters = m->text.ref_letters;
    for (int64_t reference = first; reference < last; reference++) {
        const int32_t length = split_for_bleu(text_at(b->references, reference), tokenize, m->text.ref_words + n_words,
                                              &free_letters, m->text.spare_letters);
        m->ref_lengths[reference - first] = length;
        n_words += length;
    }
    clear_vocabulary(&m->ngrams.vocabulary, n_words);
    clear_trie(&m->ngrams.trie, order, n_words);
    const span *words = m->text.ref_words;
    for (int64_t i = 0; i < last - first; words += m->ref_lengths[i++]) {
        name_reference_words(&m->ngrams.vocabulary, words, m->ref_lengths[i], m->ngrams.symbols);
        add_reference(&m->ngrams.trie, m->ngrams.symbols, m->ref_lengths[i]);
    }

    for (int64_t system = 0; system < b->n_systems; system++, out += stride) {
        free_letters = m->text.hyp_letters;
        const int32_t length = split_for_bleu(hypothesis_at(b, system, segment), tokenize, m->text.hyp_words,
                                              &free_letters, m->text.spare_letters);
        name_words(&m->ngrams.vocabulary, m->text.hyp_words, length, m->ngrams.symbols);
        int32_t matches[MAX_ORDER] = {0};
        match_hypothesis(&m->ngrams.trie, m->ngrams.symbols, length, matches);
        out[0] = length;
        out[1] = closest_length(m->ref_lengths, last - first, length);
        for (int n = 1; n <= order; n++) {
            out[1 + n] = matches[n - 1];
            out[1 + order + n] = n_ngrams(length, n);
        }
    }
    return 1;
}

/* Statistics of all segments, (n_systems, n_segments, 2 + 2 order). References of segment i are texts ref_rows[i] to
 * ref_rows[i + 1] - 1; segments without any are left as they are. Returns 0 if there is no memory. */
static int bleu_block(const block *b, const int64_t *ref_rows, int tokenize, int order, double *out) {
    bleu_memory memory = {0};
    const int64_t width = 2 + 2 * order;
    int done = 1;
    for (int64_t i = 0; i < b->n_segments && done; i++)
        if (ref_rows[i] < ref_rows[i + 1])
            done = bleu_segment(b, i, ref_rows[i], ref_rows[i + 1], tokenize, order, &memory, out + i * width,
                                b->n_segments * width);
    free_word_memory(&memory.text);
    free_ngram_memory(&memory.ngrams);
    free(memory.ref_lengths);
    return done;
}

/* --- chrF -------------------------------------------------------------------------------------------------------- */

typedef struct {
    word_memory text;
    ngram_memory characters, words;
} chrf_memory;

static int32_t characters_of(span text, int keep_spaces, uint32_t *symbols) {
    if (!keep_spaces) return remove_spaces(text, symbols);
    memcpy(symbols, text.start, sizeof *symbols * (size_t)text.length);
    return text.length;
}

/* Triples of n-grams of the hypothesis, the reference and both, for each order. An order that the reference lacks
 * counts nothing in the hypothesis either. */
static double *write_triples(trie *t, const uint32_t *symbols, int32_t hyp_length, int32_t ref_length, double *out) {
    int32_t matches[MAX_ORDER] = {0};
    match_hypothesis(t, symbols, hyp_length, matches);
    for (int n = 1; n <= t->order; n++) {
        const int32_t in_reference = n_ngrams(ref_length, n);
        *out++ = in_reference > 0 ? n_ngrams(hyp_length, n) : 0;
        *out++ = in_reference;
        *out++ = matches[n - 1];
    }
    return out;
}

static int chrf_segment(const block *b, int64_t segment, int char_order, int word_order, int keep_spaces,
                        chrf_memory *m, double *out, int64_t stride) {
    const span reference = text_at(b->references, segment);
    const int64_t capacity = larger(reference.length, longest_hypothesis(b, segment));
    if (!fit_word_memory(&m->text, capacity) || !fit_ngram_memory(&m->characters, char_order, capacity) ||
        (word_order > 0 && !fit_ngram_memory(&m->words, word_order, capacity)))
        return 0;

    uint32_t *characters = m->characters.symbols, *words = m->words.symbols;
    const int32_t n_characters = characters_of(reference, keep_spaces, characters);
    clear_trie(&m->characters.trie, char_order, n_characters);
    add_reference(&m->characters.trie, characters, n_characters);
    int32_t n_words = 0;
    if (word_order > 0) {
        n_words = split_words_and_punctuation(reference, m->text.ref_words);
        clear_vocabulary(&m->words.vocabulary, n_words);
        clear_trie(&m->words.trie, word_order, n_words);
        name_reference_words(&m->words.vocabulary, m->text.ref_words, n_words, words);
        add_reference(&m->words.trie, words, n_words);
    }

    for (int64_t system = 0; system < b->n_systems; system++, out += stride) {
        const span hypothesis = hypothesis_at(b, system, segment);
        const int32_t length = characters_of(hypothesis, keep_spaces, characters);
        double *rest = write_triples(&m->characters.trie, characters, length, n_characters, out);
        if (word_order > 0) {
            const int32_t n = split_words_and_punctuation(hypothesis, m->text.hyp_words);
            name_words(&m->words.vocabulary, m->text.hyp_words, n, words);
            write_triples(&m->words.trie, words, n, n_words, rest);
        }
    }
    return 1;
}

/* Statistics of all segments, (n_systems, n_segments, 3 (char_order + word_order)). Returns 0 if there is no memory. */
static int chrf_block(const block *b, int char_order, int word_order, int keep_spaces, double *out) {
    chrf_memory memory = {0};
    const int64_t width = 3 * (char_order + word_order);
    int done = 1;
    for (int64_t i = 0; i < b->n_segments && done; i++)
        done = chrf_segment(b, i, char_order, word_order, keep_spaces, &memory, out + i * width, b->n_segments * width);
    free_word_memory(&memory.text);
    free_ngram_memory(&memory.characters);
    free_ngram_memory(&memory.words);
    return done;
}

/* --- TER --------------------------------------------------------------------------------------------------------- */

typedef struct {
    word_memory text;
    ngram_memory ngrams; /* for its vocabulary */
    ter_search search;
} ter_memory;

static int ter_segment(const block *b, int64_t segment, ter_memory *m, double *out, int64_t stride) {
    const span reference = text_at(b->references, segment);
    const int64_t capacity = larger(reference.length, longest_hypothesis(b, segment));
    if (!fit_word_memory(&m->text, capacity) || !fit_ngram_memory(&m->ngrams, 1, capacity) ||
        !fit_ter_words(&m->search, (int32_t)(capacity / 2 + 1)))
        return 0;
    vocabulary *const v = &m->ngrams.vocabulary;
    const int32_t n_ref = split_words(reference, m->text.ref_words);
    clear_vocabulary(v, n_ref);
    name_reference_words(v, m->text.ref_words, n_ref, m->ngrams.symbols);
    if (!set_ter_reference(&m->search, (const int32_t *)m->ngrams.symbols, n_ref, v->n_words)) return 0;

    for (int64_t system = 0; system < b->n_systems; system++, out += stride) {
        m->search.n_hyp = split_words(hypothesis_at(b, system, segment), m->text.hyp_words);
        name_words(v, m->text.hyp_words, m->search.n_hyp, (uint32_t *)m->search.hyp);
        const int64_t edits = ter_edits(&m->search);
        if (edits < 0) return 0;
        out[0] = (double)edits;
        out[1] = n_ref;
    }
    return 1;
}

/* Edits and reference length of all segments, (n_systems, n_segments, 2). Returns 0 if there is no memory. */
static int ter_block(const block *b, double *out) {
    ter_memory memory = {0};
    int done = 1;
    for (int64_t i = 0; i < b->n_segments && done; i++)
        done = ter_segment(b, i, &memory, out + i * 2, b->n_segments * 2);
    free_word_memory(&memory.text);
    free_ngram_memory(&memory.ngrams);
    free_ter(&memory.search);
    return done;
}

/* --- functions that Python calls --------------------------------------------------------------------------------- */

typedef struct {
    Py_buffer ref_letters, ref_offsets, hyp_letters, hyp_offsets, out;
} block_buffers;

static void release_block(block_buffers *v) {
    PyBuffer_Release(&v->ref_letters);
    PyBuffer_Release(&v->ref_offsets);
    PyBuffer_Release(&v->hyp_letters);
    PyBuffer_Release(&v->hyp_offsets);
    PyBuffer_Release(&v->out);
}

/* Whether `rows` are `n` + 1 ascending row numbers up to `n_texts`. */
static int are_rows(const int64_t *rows, int64_t n, int64_t n_texts) {
    if (n < 0 || rows[0] < 0 || rows[n] > n_texts) return 0;
    for (int64_t i = 0; i < n; i++)
        if (rows[i] > rows[i + 1]) return 0;
    return 1;
}

/* The number of texts that a pair of buffers holds, or -1 if the offsets do not fit the letters. */
static int64_t count_texts(const Py_buffer *letters, const Py_buffer *offsets) {
    const int64_t n = offsets->len / (Py_ssize_t)sizeof(int64_t) - 1;
    return are_rows(offsets->buf, n, letters->len / (Py_ssize_t)sizeof(uint32_t)) ? n : -1;
}

/* Describes the buffers as a block of `n_segments`; raises ValueError and returns 0 if their sizes do not agree. */
static int view_block(const block_buffers *v, Py_ssize_t n_segments, int64_t width, block *b) {
    const int64_t n_hypotheses = count_texts(&v->hyp_letters, &v->hyp_offsets);
    b->references = (texts){v->ref_letters.buf, v->ref_offsets.buf};
    b->hypotheses = (texts){v->hyp_letters.buf, v->hyp_offsets.buf};
    b->n_segments = n_segments;
    b->n_systems = n_segments > 0 ? n_hypotheses / n_segments : 0;
    if (n_segments > 0 && n_hypotheses >= 0 && count_texts(&v->ref_letters, &v->ref_offsets) >= 0 &&
        b->n_systems * n_segments == n_hypotheses &&
        v->out.len == b->n_systems * n_segments * width * (int64_t)sizeof(double))
        return 1;
    PyErr_SetString(PyExc_ValueError, "the buffers' sizes do not agree");
    return 0;
}

static PyObject *finish_block(block_buffers *v, int done) {
    release_block(v);
    if (PyErr_Occurred()) return NULL;
    if (!done) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *py_bleu_statistics(PyObject *module, PyObject *args) {
    (void)module;
    block_buffers v;
    Py_buffer ref_rows;
    int tokenize, order, done = 1;
    block b;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*w*pi:bleu_statistics", &v.ref_letters, &v.ref_offsets, &ref_rows,
                          &v.hyp_letters, &v.hyp_offsets, &v.out, &tokenize, &order))
        return NULL;
    const Py_ssize_t n_segments = ref_rows.len / (Py_ssize_t)sizeof(int64_t) - 1;
    const int64_t n_references = count_texts(&v.ref_letters, &v.ref_offsets);
    if (order < 1 || order > MAX_ORDER || !are_rows(ref_rows.buf, n_segments, n_references))
        PyErr_SetString(PyExc_ValueError, "impossible order of n-grams or rows of references");
    else if (view_block(&v, n_segments, 2 + 2 * order, &b)) {
        Py_BEGIN_ALLOW_THREADS
        done = bleu_block(&b, ref_rows.buf, tokenize, order, v.out.buf);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&ref_rows);
    return finish_block(&v, done);
}

static PyObject *py_chrf_statistics(PyObject *module, PyObject *args) {
    (void)module;
    block_buffers v;
    int char_order, word_order, keep_spaces, done = 1;
    block b;
    if (!PyArg_ParseTuple(args, "y*y*y*y*w*iip:chrf_statistics", &v.ref_letters, &v.ref_offsets, &v.hyp_letters,
                          &v.hyp_offsets, &v.out, &char_order, &word_order, &keep_spaces))
        return NULL;
    const Py_ssize_t n_segments = v.ref_offsets.len / (Py_ssize_t)sizeof(int64_t) - 1;
    if (char_order < 1 || char_order > MAX_ORDER || word_order < 0 || word_order > MAX_ORDER)
        PyErr_SetString(PyExc_ValueError, "impossible order of n-grams");
    else if (view_block(&v, n_segments, 3 * (char_order + word_order), &b)) {
        Py_BEGIN_ALLOW_THREADS
        done = chrf_block(&b, char_order, word_order, keep_spaces, v.out.buf);
        Py_END_ALLOW_THREADS
    }
    return finish_block(&v, done);
}

static PyObject *py_ter_statistics(PyObject *module, PyObject *args) {
    (void)module;
    block_buffers v;
    int done = 1;
    block b;
    if (!PyArg_ParseTuple(args, "y*y*y*y*w*:ter_statistics", &v.ref_letters, &v.ref_offsets, &v.hyp_letters,
                          &v.hyp_offsets, &v.out))
        return NULL;
    const Py_ssize_t n_segments = v.ref_offsets.len / (Py_ssize_t)sizeof(int64_t) - 1;
    if (view_block(&v, n_segments, 2, &b)) {
        Py_BEGIN_ALLOW_THREADS
        done = ter_block(&b, v.out.buf);
        Py_END_ALLOW_THREADS
    }
    return finish_block(&v, done);
}

#define EXTRACTION_METHODS                                                                                       \
    {"bleu_statistics", py_bleu_statistics, METH_VARARGS, "See mtsig.kernels.extraction.bleu_statistics."},      \
    {"chrf_statistics", py_chrf_statistics, METH_VARARGS, "See mtsig.kernels.extraction.chrf_statistics."},      \
    {"ter_statistics", py_ter_statistics, METH_VARARGS, "See mtsig.kernels.extraction.ter_statistics."},

#endif
