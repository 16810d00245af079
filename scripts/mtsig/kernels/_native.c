#include <Python.h>

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", "Compiled kernels of mtsig.", -1, NULL, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void) { return PyModule_Create(&definition); }
