package output

import (
	"encoding/hex"
	"fmt"
)

// CustomLists are the names of the three lists in which a user says what is known
// of the text (transforms.CustomFiles): those of the options of the command.
var CustomLists = [...]string{"abbreviations", "keep-together", "exceptions"}

// CustomDigests are those of what a user knows of the text, in the order of
// CustomLists; "" for nothing.
func (o *RowOptions) CustomDigests() [3]*string {
	return [...]*string{&o.Abbreviations, &o.KeepTogether, &o.Exceptions}
}

// CustomName is where in an output folder the list of a digest is.
func CustomName(list int, digest string) string {
	return OwnDir + "/custom/" + fmt.Sprintf("%s-%.16s.txt", CustomLists[list], digest)
}

// CustomNames are the files in an output folder that hold the lists of a run with
// the options o.
func CustomNames(o *RowOptions) (names []string) {
	for i, digest := range o.CustomDigests() {
		if _, err := hex.DecodeString(*digest); err == nil && *digest != "" { // names are made of it
			names = append(names, CustomName(i, *digest))
		}
	}
	return names
}
