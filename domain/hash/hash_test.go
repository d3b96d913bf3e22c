package hash_test

import (
	"encoding/json"
	"errors"
	"testing"

	"strata/domain/hash"
)

func TestIndexBlockHash(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, block, consensus, want string }{
		{"genesis", "0x0000000000000000000000000000000000000000000000000000000000000000", "0x0000000000000000000000000000000000000000", "0x55c9861be5cff984a20ce6d99d4aa65941412889bdc665094136429b84f8c2ee"},
		{"nakamoto", "027b1784204e3f1f99ce242f18bdb8ca9dcb9aac1be36c1651f6fbe0ba1703ab", "0669EBB7780ac395578196ee8868f899f1c74ecb", "0x169b06db8912d599051dad3acfa2b04d33b6d98edf4adea6f13ad3935ca5fb7f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			block, err := hash.Parse32(tt.block)
			if err != nil {
				t.Fatal(err)
			}
			consensus, err := hash.Parse20(tt.consensus)
			if err != nil {
				t.Fatal(err)
			}
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
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	var got hash.Hash32
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if got != h {
		t.Errorf("got %s, want %s", got, h)
	}
}
