package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"strata/domain/document/internal/json5"
)

// Decode reads what Encode gave for a document that is as its fields say. It is an error for anything else, down to
// the last byte: a row that somebody else wrote or changed does not pass for a document.
func Decode(b []byte) (*Document, error) {
	if d, ok := readStored(b); ok {
		return d, nil
	}
	return decodeByEncoding(b)
}

// decodeByEncoding is Decode by its definition: what is read has to be encoded as it was. It knows what is wrong, and
// takes ten times as long as readStored.
func decodeByEncoding(b []byte) (*Document, error) {
	if !json.Valid(b) {
		return nil, errors.New("stored document: it is not JSON")
	}
	root, err := json5.Read(b, depthMax+envelope)
	if err != nil {
		return nil, fmt.Errorf("stored document: %w", err)
	}
	if root.Kind != json5.Object {
		return nil, fmt.Errorf("stored document: want an object, got %s", root.Kind)
	}
	d := fromRoot(root)
	d.Image = nonEmpty(scalar(root, "image"))
	if !bytes.Equal(d.Encode(), b) {
		return nil, errors.New("stored document: it is not in the form in which documents are stored")
	}
	return d, nil
}
