package nodeevent

import "fmt"

// FieldError says which member of a body is not what it has to be.
type FieldError struct {
	Path string // JSON pointer (RFC 6901), such as /transactions/3/raw_tx; empty for the body as a whole
	Want string
	Got  string
	Err  error // the cause, if there is one beneath: a JSON syntax error, a hex error
}

func (e *FieldError) Error() string {
	path := e.Path
	if path == "" {
		path = "body"
	}
	if e.Err != nil {
		return fmt.Sprintf("%s: want %s, got %s: %v", path, e.Want, e.Got, e.Err)
	}
	return fmt.Sprintf("%s: want %s, got %s", path, e.Want, e.Got)
}

func (e *FieldError) Unwrap() error { return e.Err }

// quote shows a piece of a body in a message.
func quote(b []byte) string {
	const most = 80
	if len(b) > most {
		return fmt.Sprintf("%q… (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}
