package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
)

// ErrTrait is returned for a trait that is not a JSON object with an array of functions.
var ErrTrait = errors.New("not a trait: want a JSON object with an array named functions")

// Trait holds what a contract must define to implement a trait: for each function its name, access, output type and
// argument types.
type Trait struct {
	pattern map[string]any
}

// ParseTrait parses a trait in the form of a contract interface with the functions of the trait. The error wraps
// ErrTrait.
func ParseTrait(b []byte) (Trait, error) {
	tree, err := parseTree(b)
	if err != nil {
		return Trait{}, fmt.Errorf("%w: %w", ErrTrait, err)
	}
	object, ok := tree.(map[string]any)
	if !ok {
		return Trait{}, ErrTrait
	}
	functions, ok := object["functions"].([]any)
	if !ok {
		return Trait{}, ErrTrait
	}
	patterns := make([]any, 0, len(functions))
	for i, function := range functions {
		f, ok := function.(map[string]any)
		if !ok {
			return Trait{}, fmt.Errorf("%w: function %d is not an object", ErrTrait, i)
		}
		patterns = append(patterns, functionPattern(f))
	}
	return Trait{pattern: map[string]any{"functions": patterns}}, nil
}

// functionPattern returns the parts of a function that an implementation must share: all but the argument names.
func functionPattern(function map[string]any) map[string]any {
	pattern := make(map[string]any)
	for _, key := range []string{"name", "access", "outputs"} {
		if part, ok := function[key]; ok {
			pattern[key] = part
		}
	}
	if args, ok := function["args"].([]any); ok {
		types := make([]any, 0, len(args))
		for _, arg := range args {
			if a, ok := arg.(map[string]any); ok {
				types = append(types, map[string]any{"type": a["type"]})
			}
		}
		pattern["args"] = types
	}
	return pattern
}

// Pattern returns the JSON that the interface of every implementation contains, in the sense of PostgreSQL's jsonb
// operator @>.
func (t Trait) Pattern() ([]byte, error) {
	b, err := json.Marshal(t.pattern)
	if err != nil {
		return nil, fmt.Errorf("marshal trait: %w", err)
	}
	return b, nil
}

// ImplementedBy reports whether an interface, given as JSON, contains the pattern. Containment treats arrays as sets:
// the order of the arguments, and the number of arguments of the same type, make no difference.
func (t Trait) ImplementedBy(abi []byte) (bool, error) {
	tree, err := parseTree(abi)
	if err != nil {
		return false, fmt.Errorf("parse contract interface: %w", err)
	}
	return contains(tree, t.pattern), nil
}

// contains reports whether whole contains part as jsonb values of PostgreSQL do (section "jsonb Containment and
// Existence" of its manual). It compares each pair of nodes at most once, so its cost is bounded by the product of both
// sizes.
func contains(whole, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		object, ok := whole.(map[string]any)
		if !ok {
			return false
		}
		for key, member := range part {
			if candidate, ok := object[key]; !ok || !contains(candidate, member) {
				return false
			}
		}
		return true
	case []any:
		array, ok := whole.([]any)
		if !ok {
			return false
		}
		for _, element := range part {
			if !anyContains(array, element) {
				return false
			}
		}
		return true
	case json.Number:
		number, ok := whole.(json.Number)
		return ok && equalNumbers(number.String(), part.String())
	default:
		return whole == part
	}
}

// anyContains reports whether any element of the array contains part.
func anyContains(array []any, part any) bool {
	for _, element := range array {
		if contains(element, part) {
			return true
		}
	}
	return false
}

// equalNumbers reports whether two JSON numbers have the same value, as 1 and 1.0 do.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	x, _, errX := big.ParseFloat(a, 10, 256, big.ToNearestEven)
	y, _, errY := big.ParseFloat(b, 10, 256, big.ToNearestEven)
	return errX == nil && errY == nil && x.Cmp(y) == 0
}

// parseTree parses one JSON value and keeps its numbers exact.
func parseTree(b []byte) (any, error) {
	if !json.Valid(b) { // unlike a Decoder, Valid also refuses trailing data
		return nil, errors.New("not JSON")
	}
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	err := decoder.Decode(&tree)
	return tree, err
}
