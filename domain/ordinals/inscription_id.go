package ordinals

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"strata/domain/hash"
)

// InscriptionID identifies an inscription: the id of the transaction that revealed it in 64 hex digits without 0x, the
// letter i in lower case, and the index among the transaction's inscriptions. Ids are compared as text, so the text is
// kept unchanged: an id in upper case is well-formed, but does not match any id of an indexer. The zero value is not an
// id.
type InscriptionID string

const (
	txDigits = 64
	// maxIndexDigits is the number of decimal digits of 2^32-1, the largest index of the protocol.
	maxIndexDigits = 10
)

// NewInscriptionID returns the id as indexers write it.
func NewInscriptionID(tx hash.Hash32, index uint32) InscriptionID {
	return InscriptionID(hex.EncodeToString(tx[:]) + "i" + strconv.FormatUint(uint64(index), 10))
}

// ParseInscriptionID parses an id with hex digits in either case and an index of at most 32 bits.
func ParseInscriptionID(text string) (InscriptionID, error) {
	if inscriptionIDLength(text) != len(text) || text == "" {
		return "", fmt.Errorf("inscription id %.80q: want %d hex digits, the letter i, and a number", text, txDigits)
	}
	return InscriptionID(text), nil
}

// inscriptionIDLength returns the length of the id at the start of text; zero if there is none.
func inscriptionIDLength[Text string | []byte](text Text) int {
	if len(text) <= txDigits || text[txDigits] != 'i' {
		return 0
	}
	for i := range txDigits {
		if !isHexDigit(text[i]) {
			return 0
		}
	}
	end := txDigits + 1
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	digits := text[txDigits+1 : end]
	if len(digits) == 0 || len(digits) > maxIndexDigits {
		return 0
	}
	if _, err := strconv.ParseUint(string(digits), 10, 32); err != nil {
		return 0
	}
	return end
}

func isHexDigit(ch byte) bool {
	return ch >= '0' && ch <= '9' || ch >= 'a' && ch <= 'f' || ch >= 'A' && ch <= 'F'
}

// TxID returns the id of the transaction that revealed the inscription; zero for a malformed id.
func (id InscriptionID) TxID() hash.Hash32 {
	if len(id) < txDigits {
		return hash.Hash32{}
	}
	tx, err := hash.Parse32(string(id[:txDigits]))
	if err != nil {
		return hash.Hash32{}
	}
	return tx
}

// Index returns the position among the inscriptions that the transaction revealed; zero for a malformed id.
func (id InscriptionID) Index() uint32 {
	if len(id) <= txDigits {
		return 0
	}
	n, err := strconv.ParseUint(string(id[txDigits+1:]), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}
