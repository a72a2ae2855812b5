package transforms

import "github.com/treebeam/treebeam/io/output"

// PlainList is what travels of a list, by its number.
var PlainList = plainList

// EncodedChunk is a chunk as it travels.
var EncodedChunk = encodeChunk

// Stage runs a chunk that was just read through the stages, up to o.StopAfter.
func Stage(c Chunk, m Stages, o output.RowOptions) Chunk {
	return StageSegmented(SegmentChunk(c, m, o), m, o)
}

// SortBytes makes WriteTrees hold less in memory, until the function that it returns is called.
func SortBytes(n int) (restore func()) {
	was := sortBytes
	sortBytes = n
	return func() { sortBytes = was }
}
