/* Texts as UTF-32 code points: whitespace, words, and the tokenisation of mteval-v13a. */

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

/* ASCII punctuation without the apostrophe, comma, hyphen and period, and the space. */
static inline int is_13a_symbol(uint32_t c) {
    return c == 0x20 || (is_ascii_punctuation(c) && c != '\'' && c != ',' && c != '-' && c != '.');
}

/* --- the four substitutions of mteval-v13a, each from `in` to `out`; the length of the result is returned --------- */

/* A space before and after the whole text, and around every symbol. */
static int32_t detach_symbols(const uint32_t *in, int32_t n, uint32_t *out) {
    uint32_t *const begin = out;
    *out++ = ' ';
    for (int32_t i = 0; i < n; i++) {
        if (is_13a_symbol(in[i])) {
            *out++ = ' ';
            *out++ = in[i];
            *out++ = ' ';
        } else {
            *out++ = in[i];
        }
    }
    *out++ = ' ';
    return (int32_t)(out - begin);
}

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

/* Room for the tokenised form of a text: every symbol, period, comma and hyphen gains two spaces for each substitution
 * that it takes part in (one, two, two and one), and two more stand around the text. */
static inline int64_t tokenized_capacity(int64_t length) { return 5 * length + 2; }

/* The text as mteval-v13a tokenises it, in `out`; `spare` is of the same capacity. */
static span tokenize_13a(span text, uint32_t *out, uint32_t *spare) {
    int32_t n = detach_symbols(text.start, text.length, spare);
    n = detach_after_other_than_digit(spare, n, out);
    n = detach_before_other_than_digit(out, n, spare);
    n = detach_hyphen_after_digit(spare, n, out);
    return (span){out, n};
}

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

/* The text without whitespace, in `out`. */
static int32_t remove_spaces(span text, uint32_t *out) {
    int32_t n = 0;
    for (int32_t i = 0; i < text.length; i++)
        if (!is_space(text.start[i])) out[n++] = text.start[i];
    return n;
}

#endif
