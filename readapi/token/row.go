package token

import (
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
)

// contractRow is a contract in the tables.
type contractRow struct {
	kind       token.Kind
	id         string
	height     int64
	sourceSeq  int64
	readHeight *int64 // height of the block at which the contract was read
	readSeq    *int64
	failedSeq  *int64
	reason     fetch.Reason
	txid       []byte
	fungible   *string
	nonFungible,
	lastTokenID *string
}

// tokenRow is a token in the tables.
type tokenRow struct {
	height      int64
	sourceSeq   int64
	readHeight  *int64
	readSeq     *int64
	readAt      *time.Time
	failedSeq   *int64
	reason      fetch.Reason
	decimals    *int32
	totalSupply *string
	uri         *string
	name        *string
	symbol      *string
	want        *wantRow
}

// resourceRow is a document or an image in the tables, to which a token refers.
type resourceRow struct {
	role      fetch.Kind
	locale    string
	uri       string
	sourceSeq *int64 // nil when it was never fetched
	failedSeq *int64
	reason    fetch.Reason
	fetchedAt *time.Time
	content   *string
	facts     imageFacts
	want      *wantRow
}

// imageFacts describes the bytes of an image.
type imageFacts struct {
	digest        []byte
	contentType   *string
	width, height *int32
}

// wantRow is a scheduled fetch in the tables.
type wantRow struct {
	dueAt    time.Time
	attempts int32
	severity fetch.Severity
}

// knownToken holds the rows of a requested token. contract and token are nil when they are not known.
type knownToken struct {
	contract  *contractRow
	token     *tokenRow
	resources []resourceRow
}

// resource returns the document or image in a locale; nil when the token has none.
func (k *knownToken) resource(role fetch.Kind, locale string) *resourceRow {
	for i := range k.resources {
		if r := &k.resources[i]; r.role == role && r.locale == locale {
			return r
		}
	}
	return nil
}
