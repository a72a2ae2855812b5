package output

import "fmt"

// A Refusal is the error of what was not begun because something was wrong
// before any work: nothing was written. Its text names the cause and the remedy.
type Refusal struct{ Err error }

func (r *Refusal) Error() string { return r.Err.Error() }
func (r *Refusal) Unwrap() error { return r.Err }

// Refuse is a *Refusal with a text as of fmt.Errorf.
func Refuse(format string, a ...any) error { return &Refusal{fmt.Errorf(format, a...)} }
