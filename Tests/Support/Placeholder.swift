// Replaced by the module's own first file.
