package store

import (
	"regexp"
	"time"
)

// secrets are the parts of URLs and headers that may give access: everything after a
// question mark (signatures, tokens, upload sessions), names and passwords before a
// host, and the values of headers and fields of that kind.
var secrets = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(\w+://)[^/\s"'@]+@`), "$1"},
	{regexp.MustCompile(`(\w+://[^\s"'?]*)\?[^\s"']*`), "$1"},
	{regexp.MustCompile(`(?i)(\b(?:bearer|basic|aws4-hmac-sha256)\s+)[^\s"',;]+`), "${1}***"},
	{regexp.MustCompile(`(?i)("?\b[\w-]*(?:token|secret|password|signature|credential|authorization|access[_-]?key(?:[_-]?id)?|private_key|upload_id)"?\s*[=:]\s*"?)[^\s"'&,;]+`), "${1}***"},
}

// Redact removes from a text what may be a credential.
func Redact(s string) string {
	for _, secret := range secrets {
		s = secret.pattern.ReplaceAllString(s, secret.with)
	}
	return s
}

// An Error is a fault of an object store. Its text holds no credentials.
type Error struct {
	Name string
	Err  error // as the client library gave it: do not print it
	Kind error // fs.ErrNotExist, fs.ErrPermission, ErrCredentials, ErrCondition, ErrVersion or nil
	// After is how long the server asks clients to wait, 0 if it does not say.
	After time.Duration
}

func (e *Error) Error() string {
	if e.Kind != nil {
		return e.Name + ": " + e.Kind.Error()
	}
	return e.Name + ": " + Redact(e.Err.Error())
}

func (e *Error) Unwrap() []error {
	if e.Kind != nil {
		return []error{e.Kind, e.Err}
	}
	return []error{e.Err}
}
