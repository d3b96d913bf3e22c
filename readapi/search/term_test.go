package search

import (
	"strings"
	"testing"
)

// What a text can be meant as: h for hashes, n for a height, a for an address, c and t for the beginning of a contract's and an asset's identifier,
// C and T for a part of them.
func TestTerms(t *testing.T) {
	t.Parallel()
	const address = "SP000000000000000000002Q6VF78"
	for text, want := range map[string]string{
		"2": "n", "123": "nCT", "99999999999999": "hCT", "2147483648": "hCT", "007": "nCT", "-1": "",
		"0xcccc": "", "0x12345678": "h", "0X12345678": "h", "12345678": "hnCT", "deadbeef0": "hCT", "0x" + strings.Repeat("a", 64): "h", strings.Repeat("a", 64): "hCT",
		"0x" + strings.Repeat("a", 65): "", "0x1234567g": "",
		"ST": "", "ST2": "CT", "st27x9": "aCT", "SU1234": "CT", address: "aCT", "X" + address: "CT",
		address + ".": "ct", strings.ToLower(address) + ".pox": "ct", address + ".a::b": "ct", address + ".a b": "", "XY.a": "", "S.": "ct",
		"arkadiko": "CT", "usda::usda": "CT", "us::a": "T", "a!c": "T", "a::": "T", "%_\\": "", "é€ü": "", "": "", "two words": "",
	} {
		parsed := parseTerm(text)
		got := ""
		for _, one := range []struct {
			set    bool
			letter string
		}{
			{parsed.hashes != nil, "h"}, {parsed.height != nil, "n"}, {parsed.address != "", "a"}, {parsed.contract.beginning != "", "c"}, {parsed.asset.beginning != "", "t"},
			{parsed.contract.part != "", "C"}, {parsed.asset.part != "", "T"},
		} {
			if one.set {
				got += one.letter
			}
		}
		if got != want || parsed.senseless() != (want == "") {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	h := parseTerm("0xABCDEF123").hashes
	if got := h.first.String() + " " + h.last.String(); got != "0xabcdef123"+strings.Repeat("0", 55)+" 0xabcdef123"+strings.Repeat("f", 55) || h.whole {
		t.Errorf("got %s", got)
	}
}
