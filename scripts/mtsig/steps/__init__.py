"""One module per rule of the workflow: files in, files out, plain keyword arguments."""
