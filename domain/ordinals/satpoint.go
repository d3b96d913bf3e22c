package ordinals

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"strata/domain/hash"
)

// Satpoint is the position of a sat: an output, and the number of sats in that output that come before it.
type Satpoint struct {
	TxID   hash.Hash32
	Vout   string  // decimal digits of at most 32 bits, unchanged: may have leading zeros
	Offset *uint64 // in the output, at most 63 bits; nil if the text has none
}

// ParseSatpoint parses txid:vout:offset or txid:vout, with or without 0x in front.
func ParseSatpoint(text string) (Satpoint, error) {
	tx, rest, _ := strings.Cut(text, ":")
	vout, offset, hasOffset := strings.Cut(rest, ":")
	id, err := hash.Parse32(tx)
	if err != nil {
		return Satpoint{}, fmt.Errorf("satpoint %.120q: %w", text, err)
	}
	if len(vout) > maxIndexDigits {
		return Satpoint{}, fmt.Errorf("satpoint %.120q: want an output index of at most %d digits", text, maxIndexDigits)
	}
	if _, err := strconv.ParseUint(vout, 10, 32); err != nil {
		return Satpoint{}, fmt.Errorf("satpoint %.120q: output index: %w", text, err)
	}
	p := Satpoint{TxID: id, Vout: vout}
	if hasOffset {
		n, err := strconv.ParseUint(offset, 10, 63)
		if err != nil {
			return Satpoint{}, fmt.Errorf("satpoint %.120q: offset: %w", text, err)
		}
		p.Offset = &n
	}
	return p, nil
}

// Output returns txid:vout, without 0x.
func (p Satpoint) Output() string { return hex.EncodeToString(p.TxID[:]) + ":" + p.Vout }

// String returns txid:vout:offset without 0x, or txid:vout if there is no offset.
func (p Satpoint) String() string {
	if p.Offset == nil {
		return p.Output()
	}
	return p.Output() + ":" + strconv.FormatUint(*p.Offset, 10)
}
