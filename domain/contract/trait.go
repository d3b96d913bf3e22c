package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
)

// ErrTrait is returned for a trait that is no JSON object with an array of functions.
var ErrTrait = errors.New("not a trait: want a JSON object with an array named functions")

// Trait is what a contract has to offer to implement a trait: for each function the name, access, result and argument
// types.
type Trait struct {
	pattern map[string]any
}

// ParseTrait reads a trait, written as the interface of a contract that has its functions. It returns ErrTrait.
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
	wanted := make([]any, 0, len(functions))
	for i, function := range functions {
		f, ok := function.(map[string]any)
		if !ok {
			return Trait{}, fmt.Errorf("%w: function %d is no object", ErrTrait, i)
		}
		wanted = append(wanted, wantedOf(f))
	}
	return Trait{pattern: map[string]any{"functions": wanted}}, nil
}

// wantedOf keeps of a function what a contract must have too: all but the names of arguments.
func wantedOf(function map[string]any) map[string]any {
	wanted := make(map[string]any)
	for _, key := range []string{"name", "access", "outputs"} {
		if part, ok := function[key]; ok {
			wanted[key] = part
		}
	}
	if args, ok := function["args"].([]any); ok {
		types := make([]any, 0, len(args))
		for _, arg := range args {
			if a, ok := arg.(map[string]any); ok {
				types = append(types, map[string]any{"type": a["type"]})
			}
		}
		wanted["args"] = types
	}
	return wanted
}

// Pattern returns the JSON that the interface of an implementation contains, in the sense of PostgreSQL's jsonb @>
// operator.
func (t Trait) Pattern() ([]byte, error) {
	b, err := json.Marshal(t.pattern)
	if err != nil {
		return nil, fmt.Errorf("marshal trait: %w", err)
	}
	return b, nil
}

// ImplementedBy reports whether the interface, given as JSON, contains the pattern. Containment looks at arrays as sets:
// the order of arguments, and how many there are of a type, make no difference.
func (t Trait) ImplementedBy(abi []byte) (bool, error) {
	tree, err := parseTree(abi)
	if err != nil {
		return false, fmt.Errorf("parse contract interface: %w", err)
	}
	return contains(tree, t.pattern), nil
}

// contains is PostgreSQL's jsonb containment (section "jsonb Containment and Existence" of its manual). Each pair of
// nodes is compared once at most, so the work is bounded by the product of both sizes.
func contains(whole, part any) bool {
	switch part := part.(type) {
	case map[string]any:
		object, ok := whole.(map[string]any)
		if !ok {
			return false
		}
		for key, wanted := range part {
			if found, ok := object[key]; !ok || !contains(found, wanted) {
				return false
			}
		}
		return true
	case []any:
		array, ok := whole.([]any)
		if !ok {
			return false
		}
		for _, wanted := range part {
			if !anyContains(array, wanted) {
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

func anyContains(array []any, wanted any) bool {
	for _, element := range array {
		if contains(element, wanted) {
			return true
		}
	}
	return false
}

// equalNumbers compares by value: 1 equals 1.0.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	x, _, errX := big.ParseFloat(a, 10, 256, big.ToNearestEven)
	y, _, errY := big.ParseFloat(b, 10, 256, big.ToNearestEven)
	return errX == nil && errY == nil && x.Cmp(y) == 0
}

// parseTree reads one JSON value without rounding its numbers.
func parseTree(b []byte) (any, error) {
	if !json.Valid(b) { // unlike a Decoder, it minds what follows the value
		return nil, errors.New("not JSON")
	}
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	err := decoder.Decode(&tree)
	return tree, err
}
