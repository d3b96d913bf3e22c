package jsoncursor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadMember returns the JSON text of a member of the object in body, the first one with the name; nil if it has none. It keeps
// nothing else of the body in memory, and reads no more of it than up to the end of the member.
func ReadMember(body io.Reader, name string) (json.RawMessage, error) {
	dec := jsontext.NewDecoder(body, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	switch token, err := dec.ReadToken(); {
	case err != nil:
		return nil, fmt.Errorf("read a body: %w", err)
	case token.Kind() != '{':
		return nil, errors.New("a body is no object")
	}
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, fmt.Errorf("read a body: %w", err)
		}
		if token.String() == name {
			value, err := dec.ReadValue()
			if err != nil {
				return nil, fmt.Errorf("read %s of a body: %w", name, err)
			}
			return json.RawMessage(value.Clone()), nil
		}
		if err := dec.SkipValue(); err != nil {
			return nil, fmt.Errorf("read a body: %w", err)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, fmt.Errorf("read a body: %w", err)
	}
	return nil, nil
}
