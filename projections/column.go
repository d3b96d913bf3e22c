package projections

import (
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgtype"
)

// Text makes any text fit for a text column, which holds neither NUL nor invalid UTF-8: each becomes U+FFFD. The
// event in the log keeps the original.
func Text(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// NullText is Text for a column where the empty text means null.
func NullText(s string) *string {
	if s == "" {
		return nil
	}
	s = Text(s)
	return &s
}

// Amount is a numeric column; nil is null.
func Amount(i *big.Int) pgtype.Numeric {
	return pgtype.Numeric{Int: i, Valid: i != nil}
}
