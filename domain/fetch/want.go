package fetch

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"strata/domain/clarity"
)

// Kind is the kind of a want.
type Kind string

// Kinds of wants.
const (
	// ContractRead is a list of read-only calls of one contract, at one block.
	ContractRead Kind = "contract_read"
	// ContractInterface is the interface of a contract, which newer nodes leave out of their events.
	ContractInterface Kind = "contract_interface"
	// Document is a JSON document about a token (SIP-016).
	Document Kind = "document"
	// Image is an image to which a document refers.
	Image Kind = "image"
	// Attachment is the content of an attachment of which the chain has the hash, such as a zonefile.
	Attachment Kind = "attachment"
)

// Want is something from outside the log that a projection needs.
type Want struct {
	Kind Kind `json:"kind"`
	// Contract of ContractRead and ContractInterface, such as "SP….name".
	Contract string `json:"contract,omitempty"`
	// Calls of ContractRead, in the order of the requests.
	Calls []Call `json:"calls,omitempty"`
	// URI of Document and Image as the contract or the document has it, with the token's id and locale filled in. It
	// may have any scheme.
	URI string `json:"uri,omitempty"`
	// Hash of Attachment: hash160 of the content, 40 digits in lower case.
	Hash string `json:"hash,omitempty"`
}

// unchanging matches the URIs of which the content never changes: it is in the URI, or its hash is.
var unchanging = regexp.MustCompile(`^\s*(?i:(data)|ipfs|ar):`)

// immutable reports whether the content of the wanted document or image never changes.
func (w Want) immutable() bool { return unchanging.MatchString(w.URI) }

// inURI reports whether the URI of the wanted document or image has the content.
func (w Want) inURI() bool {
	match := unchanging.FindStringSubmatch(w.URI)
	return match != nil && match[1] != ""
}

// Call is a call of a read-only function.
type Call struct {
	Function string `json:"function"`
	// Arguments are serialised Clarity values in hex with 0x (SIP-005).
	Arguments []string `json:"arguments,omitempty"`
}

// NewCall returns a call of a function.
func NewCall(function string, arguments ...clarity.Value) Call {
	c := Call{Function: function}
	for _, argument := range arguments {
		c.Arguments = append(c.Arguments, argument.Hex())
	}
	return c
}

// Values decodes the arguments of the call.
func (c Call) Values() ([]clarity.Value, error) {
	values := make([]clarity.Value, len(c.Arguments))
	for i, text := range c.Arguments {
		raw, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
		if err == nil {
			values[i], err = clarity.DecodeAll(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("argument %d of %s: %w", i, c.Function, err)
		}
	}
	return values, nil
}

// Key returns a text that identifies the want. Wants with the same key are the same, and one report serves both.
func (w Want) Key() string {
	var b strings.Builder
	b.WriteString(string(w.Kind))
	b.WriteByte(' ')
	b.WriteString(w.Contract)
	b.WriteString(w.URI)
	b.WriteString(w.Hash)
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

// Validate returns an error unless the want has exactly the fields of its kind.
func (w Want) Validate() error {
	hasContract := w.Contract != "" && w.URI == ""
	if w.Hash != "" && w.Kind != Attachment {
		return fmt.Errorf("kind %s names no hash", w.Kind)
	}
	switch w.Kind {
	case ContractRead:
		if hasContract && len(w.Calls) > 0 {
			return nil
		}
		return errors.New("a contract_read names a contract and its calls")
	case ContractInterface:
		if hasContract && len(w.Calls) == 0 {
			return nil
		}
		return errors.New("a contract_interface names a contract")
	case Document, Image:
		if w.URI != "" && w.Contract == "" && len(w.Calls) == 0 {
			return nil
		}
		return fmt.Errorf("kind %s names a uri", w.Kind)
	case Attachment:
		if hash, err := hex.DecodeString(w.Hash); err != nil || len(hash) != attachmentHashLength || w.URI != "" || w.Contract != "" || len(w.Calls) > 0 {
			return errors.New("an attachment names a hash of 40 digits")
		}
		return nil
	}
	return fmt.Errorf("unknown kind %q", w.Kind)
}
