package c32_test

import (
	"bytes"
	"errors"
	"math/big"
	"strings"
	"testing"

	"strata/domain/c32"
	"strata/internal/testkit/must"
	"strata/internal/testkit/vector"

	"pgregory.net/rapid"
)

func TestEncoding(t *testing.T) {
	for _, tc := range []struct{ hex, text string }{
		{"", ""},
		{"22", "12"},
		{"10", "G"},
		{"0001", "01"},
		{"0100", "80"},
		{"1000", "400"},
		{"00", "0"},
		{"0000", "00"},
		{"1f", "Z"},
		{"20", "10"},
		{"a46ff88886c2ef9762d970b4d2c63678835bd39d", "MHQZH246RBQSERPSE2TD5HHPF21NQMWX"},
	} {
		t.Run(tc.hex, func(t *testing.T) {
			b := vector.Bytes(t, tc.hex)
			if got := c32.Encode(b); got != tc.text {
				t.Errorf("Encode = %q, want %q", got, tc.text)
			}
			got, err := c32.Decode(tc.text)
			if err != nil || !bytes.Equal(got, b) {
				t.Errorf("Decode = %x, %v, want %x", got, err, b)
			}
		})
	}
}

func TestDecodeNormalises(t *testing.T) {
	want := must.Get(c32.Decode("0110AZ"))(t)
	for _, s := range []string{"0110az", "OIlOaz", "oLi0AZ"} {
		if got, err := c32.Decode(s); err != nil || !bytes.Equal(got, want) {
			t.Errorf("Decode(%s) = %x, %v, want %x", s, got, err, want)
		}
	}
	for _, s := range []string{"U", "u", " ", "1-", "é", "\x00"} {
		if got, err := c32.Decode(s); !errors.Is(err, c32.ErrCharacter) {
			t.Errorf("Decode(%q) = %x, %v, want %v", s, got, err, c32.ErrCharacter)
		}
	}
}

// TestEncodingIsBaseThirtyTwo compares with math/big, whose base-32 digits differ only in their letters.
func TestEncodingIsBaseThirtyTwo(t *testing.T) {
	const bigDigits, c32Digits = "0123456789abcdefghijklmnopqrstuv", "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "bytes")
		var want strings.Builder
		rest := bytes.TrimLeft(b, "\x00")
		want.WriteString(strings.Repeat("0", len(b)-len(rest)))
		if len(rest) > 0 {
			for _, c := range new(big.Int).SetBytes(rest).Text(32) {
				want.WriteByte(c32Digits[strings.IndexRune(bigDigits, c)])
			}
		}
		text := c32.Encode(b)
		if text != want.String() {
			t.Fatalf("Encode(%x) = %s, want %s", b, text, want.String())
		}
		got, err := c32.Decode(text)
		if err != nil || !bytes.Equal(got, b) {
			t.Fatalf("Decode(%s) = %x, %v, want %x", text, got, err, b)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add("MHQZH246RBQSERPSE2TD5HHPF21NQMWX")
	f.Add("000")
	f.Add("oil")
	f.Fuzz(func(t *testing.T, s string) {
		b, err := c32.Decode(s)
		if err != nil {
			return
		}
		again, err := c32.Decode(c32.Encode(b))
		if err != nil || !bytes.Equal(again, b) {
			t.Errorf("%q decoded as %x, which reads back as %x, %v", s, b, again, err)
		}
	})
}
