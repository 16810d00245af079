/* Scores of summed statistics in one precision; included by scores.h once with REAL = float and once with double.
 *
 * The order of every operation is sacreBLEU's, so that the last digit agrees: its corpus scores are computed in
 * double precision, its bootstrap replicates (with numpy 2) in single precision. The extension is compiled without
 * contraction of multiplications and additions for the same reason.
 */

/* Whether a row holds NaN: then so does its sum, for sums of counts are finite otherwise. */
static int NAME(any_undefined)(const REAL *sums, size_t k) {
    REAL total = 0;
    for (size_t column = 0; column < k; column++) total += sums[column];
    return isnan(total);
}

/* A count under add-k smoothing. */
static REAL NAME(smoothed)(REAL count, const formula *f) {
    REAL sum = count + (REAL)f->smoothing_value;
    return f->whole_sums ? (REAL)(int64_t)sum : sum;
}

/* BLEU (Papineni et al. 2002), 0 to 100, from hyp_len, ref_len, correct_1.., total_1... Logarithms are in double. */
static double NAME(bleu_score)(const REAL *sums, size_t k, const formula *f) {
    const size_t orders = (k - 2) / 2;
    const REAL *correct = sums + 2, *total = sums + 2 + orders;
    int matched = 0;
    for (size_t n = 0; n < orders; n++) matched |= correct[n] != 0;
    if (!matched) return 0;

    REAL halving = 1;
    logarithm_sum log_precisions = {0, 0};
    size_t effective_order = f->effective_order ? 0 : orders;
    int counted = 1; /* false from the first order on that has no n-grams */
    for (size_t n = 0; n < orders; n++) {
        REAL matches = correct[n], ngrams = total[n];
        if (f->smoothing == SMOOTH_ADD_K && n > 0) {
            matches = NAME(smoothed)(matches, f);
            ngrams = NAME(smoothed)(ngrams, f);
        }
        REAL precision = 0;
        counted = counted && ngrams != 0;
        if (counted) {
            if (f->effective_order) effective_order = n + 1;
            if (matches != 0) {
                precision = (REAL)100 * matches / ngrams;
            } else if (f->smoothing == SMOOTH_EXP) {
                halving *= 2;
                precision = (REAL)100 / (halving * ngrams);
            } else if (f->smoothing == SMOOTH_FLOOR) {
                precision = (REAL)(100.0 * f->smoothing_value) / ngrams;
            }
        }
        if (n < effective_order) add_logarithm(&log_precisions, precision, f->compensated_sum);
    }
    /* Nothing is lost where Python's `sum` is not compensated. */
    double log_sum = log_precisions.total + log_precisions.lost;
    return brevity_penalty((double)sums[0], (double)sums[1]) * exp(log_sum / (double)effective_order);
}

/* chrF (Popovic 2015), 0 to 100, from triples (hypothesis, reference, matching n-grams) of every order. */
static double NAME(chrf_score)(const REAL *sums, size_t k, const formula *f) {
    const REAL factor = (REAL)f->beta_squared, one_more = (REAL)(1 + f->beta_squared);
    REAL precision = 0, recall = 0;
    int orders = 0;
    for (size_t n = 0; n + 2 < k; n += 3) {
        REAL hypothesis = sums[n], reference = sums[n + 1], matches = sums[n + 2];
        if (hypothesis > 0 && reference > 0) {
            precision += matches / hypothesis;
            recall += matches / reference;
            orders++;
        }
    }
    if (orders == 0) return 0;
    precision /= (REAL)orders;
    recall /= (REAL)orders;
    if (precision + recall == 0) return 0;
    REAL score = one_more * precision * recall;
    score /= factor * precision + recall;
    return (REAL)100 * score;
}

/* TER (Snover et al. 2006), 0 (best) upwards, from edits and the length of the reference. */
static double NAME(ter_score)(const REAL *sums, size_t k, const formula *f) {
    (void)k, (void)f;
    if (sums[1] > 0) return (REAL)100 * (sums[0] / sums[1]);
    return sums[0] > 0 ? 100 : 0;
}

/* Quotient of two sums, such as a mean from the sum of values and their number. */
static double NAME(ratio_score)(const REAL *sums, size_t k, const formula *f) {
    (void)k, (void)f;
    return sums[1] != 0 ? sums[0] / sums[1] : NAN;
}
