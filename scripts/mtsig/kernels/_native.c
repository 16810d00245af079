/* Compiled kernels of mtsig: the module and nothing else.
 *
 * Each header holds one group of kernels and the functions that Python calls; a function takes buffers and numbers, and
 * releases the interpreter lock while it works. `mtsig.kernels` checks shapes and types before it calls, and has a
 * Python twin of every function.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "draws.h"
#include "extraction.h"
#include "scores.h"

static PyMethodDef methods[] = {
    DRAWS_METHODS
    EXTRACTION_METHODS
    SCORES_METHODS
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "Compiled kernels of mtsig.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&definition); }
