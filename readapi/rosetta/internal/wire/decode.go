package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// ErrShape is returned for a body that is JSON of another shape than the request's.
var ErrShape = errors.New("the body does not have the shape of the request")

// ErrSyntax is returned for a body that is no JSON: broken, nested too deeply, or compressed.
var ErrSyntax = errors.New("the body must be JSON text, without Content-Encoding")

// MissingError says that a request lacks a required member.
type MissingError struct{ Name string }

func (e *MissingError) Error() string { return fmt.Sprintf("must have required property '%s'", e.Name) }

// Decode reads a request. A missing member is a *MissingError, the first in the order of the type; of nested objects
// those of the outer one come first. A body that is no JSON wraps ErrSyntax, and any other violation ErrShape. With strict,
// members that the type does not have are violations, too.
func Decode[T any](body []byte, strict bool) (*T, error) {
	var members any
	if err := json.Unmarshal(body, &members); err != nil && len(body) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrSyntax, err)
	}
	if _, ok := members.(map[string]any); !ok {
		return nil, fmt.Errorf("%w: it is no object", ErrShape)
	}
	if name := missing(reflect.TypeFor[T](), members); name != "" {
		return nil, &MissingError{name}
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if strict {
		decoder.DisallowUnknownFields()
	}
	request := new(T)
	if err := decoder.Decode(request); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShape, err)
	}
	return request, nil
}

// missing returns the name of the first required member that a value of type t lacks, or "".
func missing(t reflect.Type, value any) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Slice:
		elements, _ := value.([]any)
		for _, element := range elements {
			if name := missing(t.Elem(), element); name != "" {
				return name
			}
		}
	case reflect.Struct:
		members, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		for i := range t.NumField() {
			name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if given, ok := members[name]; (!ok || given == nil) && options != "omitempty" {
				return name
			}
		}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if found := missing(t.Field(i).Type, members[name]); found != "" {
				return found
			}
		}
	}
	return ""
}
