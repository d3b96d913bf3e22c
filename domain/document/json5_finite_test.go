package document_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"strata/domain/document/internal/json5"

	"pgregory.net/rapid"
)

// Finite agrees with strconv.ParseFloat.
func TestFinite(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, literal string) {
		f, err := strconv.ParseFloat(literal, 64)
		if want := !math.IsInf(f, 0); json5.Finite(literal) != want {
			t.Errorf("Finite(%s) = %t, want %t (%v, %v)", literal, !want, want, f, err)
		}
	}
	limit := "17976931348623158079372897140530341507993413271003782693617377898044496829276475094664901797758720709633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447573027006985557136695962284291481986083493647529271907416844436551070434271155969950809304288017790417449779"
	for _, literal := range []string{
		"0", "-0", "0.0e99999", "0e400", "1e308", "1e309", "-1e309", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
		"179769313486231580e291", "0.00017976931348623159e312", "0.00017976931348623157e312", "5e-324", "1e-9999", "1e9999",
		limit + "1.9e0", limit + "2e0", limit + "2.0", limit + "2.01", limit + "19e-1", limit + "2e1", limit + "e1", "0." + limit + "2e309", "0." + limit + "19e309",
		limit[:1] + "." + limit[1:] + "e308", limit[:1] + "." + limit[1:] + "2e308", "1" + strings.Repeat("0", 308) + ".0", "1" + strings.Repeat("0", 309) + ".0",
	} {
		check(t, literal)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringMatching(`-?(0|[1-9][0-9]{0,320})(\.[0-9]{1,320})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "any"))
		check(t, rapid.StringMatching(`1(\.[0-9]{1,20}|\.797693134862315[0-9]{1,20}|797693134862315[789]e-15)?e30[789]`).Draw(t, "great"))
	})
}

// Exponents beyond the range of an int are clamped.
func TestFiniteWithHugeExponent(t *testing.T) {
	for literal, want := range map[string]bool{"1e99999999999999999999": false, "1e-99999999999999999999": true, "0e99999999999999999999": true} {
		if got := json5.Finite(literal); got != want {
			t.Errorf("Finite(%s) = %t", literal, got)
		}
	}
}

// Numbers at both ends of the range of a double are the slowest ones for strconv, but not for Finite.
func BenchmarkFinite(b *testing.B) {
	for _, literal := range []string{"1.5", "5e-324", "1e309", "9" + strings.Repeat("0", 308) + ".5"} {
		b.Run(literal[:min(len(literal), 8)], func(b *testing.B) {
			for b.Loop() {
				json5.Finite(literal)
			}
		})
	}
}
