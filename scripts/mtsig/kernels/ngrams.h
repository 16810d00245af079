/* N-grams of words or characters that a hypothesis shares with its references. */

#ifndef MTSIG_NGRAMS_H
#define MTSIG_NGRAMS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "text.h"

static const uint64_t HASH_MULTIPLIER = 0x9E3779B97F4A7C15ULL; /* 2^64 divided by the golden ratio (Knuth) */

/* Size of an open-addressing table, a power of two, that is at most half full with `entries` entries. */
static int table_bits(int64_t entries) {
    int bits = 4;
    while ((int64_t)1 << bits < 2 * entries) bits++;
    return bits;
}

/* --- distinct words of the references ---------------------------------------------------------------------------- */

/* Names every distinct word of the references by a number from 0 on. Words are compared in full, so that a collision
 * of hash values never mixes two of them up. */
typedef struct {
    span *words;
    int32_t n_words;
    int32_t *slots; /* number of a word, or -1 */
    int bits;
} vocabulary;

static void clear_vocabulary(vocabulary *v, int64_t n_words) {
    v->n_words = 0;
    v->bits = table_bits(n_words);
    memset(v->slots, -1, sizeof *v->slots << v->bits);
}

static inline uint64_t hash_word(span word) {
    uint64_t hash = (uint64_t)word.length;
    for (int32_t i = 0; i < word.length; i++) {
        hash = (hash ^ word.start[i]) * HASH_MULTIPLIER;
        hash ^= hash >> 29;
    }
    return hash * HASH_MULTIPLIER;
}

static inline int same_word(span a, span b) {
    return a.length == b.length && memcmp(a.start, b.start, sizeof *a.start * (size_t)a.length) == 0;
}

/* The slot that holds the word, or the empty one where it belongs. */
static inline int32_t *slot_of_word(const vocabulary *v, span word) {
    const uint64_t mask = ((uint64_t)1 << v->bits) - 1;
    uint64_t slot = hash_word(word) >> (64 - v->bits);
    while (v->slots[slot] >= 0 && !same_word(v->words[v->slots[slot]], word)) slot = (slot + 1) & mask;
    return v->slots + slot;
}

static inline int32_t number_of_word(vocabulary *v, span word) {
    int32_t *slot = slot_of_word(v, word);
    if (*slot < 0) {
        *slot = v->n_words;
        v->words[v->n_words++] = word;
    }
    return *slot;
}

/* The word's number, or -1 if no reference has it. */
static inline int32_t find_word(const vocabulary *v, span word) { return *slot_of_word(v, word); }

/* --- n-grams of the references as a trie ------------------------------------------------------------------------- */

/* An n-gram of a reference, in a hash table under its edge: the slot of the n-gram that is shorter by its last symbol,
 * and that symbol. So an n-gram is found by steps that compare numbers exactly, however long it is. */
typedef struct {
    uint64_t edge;
    int32_t limit; /* the largest number of times that one reference has it */
    int32_t tally; /* occurrences in the text at hand, on top of its `base`; at most `base` if there is none yet */
} ngram;

typedef struct {
    ngram *slots;
    int bits;
    int order;
    int32_t base; /* larger for each text than any tally before, so that nothing has to be set back to zero */
} trie;

static const uint64_t NO_EDGE = UINT64_MAX;

static void clear_trie(trie *t, int order, int64_t n_symbols) {
    t->order = order;
    t->bits = table_bits(order * n_symbols);
    t->base = 0;
    memset(t->slots, -1, sizeof *t->slots << t->bits);
}

/* The number that stands for the empty n-gram: no slot has it. */
static inline uint64_t trie_root(const trie *t) { return (uint64_t)1 << t->bits; }

/* The slot of the n-gram, or the empty one where it belongs. */
static inline uint64_t slot_of_ngram(const trie *t, uint64_t edge) {
    const uint64_t mask = ((uint64_t)1 << t->bits) - 1;
    uint64_t slot = edge * HASH_MULTIPLIER >> (64 - t->bits);
    while (t->slots[slot].edge != edge && t->slots[slot].edge != NO_EDGE) slot = (slot + 1) & mask;
    return slot;
}

/* Counts one more occurrence in the text at hand; returns how many there are now. */
static inline int32_t count_ngram(ngram *node, int32_t base) {
    node->tally = (node->tally > base ? node->tally : base) + 1;
    return node->tally - base;
}

/* Makes sure that the tallies of a text of n symbols fit in 32 bits. */
static void keep_tallies_small(trie *t, int32_t n) {
    if (t->base < INT32_MAX - n) return;
    for (uint64_t slot = 0; slot < trie_root(t); slot++) t->slots[slot].tally = 0;
    t->base = 0;
}

static void add_reference(trie *t, const uint32_t *symbols, int32_t n) {
    keep_tallies_small(t, n);
    for (int32_t start = 0; start < n; start++) {
        uint64_t parent = trie_root(t);
        for (int32_t i = start; i < n && i < start + t->order; i++) {
            const uint64_t edge = parent << 32 | symbols[i], slot = slot_of_ngram(t, edge);
            ngram *const node = t->slots + slot;
            if (node->edge == NO_EDGE) *node = (ngram){edge, 0, 0};
            const int32_t count = count_ngram(node, t->base);
            if (count > node->limit) node->limit = count;
            parent = slot;
        }
    }
    t->base += n;
}

/* Adds to matches[0..order-1] how many n-grams of each order the hypothesis shares with the references, each counted
 * at most as often as one reference has it. An n-gram that no reference has ends the walk: none that begins with it
 * can match either. */
static void match_hypothesis(trie *t, const uint32_t *symbols, int32_t n, int32_t *matches) {
    keep_tallies_small(t, n);
    for (int32_t start = 0; start < n; start++) {
        uint64_t parent = trie_root(t);
        for (int32_t i = start; i < n && i < start + t->order; i++) {
            const uint64_t edge = parent << 32 | symbols[i], slot = slot_of_ngram(t, edge);
            ngram *const node = t->slots + slot;
            if (node->edge == NO_EDGE) break;
            matches[i - start] += count_ngram(node, t->base) <= node->limit;
            parent = slot;
        }
    }
    t->base += n;
}

static inline int32_t n_ngrams(int32_t n_symbols, int order) { return n_symbols < order ? 0 : n_symbols - order + 1; }

/* --- memory ------------------------------------------------------------------------------------------------------ */

/* What counting needs for references of together `capacity` symbols and texts of at most as many. */
typedef struct {
    int64_t capacity;
    vocabulary vocabulary;
    trie trie;
    uint32_t *symbols;
} ngram_memory;

static void free_ngram_memory(ngram_memory *m) {
    free(m->vocabulary.words);
    free(m->vocabulary.slots);
    free(m->trie.slots);
    free(m->symbols);
    memset(m, 0, sizeof *m);
}

/* Makes room; returns 0 if there is none. */
static int fit_ngram_memory(ngram_memory *m, int order, int64_t capacity) {
    if (capacity <= m->capacity && m->capacity > 0) return 1;
    const int64_t n = capacity + capacity / 2 + 1;
    m->capacity = n;
    return RENEW(m->vocabulary.words, n) && RENEW(m->vocabulary.slots, (int64_t)1 << table_bits(n)) &&
           RENEW(m->trie.slots, (int64_t)1 << table_bits(order * n)) && RENEW(m->symbols, n);
}

#endif
