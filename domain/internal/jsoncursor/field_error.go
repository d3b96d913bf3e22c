package jsoncursor

import "fmt"

// FieldError says which member of a body is not what it has to be.
type FieldError struct {
	Path string // JSON pointer (RFC 6901), such as /transactions/3/raw_tx; empty for the whole body
	Want string
	Got  string
	Err  error // the cause, such as a JSON syntax error or a hex error; may be nil
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

// excerpt quotes the beginning of b for an error message.
func excerpt(b []byte) string {
	const most = 80
	if len(b) > most {
		return fmt.Sprintf("%q… (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%q", b)
}
