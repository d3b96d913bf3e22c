package token

import (
	"time"

	"strata/domain/fetch"
	"strata/domain/token"
)

// contractRow is what the tables have of a contract.
type contractRow struct {
	kind       token.Kind
	id         string
	height     int64
	sourceSeq  int64
	readHeight *int64 // of the block at which it was asked for its tokens
	readSeq    *int64
	failedSeq  *int64
	reason     fetch.Reason
	txid       []byte
	fungible   *string
	nonFungible,
	lastTokenID *string
}

// tokenRow is what the tables have of a token.
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

// resourceRow is what the tables have of a document or an image that a token refers to.
type resourceRow struct {
	role      fetch.Kind
	locale    string
	uri       string
	sourceSeq *int64 // nil: it was never had
	failedSeq *int64
	reason    fetch.Reason
	fetchedAt *time.Time
	content   *string
	facts     imageFacts
	want      *wantRow
}

// imageFacts are what was found in the bytes of an image.
type imageFacts struct {
	digest        []byte
	contentType   *string
	width, height *int32
}

// wantRow is when something is fetched next.
type wantRow struct {
	dueAt    time.Time
	attempts int32
	severity fetch.Severity
}

// knownToken is all that is known of a token that was asked for.
type knownToken struct {
	contract  *contractRow
	token     *tokenRow
	resources []resourceRow
}

// resource is a document or image; nil when the token has none in that locale.
func (k *knownToken) resource(role fetch.Kind, locale string) *resourceRow {
	for i := range k.resources {
		if r := &k.resources[i]; r.role == role && r.locale == locale {
			return r
		}
	}
	return nil
}
