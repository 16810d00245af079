/* Edits of the translation edit rate: word edits and block shifts, as sacreBLEU's port of Tercom searches them.
 *
 * The search is greedy. The words are aligned by edit distance; every run of words that also stands elsewhere in the
 * reference is tried at the places its counterpart is aligned to; the best shift is made if it lowers the distance,
 * and so on. All hypotheses of one search are permutations of each other.
 *
 * Three things make it fast, and none of them changes a number:
 *  - rows of the distance matrix are bit vectors, and rows above the first changed word are kept (`advance_row`);
 *  - Tercom's beam around the diagonal is only computed where it could matter (`beam_may_bind`);
 *  - shifts that are too small to win are counted but not tried (`largest_gain`).
 */

#ifndef MTSIG_TER_H
#define MTSIG_TER_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Tercom's limits, and sacreBLEU's on the number of shifts that are tried. */
enum { MAX_SHIFT_SIZE = 10, MAX_SHIFT_DISTANCE = 50, BEAM_WIDTH = 25, MAX_SHIFT_CANDIDATES = 1000 };

/* Longest bit vectors over all rows, in 64-bit words; longer pairs of texts are left to the beam alone. The default is
 * 128 MiB for each of the four sets, enough for texts of 30,000 words. */
#ifndef MAX_VECTOR_WORDS
#define MAX_VECTOR_WORDS ((int64_t)1 << 24)
#endif

static const int32_t INFINITE_COST = INT32_MAX / 2;

typedef struct {
    const int32_t *cost; /* of the columns from `low` on */
    int32_t low, high;   /* columns low..high-1; costs outside are infinite */
} band_row;

typedef struct {
    /* The reference as word numbers. Words that it lacks are -1 in the hypothesis. */
    const int32_t *ref;
    int32_t n_ref;
    int32_t n_blocks;       /* 64-bit words in a bit vector over reference positions */
    int32_t *first, *next;  /* of each word number the first position, of each position the next with the same word */
    uint64_t *masks;        /* of each word number, the positions that hold it */

    /* The hypothesis at hand, and room for shifted ones. */
    int32_t *hyp, *shifted, *best;
    int32_t n_hyp;

    /* Row i of the distance matrix D, for the first i words of the hypothesis. Bits of `plus` and `minus` say where D
     * rises or falls by one from a column to the next, `cost` is the last column. Bits of `same` and `up` say where
     * the row equals the one above at the column before, and where it is one larger than it at the same column. */
    uint64_t *plus, *minus, *same, *up;
    int32_t *cost;
    uint64_t *spare_plus, *spare_minus;
    int has_masks, use_vectors;

    /* The same matrix within Tercom's beam. */
    int banded; /* whether it decides */
    int32_t beam;
    int32_t *first_band_row; /* 0, 1, ..., n_ref */
    int32_t *band_costs;

    /* Alignment: for each reference word the hypothesis word it is aligned to or comes after (-1 for none), and which
     * words of either side are errors. */
    int32_t *alignment;
    uint8_t *ref_error, *hyp_error;

    int32_t capacity;
    int64_t vector_capacity, band_capacity, mask_capacity;
} ter_search;

typedef struct {
    int32_t gain, length, start, target;
} word_shift;

/* --- memory ------------------------------------------------------------------------------------------------------ */

static void free_ter(ter_search *t) {
    void *const all[] = {t->first, t->next, t->masks, t->hyp, t->shifted, t->best, t->plus, t->minus, t->same, t->up,
                         t->cost, t->spare_plus, t->spare_minus, t->first_band_row, t->band_costs, t->alignment,
                         t->ref_error, t->hyp_error};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    memset(t, 0, sizeof *t);
}

/* Room for texts of up to `n_words` words. */
static int fit_ter_words(ter_search *t, int32_t n_words) {
    if (n_words <= t->capacity) return 1;
    const int64_t n = n_words + n_words / 2 + 1;
    t->capacity = (int32_t)n;
    return RENEW(t->first, n) && RENEW(t->next, n) && RENEW(t->hyp, n) && RENEW(t->shifted, n) && RENEW(t->best, n) &&
           RENEW(t->cost, n + 1) && RENEW(t->spare_plus, n / 64 + 1) && RENEW(t->spare_minus, n / 64 + 1) &&
           RENEW(t->first_band_row, n + 1) && RENEW(t->alignment, n) && RENEW(t->ref_error, n) &&
           RENEW(t->hyp_error, n);
}

/* Room for the bit vectors of the pair at hand; where they would be too large, the beam does without them. */
static int fit_ter_vectors(ter_search *t) {
    const int64_t n = (int64_t)(t->n_hyp + 1) * t->n_blocks;
    t->use_vectors = t->has_masks && n <= MAX_VECTOR_WORDS;
    if (!t->use_vectors || n <= t->vector_capacity) return 1;
    t->vector_capacity = n + n / 2;
    return RENEW(t->plus, t->vector_capacity) && RENEW(t->minus, t->vector_capacity) &&
           RENEW(t->same, t->vector_capacity) && RENEW(t->up, t->vector_capacity);
}

/* --- distance by bit vectors ------------------------------------------------------------------------------------- */

/* One row of the distance matrix from the one above, 64 columns at a time (Myers 1999, Hyyrö 2003). `word` is the
 * hypothesis word of the row; the new row may overwrite the old one. Returns the new row's last column. */
static inline int32_t advance_row(const ter_search *t, int32_t word, const uint64_t *plus_above,
                                  const uint64_t *minus_above, int32_t cost, uint64_t *plus, uint64_t *minus,
                                  uint64_t *same, uint64_t *up) {
    const uint64_t *equal = word >= 0 ? t->masks + (int64_t)word * t->n_blocks : NULL;
    const uint64_t last = (uint64_t)1 << ((t->n_ref - 1) & 63);
    uint64_t rise_carry = 1, fall_carry = 0; /* column 0 rises by one in every row */
    for (int32_t b = 0; b < t->n_blocks; b++) {
        const uint64_t p = plus_above[b], m = minus_above[b];
        const uint64_t x = (equal ? equal[b] : 0) | m | fall_carry;
        const uint64_t diagonal = (((x & p) + p) ^ p) | x;
        const uint64_t rise = m | ~(p | diagonal), fall = p & diagonal;
        if (same) {
            same[b] = diagonal;
            up[b] = rise;
        }
        if (b == t->n_blocks - 1) cost += ((rise & last) != 0) - ((fall & last) != 0);
        const uint64_t rise_shifted = rise << 1 | rise_carry, fall_shifted = fall << 1 | fall_carry;
        plus[b] = fall_shifted | ~(diagonal | rise_shifted);
        minus[b] = diagonal & rise_shifted;
        rise_carry = rise >> 63;
        fall_carry = fall >> 63;
    }
    return cost;
}

/* Distance from the hypothesis with the rows from `first_row` + 1 on redone; earlier rows are still right. */
static int32_t vector_distance(ter_search *t, int32_t first_row) {
    const int64_t width = t->n_blocks;
    if (first_row == 0) {
        memset(t->plus, -1, sizeof *t->plus * (size_t)width);
        memset(t->minus, 0, sizeof *t->minus * (size_t)width);
        t->cost[0] = t->n_ref;
    }
    for (int64_t i = first_row; i < t->n_hyp; i++)
        t->cost[i + 1] = advance_row(t, t->hyp[i], t->plus + i * width, t->minus + i * width, t->cost[i],
                                     t->plus + (i + 1) * width, t->minus + (i + 1) * width, t->same + i * width,
                                     t->up + i * width);
    return t->cost[t->n_hyp];
}

/* Distance of `words`, which begin with the first `row` words of the hypothesis. */
static int32_t vector_distance_from(const ter_search *t, const int32_t *words, int32_t row) {
    int32_t cost = t->cost[row];
    if (t->n_blocks == 1) { /* the same as below, in registers */
        const uint64_t last = (uint64_t)1 << (t->n_ref - 1);
        uint64_t plus = t->plus[row], minus = t->minus[row];
        for (int32_t i = row; i < t->n_hyp; i++) {
            const uint64_t x = (words[i] >= 0 ? t->masks[words[i]] : 0) | minus;
            const uint64_t diagonal = (((x & plus) + plus) ^ plus) | x;
            const uint64_t rise = minus | ~(plus | diagonal), fall = plus & diagonal;
            cost += ((rise & last) != 0) - ((fall & last) != 0);
            const uint64_t rise_shifted = rise << 1 | 1;
            plus = fall << 1 | ~(diagonal | rise_shifted);
            minus = diagonal & rise_shifted;
        }
        return cost;
    }
    const size_t bytes = sizeof *t->plus * (size_t)t->n_blocks;
    memcpy(t->spare_plus, t->plus + (int64_t)row * t->n_blocks, bytes);
    memcpy(t->spare_minus, t->minus + (int64_t)row * t->n_blocks, bytes);
    for (int32_t i = row; i < t->n_hyp; i++)
        cost = advance_row(t, words[i], t->spare_plus, t->spare_minus, cost, t->spare_plus, t->spare_minus, NULL, NULL);
    return cost;
}

/* --- distance within Tercom's beam ------------------------------------------------------------------------------- */

/* Whether a distance, computed without the beam, could be another one (or have another trace) within it.
 *
 * Row i of the beam holds the columns from floor(i n_ref / n_hyp) - 25 to floor(i n_ref / n_hyp) + 24 (at least), the
 * last row all columns up to n_ref. Let a path go through a cell (i, j) outside, i < n_hyp or j too small, and let
 * x = j - i and s = n_ref - n_hyp. It costs at least |x| to get there and |s - x| from there on.
 *  - Right of the beam: j >= floor(i n_ref / n_hyp) + 25, so x > 24 + i s / n_hyp with i < n_hyp (rounding in floating
 *    point lowers the floor only where the quotient is a whole number, and then x = 24 + i s / n_hyp remains only for
 *    s != 0, where the next steps hold as well). For s >= 0 that gives x >= 25, cost >= x + (x - s) >= 50 - s; for
 *    s < 0 it gives x - s >= 25, cost >= x + (x - s) = 2 (x - s) + s >= 50 + s. In both cases the cost is also at
 *    least 25.
 *  - Left of it: j < floor(...) - 25, so -x > 25 - i s / n_hyp, and likewise cost >= 52 - |s| and cost >= 26.
 * So a path as cheap as max(24, 48 - |s|) stays inside. If the distance is that small, all cheapest paths do, and the
 * cells on them and their cheapest predecessors have the same costs with and without the beam. With at most 24
 * reference words no column is outside. */
static int beam_may_bind(const ter_search *t, int32_t distance) {
    const int32_t slack = 48 - abs(t->n_ref - t->n_hyp);
    return t->n_ref > 24 && distance > (slack > 24 ? slack : 24);
}

static int32_t band_width(const ter_search *t) { return 2 * t->beam + 2; }

/* Prepares the beam for the lengths at hand. */
static int fit_band(ter_search *t) {
    const double ratio = (double)t->n_ref / t->n_hyp;
    t->beam = BEAM_WIDTH < ratio / 2 ? (int32_t)ceil(ratio / 2 + BEAM_WIDTH) : BEAM_WIDTH;
    for (int32_t j = 0; j <= t->n_ref; j++) t->first_band_row[j] = j;
    const int64_t n = (int64_t)(t->n_hyp + 3) * band_width(t); /* two spare rows */
    if (n > t->band_capacity) {
        t->band_capacity = n + n / 2;
        if (!RENEW(t->band_costs, t->band_capacity)) return 0;
    }
    return 1;
}

static band_row empty_band_row(const ter_search *t, int32_t i, const int32_t *cost) {
    const int32_t diagonal = (int32_t)floor(i * ((double)t->n_ref / t->n_hyp));
    const int32_t low = diagonal - t->beam, high = diagonal + t->beam;
    return (band_row){cost, low > 0 ? low : 0, i < t->n_hyp && high < t->n_ref + 1 ? high : t->n_ref + 1};
}

static inline int32_t band_cost(band_row row, int32_t j) {
    return j >= row.low && j < row.high ? row.cost[j - row.low] : INFINITE_COST;
}

/* Row i, of hypothesis word `word`, below `above`, which begins no further right. */
static band_row fill_band_row(const ter_search *t, int32_t i, int32_t word, band_row above, int32_t *cost) {
    const band_row row = empty_band_row(t, i, cost);
    int32_t diagonal = row.low > above.low ? above.cost[row.low - 1 - above.low] : INFINITE_COST;
    int32_t left = INFINITE_COST;
    for (int32_t j = row.low; j < row.high; j++) {
        const int32_t over = j < above.high ? above.cost[j - above.low] : INFINITE_COST;
        int32_t best = (over < left ? over : left) + 1;
        if (j > 0) {
            diagonal += word != t->ref[j - 1];
            if (diagonal < best) best = diagonal;
        }
        cost[j - row.low] = left = best;
        diagonal = over;
    }
    return row;
}

static band_row stored_band_row(const ter_search *t, int32_t i) {
    if (i == 0) return (band_row){t->first_band_row, 0, t->n_ref + 1};
    return empty_band_row(t, i, t->band_costs + (int64_t)i * band_width(t));
}

static int32_t band_distance(ter_search *t) {
    band_row row = stored_band_row(t, 0);
    for (int32_t i = 1; i <= t->n_hyp; i++)
        row = fill_band_row(t, i, t->hyp[i - 1], row, t->band_costs + (int64_t)i * band_width(t));
    return band_cost(row, t->n_ref);
}

/* Distance of `words`, which begin with the first `first_row` words of the hypothesis. */
static int32_t band_distance_from(const ter_search *t, const int32_t *words, int32_t first_row) {
    band_row row = stored_band_row(t, first_row);
    int32_t *const spare = t->band_costs + (int64_t)(t->n_hyp + 1) * band_width(t);
    for (int32_t i = first_row + 1; i <= t->n_hyp; i++)
        row = fill_band_row(t, i, words[i - 1], row, spare + (i & 1) * band_width(t));
    return band_cost(row, t->n_ref);
}

/* --- alignment --------------------------------------------------------------------------------------------------- */

enum { MATCH, SUBSTITUTION, EXTRA_WORD, LACKING_WORD };

/* The last edit of the cheapest way to cell (i, j). Where there are several, sacreBLEU takes a match or substitution
 * first, then an extra word of the hypothesis, then a lacking one. */
static int last_edit(const ter_search *t, int32_t i, int32_t j) {
    if (i == 0) return LACKING_WORD;
    if (j == 0) return EXTRA_WORD;
    const int equal = t->hyp[i - 1] == t->ref[j - 1];
    if (!t->banded) {
        /* Equal words always cost nothing on the diagonal; else the diagonal step costs one, so it is cheapest exactly
         * where the cell is not the same as the one diagonally before. */
        const int64_t block = (int64_t)(i - 1) * t->n_blocks + (j - 1) / 64;
        const int bit = (j - 1) & 63;
        if (equal) return MATCH;
        if (!(t->same[block] >> bit & 1)) return SUBSTITUTION;
        return t->up[block] >> bit & 1 ? EXTRA_WORD : LACKING_WORD;
    }
    const band_row row = stored_band_row(t, i), above = stored_band_row(t, i - 1);
    const int32_t cost = band_cost(row, j);
    if (band_cost(above, j - 1) + !equal == cost) return equal ? MATCH : SUBSTITUTION;
    return band_cost(above, j) + 1 == cost ? EXTRA_WORD : LACKING_WORD;
}

/* Follows the cheapest path back and notes which words it aligns and which it calls errors. */
static void align(ter_search *t) {
    int32_t i = t->n_hyp, j = t->n_ref;
    while (i > 0 || j > 0) {
        const int edit = last_edit(t, i, j);
        if (edit != LACKING_WORD) t->hyp_error[--i] = edit != MATCH;
        if (edit != EXTRA_WORD) {
            t->ref_error[--j] = edit != MATCH;
            t->alignment[j] = edit == LACKING_WORD ? i - 1 : i;
        }
    }
}

/* --- shifts ------------------------------------------------------------------------------------------------------ */

/* How far the words at start..start+length-1 move to the right (negative: to the left) when they are inserted before
 * word `target`. A target inside the run itself moves it by as many words as it lies behind the start. */
static inline int32_t shift_distance(const ter_search *t, int32_t start, int32_t length, int32_t target) {
    if (target < start) return target - start;
    int32_t end = target > start + length ? target : target + length; /* of the run, after the shift */
    if (end > t->n_hyp) end = t->n_hyp;
    return end - start - length;
}

/* The hypothesis with the run moved, in `out`. */
static void make_shift(const ter_search *t, int32_t start, int32_t length, int32_t distance, int32_t *out) {
    const int32_t *words = t->hyp;
    const size_t size = sizeof *words;
    memcpy(out, words, size * (size_t)t->n_hyp);
    if (distance < 0)
        memcpy(out + start + distance + length, words + start + distance, size * (size_t)-distance);
    else
        memcpy(out + start, words + start + length, size * (size_t)distance);
    memcpy(out + start + distance, words + start, size * (size_t)length);
}

static int32_t first_difference(const int32_t *a, const int32_t *b, int32_t from, int32_t n) {
    while (from < n && a[from] == b[from]) from++;
    return from;
}

/* The most that a shift can lower the distance. The shifted text is at most 2 min(length, words passed) edits away from
 * the unshifted one: take out the run, or the words that it passes, and put them in again. So, by the triangle
 * inequality, their distances from the reference differ by no more, if no beam binds; a beam can only make the new
 * distance larger, and the old one is larger than it would be without by a known amount. */
static inline int32_t largest_gain(const ter_search *t, int32_t length, int32_t shift, int32_t distance) {
    if (!t->use_vectors) return distance;
    const int32_t passed = abs(shift);
    return distance - t->cost[t->n_hyp] + 2 * (length < passed ? length : passed);
}

/* Tercom's order of shifts: largest gain, then longest run, then first start, then first target. Only gains count. */
static inline int is_better(word_shift a, word_shift b) {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (a.gain == 0) return 0;
    if (a.length != b.length) return a.length > b.length;
    if (a.start != b.start) return a.start < b.start;
    return a.target < b.target;
}

/* Tries the shift; `best` becomes it if it is better. */
static void try_shift(ter_search *t, word_shift shift, int32_t distance, word_shift *best) {
    const int32_t moved = shift_distance(t, shift.start, shift.length, shift.target);
    shift.gain = largest_gain(t, shift.length, moved, distance);
    if (!is_better(shift, *best)) return;
    make_shift(t, shift.start, shift.length, moved, t->shifted);
    const int32_t row = first_difference(t->hyp, t->shifted, shift.start + (moved < 0 ? moved : 0), t->n_hyp);
    if (row == t->n_hyp) return;
    if (t->use_vectors) {
        shift.gain = distance - vector_distance_from(t, t->shifted, row);
        if (!is_better(shift, *best)) return; /* a beam can only make the distance larger */
    }
    if (t->banded) {
        shift.gain = distance - band_distance_from(t, t->shifted, row);
        if (!is_better(shift, *best)) return;
    }
    *best = shift;
    int32_t *const unused = t->best;
    t->best = t->shifted;
    t->shifted = unused;
}

/* Tries every shift that Tercom would; *n_candidates counts them over the whole search. */
static word_shift find_best_shift(ter_search *t, int32_t distance, int32_t *n_candidates) {
    word_shift best = {0, 0, 0, 0};
    for (int32_t start = 0; start < t->n_hyp; start++) {
        if (t->hyp[start] < 0) continue;
        for (int32_t at = t->first[t->hyp[start]]; at >= 0 && at <= start + MAX_SHIFT_DISTANCE; at = t->next[at]) {
            if (at < start - MAX_SHIFT_DISTANCE) continue;
            int hyp_errors = 0, ref_errors = 0;
            for (int32_t n = 0; n < MAX_SHIFT_SIZE && start + n < t->n_hyp && at + n < t->n_ref &&
                                t->hyp[start + n] == t->ref[at + n];
                 n++) {
                const int32_t length = n + 1;
                hyp_errors += t->hyp_error[start + n];
                ref_errors += t->ref_error[at + n];
                if (!hyp_errors || !ref_errors) continue; /* one of the sides is right as it is */
                if (start <= t->alignment[at] && t->alignment[at] < start + length) continue;
                int32_t previous = -1;
                for (int32_t place = at - 1; place < at + length && place < t->n_ref; place++) {
                    const int32_t target = place < 0 ? 0 : t->alignment[place] + 1;
                    if (target == previous) continue;
                    previous = target;
                    ++*n_candidates;
                    try_shift(t, (word_shift){0, length, start, target}, distance, &best);
                }
                if (*n_candidates >= MAX_SHIFT_CANDIDATES) return best;
            }
        }
    }
    return best;
}

/* --- the search -------------------------------------------------------------------------------------------------- */

/* Prepares for a reference whose words are numbers below `n_distinct`, after `fit_ter_words` for it and all its
 * hypotheses. Returns 0 if there is no memory. */
static int set_ter_reference(ter_search *t, const int32_t *ref, int32_t n_ref, int32_t n_distinct) {
    t->ref = ref;
    t->n_ref = n_ref;
    t->n_blocks = (n_ref + 63) / 64;
    if (n_ref == 0) return 1;
    const int64_t n_masks = (int64_t)n_distinct * t->n_blocks;
    t->has_masks = n_masks <= MAX_VECTOR_WORDS;
    if (t->has_masks) {
        if (n_masks > t->mask_capacity) {
            t->mask_capacity = n_masks + n_masks / 2;
            if (!RENEW(t->masks, t->mask_capacity)) return 0;
        }
        memset(t->masks, 0, sizeof *t->masks * (size_t)n_masks);
    }
    for (int32_t word = 0; word < n_distinct; word++) t->first[word] = -1;
    for (int32_t j = n_ref - 1; j >= 0; j--) {
        t->next[j] = t->first[ref[j]];
        t->first[ref[j]] = j;
        if (t->has_masks) t->masks[(int64_t)ref[j] * t->n_blocks + j / 64] |= (uint64_t)1 << (j & 63);
    }
    return 1;
}

/* No order of the hypothesis's words is closer to the reference than this: common words can match at best, all others
 * are errors. */
static int32_t least_distance(ter_search *t) {
    int32_t n_common = 0;
    int32_t *const unused = t->alignment; /* of each word number, how many positions of the reference are left */
    for (int32_t j = 0; j < t->n_ref; j++) unused[t->ref[j]] = 0;
    for (int32_t j = 0; j < t->n_ref; j++) unused[t->ref[j]]++;
    for (int32_t i = 0; i < t->n_hyp; i++)
        if (t->hyp[i] >= 0 && unused[t->hyp[i]]-- > 0) n_common++;
    return (t->n_hyp > t->n_ref ? t->n_hyp : t->n_ref) - n_common;
}

/* Number of edits between t->hyp (n_hyp words, overwritten) and the reference, or -1 if there is no memory. */
static int64_t ter_edits(ter_search *t) {
    if (t->n_ref == 0) return t->n_hyp;
    if (t->n_hyp == 0) return t->n_ref;
    if (!fit_ter_vectors(t)) return -1;
    const int32_t least = least_distance(t);
    int32_t n_shifts = 0, n_candidates = 0, changed = 0;
    for (;;) {
        int32_t distance = t->use_vectors ? vector_distance(t, changed) : INFINITE_COST;
        t->banded = !t->use_vectors || beam_may_bind(t, distance);
        if (t->banded) {
            if (!fit_band(t)) return -1;
            distance = band_distance(t);
        }
        if (distance == least) return n_shifts + distance; /* no shift gains anything */
        align(t);
        const word_shift best = find_best_shift(t, distance, &n_candidates);
        /* Past the limit sacreBLEU gives up before it makes the best shift. */
        if (n_candidates >= MAX_SHIFT_CANDIDATES || best.gain <= 0) return n_shifts + distance;
        n_shifts++;
        changed = first_difference(t->hyp, t->best, 0, t->n_hyp);
        int32_t *const old = t->hyp;
        t->hyp = t->best;
        t->best = old;
    }
}

#endif
