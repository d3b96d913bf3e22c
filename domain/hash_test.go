package domain_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"strata/domain/hash"
	"strata/internal/testkit/must"
)

func TestIndexBlockHash(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, block, consensus, want string }{
		{"genesis", "0x0000000000000000000000000000000000000000000000000000000000000000", "0x0000000000000000000000000000000000000000", "0x55c9861be5cff984a20ce6d99d4aa65941412889bdc665094136429b84f8c2ee"},
		{"nakamoto", "027b1784204e3f1f99ce242f18bdb8ca9dcb9aac1be36c1651f6fbe0ba1703ab", "0669EBB7780ac395578196ee8868f899f1c74ecb", "0x169b06db8912d599051dad3acfa2b04d33b6d98edf4adea6f13ad3935ca5fb7f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			block := must.Get(hash.Parse32(tt.block))(t)
			consensus := must.Get(hash.Parse20(tt.consensus))(t)
			if got := hash.IndexBlockHash(block, consensus).String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestParse32Refuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "0x", "0x00", "0xzz00000000000000000000000000000000000000000000000000000000000000"} {
		if _, err := hash.Parse32(in); err == nil {
			t.Errorf("Parse32(%q) succeeded", in)
		}
	}
	if _, err := hash.Parse32("0x00"); !errors.Is(err, hash.ErrLength) {
		t.Errorf("got %v, want ErrLength", err)
	}
}

func TestTextRoundTrip(t *testing.T) {
	t.Parallel()
	h := hash.IndexBlockHash(hash.Hash32{1}, hash.Hash20{2})
	b := must.Get(json.Marshal(h))(t)
	var got hash.Hash32
	must.Do(t, json.Unmarshal(b, &got))
	if got != h {
		t.Errorf("got %s, want %s", got, h)
	}
}

// TestScan checks that both ways to read a column take a hash of the right length, and nothing else.
func TestScan(t *testing.T) {
	want := hash.Hash32{1, 31: 2}
	for _, tt := range []struct {
		name string
		raw  []byte
		ok   bool
	}{{"a hash", want[:], true}, {"short", want[:31], false}, {"long", append(want[:], 0), false}, {"empty", []byte{}, false}, {"NULL", nil, false}} {
		var copied, direct hash.Hash32
		var source any
		if tt.raw != nil {
			source = tt.raw
		}
		for way, err := range map[string]error{"Scan": copied.Scan(source), "ScanBytes": direct.ScanBytes(tt.raw)} {
			if (err == nil) != tt.ok {
				t.Errorf("%s of %s: got %v", way, tt.name, err)
			}
		}
		if tt.ok && (copied != want || direct != want) {
			t.Errorf("%s: got %s and %s, want %s", tt.name, copied, direct, want)
		}
	}
	var short hash.Hash20
	if err := short.ScanBytes(want[:20]); err != nil || !bytes.Equal(short[:], want[:20]) {
		t.Errorf("20 bytes: got %s (%v)", short, err)
	}
}
