package fetch

import (
	"errors"
	"fmt"
	"strings"

	"strata/domain/clarity"
)

// Kind says what a want is about.
type Kind string

// Kinds of wants.
const (
	// ContractRead is a list of read-only calls of one contract, at one block.
	ContractRead Kind = "contract_read"
	// ContractInterface is the interface of a contract, which newer nodes leave out of their events.
	ContractInterface Kind = "contract_interface"
	// Document is a JSON document about a token (SIP-016).
	Document Kind = "document"
	// Image is a picture that a document names.
	Image Kind = "image"
)

// Want is something that a projection lacks.
type Want struct {
	Kind Kind `json:"kind"`
	// Contract of ContractRead and ContractInterface, such as "SP….name".
	Contract string `json:"contract,omitempty"`
	// Calls of ContractRead, in the order in which they are made.
	Calls []Call `json:"calls,omitempty"`
	// URI of Document and Image as the contract or the document has it, with the token's id and locale filled in,
	// whatever its scheme.
	URI string `json:"uri,omitempty"`
}

// Call is a read-only call.
type Call struct {
	Function string `json:"function"`
	// Arguments are serialised Clarity values in hex with 0x (SIP-005).
	Arguments []string `json:"arguments,omitempty"`
}

// NewCall makes a call of a function.
func NewCall(function string, arguments ...clarity.Value) Call {
	c := Call{Function: function}
	for _, argument := range arguments {
		c.Arguments = append(c.Arguments, argument.Hex())
	}
	return c
}

// Key names the want: two wants with the same key are the same, and one answer serves both.
func (w Want) Key() string {
	var b strings.Builder
	b.WriteString(string(w.Kind))
	b.WriteByte(' ')
	b.WriteString(w.Contract)
	b.WriteString(w.URI)
	for _, call := range w.Calls {
		b.WriteByte(' ')
		b.WriteString(call.Function)
		for _, argument := range call.Arguments {
			b.WriteByte(',')
			b.WriteString(argument)
		}
	}
	return b.String()
}

// Validate says what is wrong with a want.
func (w Want) Validate() error {
	contract := w.Contract != "" && w.URI == ""
	switch w.Kind {
	case ContractRead:
		if contract && len(w.Calls) > 0 {
			return nil
		}
		return errors.New("a contract_read names a contract and its calls")
	case ContractInterface:
		if contract && len(w.Calls) == 0 {
			return nil
		}
		return errors.New("a contract_interface names a contract")
	case Document, Image:
		if w.URI != "" && w.Contract == "" && len(w.Calls) == 0 {
			return nil
		}
		return fmt.Errorf("kind %s names a uri", w.Kind)
	}
	return fmt.Errorf("unknown kind %q", w.Kind)
}
