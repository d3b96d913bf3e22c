package c32_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"strata/domain/c32"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"

	"pgregory.net/rapid"
)

func hash160(tb testing.TB, text string) [20]byte {
	tb.Helper()
	b := vector.Bytes(tb, text)
	if len(b) != 20 {
		tb.Fatalf("hash160 %q: %d bytes, want 20", text, len(b))
	}
	return [20]byte(b)
}

func TestAddress(t *testing.T) {
	const hash = "a46ff88886c2ef9762d970b4d2c63678835bd39d"
	zero := strings.Repeat("00", 20)
	for _, tc := range []struct {
		hash    string
		version byte
		text    string
	}{
		{hash, c32.MainnetSingle, "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"},
		{hash, c32.MainnetMulti, "SM2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQVX8X0G"},
		{hash, c32.TestnetSingle, "ST2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQYAC0RQ"},
		{hash, c32.TestnetMulti, "SN2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKP6D2ZK9"},
		{hash, 0, "S02J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKPVKG2CE"},
		{zero, c32.MainnetSingle, "SP000000000000000000002Q6VF78"},
		{zero, c32.TestnetSingle, "ST000000000000000000002AMW42H"},
	} {
		t.Run(tc.text, func(t *testing.T) {
			want := c32.Address{Version: tc.version, Hash160: hash160(t, tc.hash)}
			if got := want.String(); got != tc.text {
				t.Errorf("String = %s, want %s", got, tc.text)
			}
			for _, text := range []string{tc.text, strings.ToLower(tc.text)} {
				got, err := c32.ParseAddress(text)
				if err != nil || got != want {
					t.Errorf("ParseAddress(%s) = %v, %v, want %v", text, got, err, want)
				}
			}
		})
	}
}

func TestParseAddressErrors(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       error
	}{
		{"empty", "", c32.ErrLength},
		{"short", "SP2J6", c32.ErrLength},
		{"truncated", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ", c32.ErrChecksum},
		{"a byte short", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV", c32.ErrLength},
		{"long", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ77", c32.ErrLength},
		{"1 MiB long", strings.Repeat("S", 1<<20), c32.ErrLength},
		{"Bitcoin address", "1FhZqHcrXaWcNCJPEGn2BRZ9angJvYfTBT", c32.ErrPrefix},
		{"version not a digit", "SU2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7", c32.ErrCharacter},
		{"character not a digit", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EU7", c32.ErrCharacter},
		{"not ASCII", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRVé7", c32.ErrCharacter},
		{"one wrong character", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ8", c32.ErrChecksum},
		{"wrong version", "SM2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7", c32.ErrChecksum},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := c32.ParseAddress(tc.text); !errors.Is(err, tc.want) {
				t.Errorf("err = %v, want %v", err, tc.want)
			}
		})
	}
}

func TestAddressWithoutText(t *testing.T) {
	a := c32.Address{Version: 32}
	if got := a.String(); got != "" {
		t.Errorf("String = %q, want none", got)
	}
	if _, err := a.MarshalText(); !errors.Is(err, c32.ErrVersion) {
		t.Errorf("MarshalText: %v, want %v", err, c32.ErrVersion)
	}
}

func TestAddressJSON(t *testing.T) {
	const want = `{"a":"SP000000000000000000002Q6VF78"}`
	var v struct {
		A c32.Address `json:"a"`
	}
	must.Do(t, json.Unmarshal([]byte(want), &v))
	got, err := json.Marshal(v)
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestEveryMutationIsRefused(t *testing.T) {
	const text = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"
	for i := 1; i < len(text); i++ {
		for _, c := range []byte("0123456789ABCDEFGHJKMNPQRSTVWXYZ") {
			if c == text[i] {
				continue
			}
			mutant := text[:i] + string(c) + text[i+1:]
			if a, err := c32.ParseAddress(mutant); err == nil {
				t.Errorf("ParseAddress(%s) = %v, want an error", mutant, a)
			}
		}
	}
}

func TestAddressRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := c32.Address{Version: rapid.ByteRange(0, c32.MaxVersion).Draw(t, "version")}
		zeros := rapid.IntRange(0, 20).Draw(t, "zeros") // leading zero bytes follow a rule of their own
		copy(want.Hash160[zeros:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "hash"))
		text := want.String()
		got, err := c32.ParseAddress(text)
		if err != nil || got != want {
			t.Fatalf("%v as %s reads back as %v, %v", want, text, got, err)
		}
	})
}

func TestAddressVectors(t *testing.T) {
	vector.Each(t, "c32_addresses.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			Address string
			Version byte
			Hash160 string
		}](t, row)
		a := c32.Address{Version: want.Version, Hash160: hash160(t, want.Hash160)}
		if got := a.String(); got != want.Address {
			t.Errorf("String = %s, want %s", got, want.Address)
		}
		if got, err := c32.ParseAddress(want.Address); err != nil || got != a {
			t.Errorf("ParseAddress = %v, %v, want %v", got, err, a)
		}
	})
}

func TestInputVectors(t *testing.T) {
	vector.Each(t, "c32_inputs.jsonl", func(t *testing.T, row json.RawMessage) {
		want := vector.Decode[struct {
			Input     string
			Valid     bool
			Version   byte
			Hash160   string
			Canonical string
		}](t, row)
		got, err := c32.ParseAddress(want.Input)
		if (err == nil) != want.Valid {
			t.Fatalf("ParseAddress(%q): %v, want valid %t", want.Input, err, want.Valid)
		}
		if !want.Valid {
			return
		}
		if a := (c32.Address{Version: want.Version, Hash160: hash160(t, want.Hash160)}); got != a {
			t.Errorf("ParseAddress = %v, want %v", got, a)
		}
		if got.String() != want.Canonical {
			t.Errorf("String = %s, want %s", got, want.Canonical)
		}
	})
}

func FuzzParseAddress(f *testing.F) {
	f.Add("SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7")
	f.Add("sO2j6zy48gvlez5v2v5rb9mp66sw86pykkpvkg2ce")
	f.Add("SP000000000000000000002Q6VF78")
	f.Add("S")
	f.Fuzz(func(t *testing.T, s string) {
		a, err := c32.ParseAddress(s)
		if err != nil {
			return
		}
		again, err := c32.ParseAddress(a.String())
		if err != nil || again != a {
			t.Errorf("%q parsed as %v: its text %s parses as %v, %v", s, a, a, again, err)
		}
	})
}

func BenchmarkAddressString(b *testing.B) {
	a := must.Get(c32.ParseAddress("SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"))(b)
	b.ReportAllocs()
	for b.Loop() {
		_ = a.String()
	}
}

func BenchmarkParseAddress(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		must.Get(c32.ParseAddress("SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"))(b)
	}
}
