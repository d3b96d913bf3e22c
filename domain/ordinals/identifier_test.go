package ordinals_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/internal/testkit/must"
)

func TestInscriptionID(t *testing.T) {
	t.Parallel()
	lower, upper := strings.Repeat("ab", 32), strings.Repeat("AB", 32)
	for _, text := range []string{lower + "i0", upper + "i0", lower + "i4294967295", lower + "i007"} {
		id, err := ordinals.ParseInscriptionID(text)
		if err != nil || string(id) != text {
			t.Errorf("ParseInscriptionID(%q): got %q, %v", text, id, err)
		}
		same(t, "transaction", id.TxID(), h32(t, "ab"))
	}
	same(t, "index", []uint32{ordinals.InscriptionID(lower + "i4294967295").Index(), ordinals.InscriptionID(lower + "i007").Index()}, []uint32{math.MaxUint32, 7})
	for _, text := range []string{
		"", "abc", "i0", lower, lower + "i", lower + "I0", lower + "i-1", lower + "i+1", lower + "i0x", lower + "i0 ", " " + lower + "i0", "0x" + lower + "i0",
		lower[1:] + "i0", "a" + lower + "i0", strings.Repeat("xy", 32) + "i0", lower + "i4294967296", lower + "i00000000001", lower + "i" + strings.Repeat("1", 1000),
	} {
		if id, err := ordinals.ParseInscriptionID(text); err == nil {
			t.Errorf("ParseInscriptionID(%q): got %q, want an error", text, id)
		}
		_ = ordinals.InscriptionID(text).TxID().String()
		ordinals.InscriptionID(text).Index()
	}
}

func TestInscriptionIDReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tx, index := genHash.Draw(t, "tx"), rapid.Uint32().Draw(t, "index")
		id, err := ordinals.ParseInscriptionID(string(ordinals.NewInscriptionID(tx, index)))
		if err != nil || id.TxID() != tx || id.Index() != index {
			t.Fatalf("got %q, %v", id, err)
		}
	})
}

func TestParseSatpoint(t *testing.T) {
	t.Parallel()
	tx := strings.Repeat("ab", 32)
	for _, tt := range []struct{ text, output, want string }{
		{tx + ":0:5000", tx + ":0", tx + ":0:5000"},
		{"0x" + tx + ":0:5000", tx + ":0", tx + ":0:5000"},
		{strings.ToUpper(tx) + ":4294967295:9223372036854775807", tx + ":4294967295", tx + ":4294967295:9223372036854775807"},
		{tx + ":007:1", tx + ":007", tx + ":007:1"},
		{tx + ":3", tx + ":3", tx + ":3"},
		{strings.Repeat("0", 64) + ":0:231", strings.Repeat("0", 64) + ":0", strings.Repeat("0", 64) + ":0:231"},
	} {
		p, err := ordinals.ParseSatpoint(tt.text)
		if err != nil {
			t.Errorf("ParseSatpoint(%q): %v", tt.text, err)
		}
		same(t, tt.text, []string{p.Output(), p.String()}, []string{tt.output, tt.want})
	}
	for _, text := range []string{
		"", ":", "::", tx, tx + ":", tx + "::", tx + "::5", tx + ":0:", tx + ":0:null", tx + ":x:0", tx + ":-1:0", tx + ":0:-1", tx + ":0:+1", tx + ":0:0:0", tx + ":0:1.5", tx + ": 0:0",
		tx + ":4294967296:0", tx + ":0:9223372036854775808", tx + ":00000000000:0", tx[1:] + ":0:0", "zz" + tx[2:] + ":0:0", tx + ":0:" + strings.Repeat("1", 1000),
	} {
		if p, err := ordinals.ParseSatpoint(text); err == nil {
			t.Errorf("ParseSatpoint(%q): got %s, want an error", text, p)
		} else if len(err.Error()) > 2000 {
			t.Errorf("the message has %d bytes", len(err.Error()))
		}
	}
}

func FuzzParseSatpoint(f *testing.F) {
	tx := strings.Repeat("ab", 32)
	for _, seed := range []string{tx + ":0:0", "0x" + tx + ":1:42", tx + ":7", tx + ":0:x", ":"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ordinals.ParseSatpoint(text)
		if err != nil {
			same(t, "satpoint with an error", p, ordinals.Satpoint{})
			return
		}
		if want := strings.ToLower(strings.TrimPrefix(text, "0x")); !strings.HasPrefix(want, p.Output()) {
			t.Fatalf("the output of %q is %q", text, p.Output())
		}
		again := must.Get(ordinals.ParseSatpoint(p.String()))(t)
		same(t, text, again, p)
	})
}

var genHash = rapid.Custom(func(t *rapid.T) hash.Hash32 {
	return hash.Hash32(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "bytes"))
})
