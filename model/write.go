package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/treebeam/treebeam/io/durable"
)

// WriteFile writes the bytes of a model (see Encode) to path: under a
// temporary name in the same folder, synced, then renamed, so that no reader
// ever sees half a model. It returns the model's digest.
func WriteFile(path string, data []byte) (digest string, err error) {
	if err := durable.WriteFile(path, "", data, 0o644); err != nil {
		return "", fmt.Errorf("writing model %s: %w", path, err)
	}
	return Digest(data), nil
}

// Digest returns the name under which a model is cached and recorded: the
// SHA-256 of its bytes in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
