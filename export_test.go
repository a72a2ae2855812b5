package treebeam

const HeadBytes = headBytes
