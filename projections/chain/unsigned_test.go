package chain

import (
	"math"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"

	"strata/internal/testkit/must"
)

// Fees and nonces have 64 bits without a sign.
func TestUnsigned(t *testing.T) {
	t.Parallel()
	for _, u := range []uint64{0, 7, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		got := string(must.Get(pgtype.NewMap().Encode(pgtype.NumericOID, pgtype.TextFormatCode, unsigned(u), nil))(t))
		if got != strconv.FormatUint(u, 10) {
			t.Errorf("got %s, want %d", got, u)
		}
	}
}
