/* Working memory of the kernels: arrays that are replaced by larger ones when a longer text comes. */

#ifndef MTSIG_MEMORY_H
#define MTSIG_MEMORY_H

#include <stdlib.h>
#include <string.h>

/* Gives `array` room for `count` elements, without keeping what it held. False if there is no memory; the pointer is
 * null then. */
#define RENEW(array, count) (free(array), ((array) = malloc((size_t)(count) * sizeof *(array))) != NULL)

#endif
