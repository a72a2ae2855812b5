package parquet

// An Entry is one row of a snapshot: a document that is current, and the run
// whose folder holds its rows. Rows are sorted by SourceURI, which is unique.
type Entry struct {
	Document
	Version string `parquet:"version"`  // of the source file as it was listed: source.Input.Version
	Run     string `parquet:"run,dict"` // name of the run's folder in data/
}
