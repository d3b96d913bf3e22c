package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"strata/domain/document/internal/json5"
)

// Decode decodes the output of Encode for a valid document. Any other input is an error, even if only one byte differs,
// so that nobody takes a row that something else wrote or changed for a document.
func Decode(b []byte) (*Document, error) {
	if d, ok := readStored(b); ok {
		return d, nil
	}
	return decodeByEncoding(b)
}

// decodeByEncoding implements Decode by its definition: encoding the result must give the input. It takes ten times as
// long as readStored, but its errors say what is wrong.
func decodeByEncoding(b []byte) (*Document, error) {
	if !json.Valid(b) {
		return nil, errors.New("stored document: it is not JSON")
	}
	root, err := json5.Read(b, depthMax+envelopeDepth)
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
