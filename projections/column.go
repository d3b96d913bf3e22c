package projections

import (
	"math/big"

	"github.com/jackc/pgx/v5/pgtype"

	"strata/eventstore"
)

// Text makes any text storable in a text column, by the same rule as the log's own columns. The event in the log keeps
// the original.
func Text(s string) string { return eventstore.StorableText(s) }

// NullText is Text for a column in which the empty text is null.
func NullText(s string) *string {
	if s == "" {
		return nil
	}
	s = Text(s)
	return &s
}

// Amount returns the value of a numeric column; nil is null.
func Amount(i *big.Int) pgtype.Numeric {
	return pgtype.Numeric{Int: i, Valid: i != nil}
}

// WholeNumber returns the value of a numeric column that holds whole numbers; nil for null. The database's form has no
// trailing zeros but an exponent.
func WholeNumber(n pgtype.Numeric) *big.Int {
	if !n.Valid {
		return nil
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n.Exp, 0))), nil)
	return scale.Mul(scale, n.Int)
}
