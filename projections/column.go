package projections

import (
	"math/big"

	"github.com/jackc/pgx/v5"
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

// EachValue returns the reader of a query with one column, which calls f for the value in each row.
func EachValue[T any](f func(T)) func(rows pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var value T
		_, err := pgx.ForEachRow(rows, []any{&value}, func() error { f(value); return nil })
		return err
	}
}

// Column returns what value returns for each element of a list, as the argument of a query that unnests it.
func Column[T, V any](list []T, value func(T) V) []V {
	column := make([]V, len(list))
	for i, element := range list {
		column[i] = value(element)
	}
	return column
}
