package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Interface describes what a contract defines. Parts that the node left out are empty. Parsing ignores parts that this
// package does not know. The methods accept a nil Interface, which stands for an unknown one.
type Interface struct {
	Functions         []Function         `json:"functions"`
	Variables         []Variable         `json:"variables"`
	Maps              []Map              `json:"maps"`
	FungibleTokens    []FungibleToken    `json:"fungible_tokens"`
	NonFungibleTokens []NonFungibleToken `json:"non_fungible_tokens"`
	Epoch             string             `json:"epoch,omitempty"`           // Epoch20 …; empty before epoch 2.1
	ClarityVersion    string             `json:"clarity_version,omitempty"` // Clarity1 …; empty before epoch 2.1
}

// Function is a function of a contract.
type Function struct {
	Name    string     `json:"name"`
	Access  string     `json:"access"` // private, public or read_only
	Args    []Argument `json:"args"`
	Outputs Output     `json:"outputs"`
}

// Argument is a parameter of a function.
type Argument struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
}

// Output is what a function returns.
type Output struct {
	Type Type `json:"type"`
}

// Variable is a constant or a data variable.
type Variable struct {
	Name   string `json:"name"`
	Type   Type   `json:"type"`
	Access string `json:"access"` // constant or variable
}

// Map is a data map.
type Map struct {
	Name  string `json:"name"`
	Key   Type   `json:"key"`
	Value Type   `json:"value"`
}

// FungibleToken is a class of fungible tokens that the contract defines.
type FungibleToken struct {
	Name string `json:"name"`
}

// NonFungibleToken is a class of non-fungible tokens that the contract defines.
type NonFungibleToken struct {
	Name string `json:"name"`
	Type Type   `json:"type"` // of the token identifiers
}

// Parse parses an interface. For null or empty input it returns nil without an error, because nodes can be configured
// to leave out the interface.
func Parse(b []byte) (*Interface, error) {
	if b = bytes.TrimSpace(b); len(b) == 0 || bytes.Equal(b, []byte("null")) {
		return nil, nil
	}
	var i Interface
	if err := json.Unmarshal(b, &i); err != nil {
		return nil, fmt.Errorf("parse contract interface: %w", err)
	}
	return &i, nil
}

// Function returns the function with that name, or false. Failed calls may name functions that do not exist.
func (i *Interface) Function(name string) (Function, bool) {
	if i == nil {
		return Function{}, false
	}
	for _, f := range i.Functions {
		if f.Name == name {
			return f, true
		}
	}
	return Function{}, false
}

// Signature returns the head of the function's definition as existing APIs show it, such as
// (define-public (transfer (amount uint) (to principal))). A function without arguments keeps the space after its name:
// (define-read-only (get-owner )).
func (f Function) Signature() string {
	var s strings.Builder
	s.WriteString("(define-")
	s.WriteString(strings.ReplaceAll(f.Access, "_", "-"))
	s.WriteString(" (")
	s.WriteString(f.Name)
	s.WriteByte(' ')
	for i, arg := range f.Args {
		if i > 0 {
			s.WriteByte(' ')
		}
		s.WriteByte('(')
		s.WriteString(arg.Name)
		s.WriteByte(' ')
		s.WriteString(arg.Type.String())
		s.WriteByte(')')
	}
	s.WriteString("))")
	return s.String()
}
