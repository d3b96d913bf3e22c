package strata_test

import (
	"encoding/json"
	"errors"
	"testing"

	strata "strata.example/client"
)

func decode[T any](t *testing.T, text []byte) (value T) {
	t.Helper()
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func asRefusal(err error, refusal **strata.Refusal) bool { return errors.As(err, refusal) }
