/* Texts as UTF-32 code points: whitespace, words, and the words of mteval-v13a. */

#ifndef MTSIG_TEXT_H
#define MTSIG_TEXT_H

#include <stdint.h>
#include <string.h>

/* A text or a word in it. */
typedef struct {
    const uint32_t *start;
    int32_t length;
} span;

/* What Python's str.split() and str.isspace() take for whitespace. */
static inline int is_space(uint32_t c) {
    if (c > 0x20 && c < 0x85) return 0;
    if (c <= 0x20) return c == 0x20 || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
    return c == 0x85 || c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 ||
           c == 0x202f || c == 0x205f || c == 0x3000;
}

static inline int is_digit(uint32_t c) { return c >= '0' && c <= '9'; }

static inline int is_period_or_comma(uint32_t c) { return c == '.' || c == ','; }

/* Python's string.punctuation. */
static inline int is_ascii_punctuation(uint32_t c) {
    return (c >= 0x21 && c <= 0x2f) || (c >= 0x3a && c <= 0x40) || (c >= 0x5b && c <= 0x60) || (c >= 0x7b && c <= 0x7e);
}

/* What mteval-v13a always separates: ASCII punctuation but for the apostrophe, the comma, the hyphen and the period. */
static inline int is_13a_symbol(uint32_t c) {
    return is_ascii_punctuation(c) && c != '\'' && c != ',' && c != '-' && c != '.';
}

/* What it separates depending on the characters beside it. */
static inline int is_13a_mark(uint32_t c) { return is_period_or_comma(c) || c == '-'; }

/* --- words ------------------------------------------------------------------------------------------------------- */

/* The next word from *position on, or one of length 0 at the end of the text. */
static inline span next_word_of(span text, int32_t *position) {
    int32_t start = *position;
    while (start < text.length && is_space(text.start[start])) start++;
    int32_t end = start;
    while (end < text.length && !is_space(text.start[end])) end++;
    *position = end;
    return (span){text.start + start, end - start};
}

/* str.split(): `words` has room for (length + 1) / 2 of them. */
static int32_t split_words(span text, span *words) {
    int32_t n = 0, position = 0;
    for (;;) {
        const span word = next_word_of(text, &position);
        if (word.length == 0) return n;
        words[n++] = word;
    }
}

/* The words of chrF++: of each longer word, one punctuation mark at its end, else one at its beginning, is a word of
 * its own. `words` has room for as many as the text has characters. */
static int32_t split_words_and_punctuation(span text, span *words) {
    int32_t n = 0, position = 0;
    for (;;) {
        const span word = next_word_of(text, &position);
        if (word.length == 0) return n;
        int32_t head = word.length; /* where the word is cut in two */
        if (word.length > 1) {
            if (is_ascii_punctuation(word.start[word.length - 1]))
                head = word.length - 1;
            else if (is_ascii_punctuation(word.start[0]))
                head = 1;
        }
        words[n++] = (span){word.start, head};
        if (head < word.length) words[n++] = (span){word.start + head, word.length - head};
    }
}

/* --- mteval-v13a's substitutions for marks, from `in` to `out`; the new length is returned ------------- */

/* ([^0-9])([.,]) becomes "\1 \2 ": a match takes two characters, and the next one is looked for behind them. */
static int32_t detach_after_other_than_digit(const uint32_t *in, int32_t n, uint32_t *out) {
    uint32_t *const begin = out;
    for (int32_t i = 0; i < n; i++) {
        *out++ = in[i];
        if (i + 1 < n && is_period_or_comma(in[i + 1]) && !is_digit(in[i])) {
            *out++ = ' ';
            *out++ = in[++i];
            *out++ = ' ';
        }
    }
    return (int32_t)(out - begin);
}

/* ([.,])([^0-9]) becomes " \1 \2". */
static int32_t detach_before_other_than_digit(const uint32_t *in, int32_t n, uint32_t *out) {
    uint32_t *const begin = out;
    for (int32_t i = 0; i < n; i++) {
        if (is_period_or_comma(in[i]) && i + 1 < n && !is_digit(in[i + 1])) {
            *out++ = ' ';
            *out++ = in[i++];
            *out++ = ' ';
        }
        *out++ = in[i];
    }
    return (int32_t)(out - begin);
}

/* ([0-9])(-) becomes "\1 \2 ". */
static int32_t detach_hyphen_after_digit(const uint32_t *in, int32_t n, uint32_t *out) {
    uint32_t *const begin = out;
    for (int32_t i = 0; i < n; i++) {
        *out++ = in[i];
        if (i + 1 < n && in[i + 1] == '-' && is_digit(in[i])) {
            *out++ = ' ';
            *out++ = in[++i];
            *out++ = ' ';
        }
    }
    return (int32_t)(out - begin);
}

/* Room for all words with marks of a text: each is copied with a space on either side, a period or comma gains two
 * spaces in each of two substitutions, and a hyphen in one. */
static inline int64_t detached_capacity(int64_t length) { return 7 * length; }

/* A piece of text without whitespace and symbols, with its marks detached, in `out`; `spare` is as large. */
static span detach_marks(span piece, uint32_t *out, uint32_t *spare) {
    int32_t n = 0;
    out[n++] = ' ';
    memcpy(out + n, piece.start, sizeof *out * (size_t)piece.length);
    n += piece.length;
    out[n++] = ' ';
    n = detach_after_other_than_digit(out, n, spare);
    n = detach_before_other_than_digit(spare, n, out);
    n = detach_hyphen_after_digit(out, n, spare);
    memcpy(out, spare, sizeof *out * (size_t)n);
    return (span){out, n};
}

/* The words of mteval-v13a. Whitespace and symbols cut the text into pieces, and the substitutions see no further than
 * a piece and one character beside it, which is a space then: so only pieces with marks need them. `words` has room for
 * as many as the text has characters. Words with marks are copied to *letters, which moves behind them. */
static int32_t split_words_13a(span text, span *words, uint32_t **letters, uint32_t *spare) {
    int32_t n = 0, i = 0;
    while (i < text.length) {
        const int32_t start = i;
        int marked = 0;
        for (; i < text.length && !is_space(text.start[i]) && !is_13a_symbol(text.start[i]); i++)
            marked |= is_13a_mark(text.start[i]);
        const span piece = {text.start + start, i - start};
        if (marked) {
            const span detached = detach_marks(piece, *letters, spare);
            n += split_words(detached, words + n);
            *letters += detached.length;
        } else if (piece.length > 0) {
            words[n++] = piece;
        }
        if (i < text.length && is_13a_symbol(text.start[i])) words[n++] = (span){text.start + i, 1};
        i++;
    }
    return n;
}

/* The text without whitespace, in `out`. */
static int32_t remove_spaces(span text, uint32_t *out) {
    int32_t n = 0;
    for (int32_t i = 0; i < text.length; i++)
        if (!is_space(text.start[i])) out[n++] = text.start[i];
    return n;
}

#endif
