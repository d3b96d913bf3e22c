package admin

import (
	"fmt"
	"testing"
)

// Numbers of tokens may be JSON numbers or decimal text, which holds also those that a double would round.
func TestPeerTokenNumbers(t *testing.T) {
	t.Parallel()
	const contract = "SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world"
	for _, tc := range []struct{ numbers, want, failure string }{
		{`[1, "2", "9007199254740993", "340282366920938463463374607431768211455"]`, "[1 2 9007199254740993 340282366920938463463374607431768211455]", ""},
		{`["007"]`, "[7]", ""},
		{`[-1, "-1", "340282366920938463463374607431768211456"]`, "[]", ""}, // no token has such a number
		{`[]`, "[]", ""},
		{`[1, "one"]`, "", "body/tokenIds/1 must be integer"},
		{`[""]`, "", "body/tokenIds/0 must be integer"},
		{`["+1"]`, "", "body/tokenIds/0 must be integer"},
		{`["1.0"]`, "", "body/tokenIds/0 must be integer"},
		{`[1.5]`, "", "body/tokenIds/0 must be integer"},
		{`["1 "]`, "", "body/tokenIds/0 must be integer"},
		{`[null]`, "", "body/tokenIds/0 must be integer"},
		{`[["1"]]`, "", "body/tokenIds/0 must be integer"},
		{`"1"`, "", "body/tokenIds must be array"},
	} {
		_, ids, err := parsePeerTokens(fmt.Appendf(nil, `{"contractId":%q,"tokenIds":%s}`, contract, tc.numbers))
		switch {
		case tc.failure != "" && (err == nil || err.Error() != tc.failure):
			t.Errorf("%s: got %v, %v, want %s", tc.numbers, ids, err, tc.failure)
		case tc.failure == "" && (err != nil || fmt.Sprint(ids) != tc.want):
			t.Errorf("%s: got %v, %v, want %s", tc.numbers, ids, err, tc.want)
		}
	}
}
