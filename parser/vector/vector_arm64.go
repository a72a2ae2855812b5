package vector

// useVectors says whether vector instructions are used. No result depends on it.
var useVectors = true
