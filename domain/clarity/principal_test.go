package clarity_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"

	"pgregory.net/rapid"
)

const someAddress = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"

func TestParsePrincipal(t *testing.T) {
	for _, tc := range []struct {
		name, in, want string
		err            error
	}{
		{"standard", someAddress, someAddress, nil},
		{"lower case", strings.ToLower(someAddress), someAddress, nil},
		{"contract", someAddress + ".pool-1_A", someAddress + ".pool-1_A", nil},
		{"contract case is kept", strings.ToLower(someAddress) + ".Pool", someAddress + ".Pool", nil},
		{"transient", someAddress + ".__transient", someAddress + ".__transient", nil},
		{"128 characters", someAddress + "." + strings.Repeat("a", 128), someAddress + "." + strings.Repeat("a", 128), nil},
		{"129 characters", someAddress + "." + strings.Repeat("a", 129), "", clarity.ErrName},
		{"empty contract", someAddress + ".", "", clarity.ErrName},
		{"two dots", someAddress + ".a.b", "", clarity.ErrName},
		{"leading digit", someAddress + ".1a", "", clarity.ErrName},
		{"asset", someAddress + ".a::b", "", clarity.ErrName},
		{"apostrophe", "'" + someAddress, "", c32.ErrLength},
		{"checksum", someAddress[:40] + "8", "", c32.ErrChecksum},
		{"empty", "", "", c32.ErrLength},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := clarity.ParsePrincipal(tc.in)
			if !errors.Is(err, tc.err) {
				t.Fatalf("err = %v, want %v", err, tc.err)
			}
			if err == nil && p.String() != tc.want {
				t.Errorf("got %s, want %s", p, tc.want)
			}
		})
	}
}

func TestReadPrincipal(t *testing.T) {
	for _, tc := range []struct {
		name, hex, want string
		n               int
		err             error
	}{
		{"standard", "0516" + address160 + "ff", someAddress, 22, nil},
		{"contract", "0616" + address160 + "03616263ff", someAddress + ".abc", 26, nil},
		{"empty", "", "", 0, clarity.ErrTruncated},
		{"truncated", "0516", "", 0, clarity.ErrTruncated},
		{"another type", "09", "", 0, clarity.ErrType},
		{"wrapped", "0a0516" + address160, "", 0, clarity.ErrType},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := vector.Bytes(t, tc.hex)
			p, n, err := clarity.ReadPrincipal(b)
			if !errors.Is(err, tc.err) || n != tc.n {
				t.Fatalf("got %d bytes, %v, want %d, %v", n, err, tc.n, tc.err)
			}
			if err != nil {
				return
			}
			if p.String() != tc.want {
				t.Errorf("got %s, want %s", p, tc.want)
			}
			if again, err := p.AppendTo(nil); err != nil || !bytes.Equal(again, b[:n]) {
				t.Errorf("AppendTo = %x, %v, want %x", again, err, b[:n])
			}
		})
	}
}

func TestPrincipalJSON(t *testing.T) {
	const want = `{"sender":"` + someAddress + `.abc"}`
	var v struct {
		Sender clarity.Principal `json:"sender"`
	}
	must.Do(t, json.Unmarshal([]byte(want), &v))
	if got, err := json.Marshal(v); err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if _, err := json.Marshal(clarity.Principal{Address: c32.Address{Version: 32}}); !errors.Is(err, clarity.ErrVersion) {
		t.Errorf("version 32: %v, want %v", err, clarity.ErrVersion)
	}
}

func TestNameGrammar(t *testing.T) {
	contract := regexp.MustCompile(`^[a-zA-Z]([a-zA-Z0-9]|[-_])*$|^__transient$`)
	name := regexp.MustCompile(`^[a-zA-Z]([a-zA-Z0-9]|[-_!?+<>=/*])*$|^[-+=/*]$|^[<>]=?$`)
	check := func(t interface{ Errorf(string, ...any) }, s string) {
		short := len(s) <= clarity.MaxNameLength
		if got, want := clarity.IsContractName(s), short && contract.MatchString(s); got != want {
			t.Errorf("IsContractName(%q) = %t, want %t", s, got, want)
		}
		if got, want := clarity.IsName(s), short && name.MatchString(s); got != want {
			t.Errorf("IsName(%q) = %t, want %t", s, got, want)
		}
	}
	for _, s := range []string{"", "__transient", "_a", "a_", "-", "+", "=", "/", "*", "<", "<=", ">", ">=", "==", "!", "a!", "a\n", "é", "a@", "A[", "a`", strings.Repeat("a", 129)} {
		check(t, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringMatching(`[a-zA-Z0-9_!?+<>=/*@{-]{0,4}`).Draw(t, "name"))
	})
}

func FuzzParsePrincipal(f *testing.F) {
	f.Add(someAddress)
	f.Add(someAddress + ".abc")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := clarity.ParsePrincipal(s)
		if err != nil {
			return
		}
		b := must.Get(p.AppendTo(nil))(t)
		again, n, err := clarity.ReadPrincipal(b)
		if err != nil || n != len(b) || again != p {
			t.Errorf("%s as %x reads back as %s of %d bytes, %v", p, b, again, n, err)
		}
	})
}
