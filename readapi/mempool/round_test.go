package mempool

import (
	"testing"

	"strata/internal/testkit/check"
)

// Percentiles are rounded like the reference rounds them: halves to the even number.
func TestRoundFee(t *testing.T) {
	t.Parallel()
	for fee, want := range map[exactNumber]roundedFee{
		"0": "0", "0.5": "0", "1.5": "2", "2.5": "2", "3.5": "4", "2.51": "3", "2.4999": "2", "9.5": "10", "8.5": "8", "199.75": "200",
		"18446744073709551615.5": "18446744073709551616", "18446744073709551614.5": "18446744073709551614",
	} {
		check.Equal(t, string(fee), roundFee(fee), want)
	}
}
