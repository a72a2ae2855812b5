package transforms

// A Named model says what it was trained on, for messages.
type Named interface {
	// TrainedOn is a language and a treebank, such as "en (en_ewt 2.16)".
	TrainedOn() string
}

// TrainedOn is what m was trained on, "" if it does not say.
func TrainedOn(m Stages) string {
	if named, ok := m.(Named); ok {
		return named.TrainedOn()
	}
	return ""
}
