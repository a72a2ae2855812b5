package output

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// TokenFile is in OwnDir of an output folder that is shared with workers on other
// machines. A worker that does not find there what the launcher wrote has another
// folder under the same path: its output would be lost.
const TokenFile = "token"

// PlaceToken returns the token of the output folder, which is drawn once and
// stays, so that several runs at once agree on it.
func PlaceToken(output string) (string, error) {
	name := filepath.Join(output, OwnDir, TokenFile)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = f.WriteString(rand.Text() + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	token, err := readToken(output)
	if err == nil && len(token) < minToken {
		err = fmt.Errorf("%s is damaged: remove it and run the same command again", name)
	}
	return token, err
}

// minToken is how long a whole token is at least.
const minToken = 20

func readToken(output string) (string, error) {
	data, err := os.ReadFile(filepath.Join(output, OwnDir, TokenFile))
	return strings.TrimSpace(string(data)), err
}

// CheckToken fails on a machine that does not see the launcher's output
// folder.
func (r *Run) CheckToken() error {
	if r.Token == "" {
		return nil
	}
	token, err := readToken(r.Output)
	if err == nil && token == r.Token {
		return nil
	}
	host, _ := os.Hostname()
	if err == nil {
		err = errors.New("it is another folder under the same path")
	}
	return fmt.Errorf("the worker on %s does not see the output folder %s of the machine that started the run: %w; "+
		"mount the same folder there, or use an output in an object store", host, r.Output, err)
}
