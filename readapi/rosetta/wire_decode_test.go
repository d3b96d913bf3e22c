package rosetta_test

import (
	"errors"
	"strings"
	"testing"

	"strata/readapi/rosetta/internal/wire"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		body    string
		strict  bool
		missing string
		shape   bool
		syntax  bool
	}{
		{body: `{"network_identifier":{"blockchain":"stacks","network":"testnet"},"block_identifier":{}}`, strict: true},
		{body: `{}`, missing: "network_identifier"},
		{body: `{"network_identifier":null}`, missing: "network_identifier"},
		{body: `{"network_identifier":{"network":"testnet"}}`, missing: "block_identifier"},
		{body: `{"network_identifier":{"network":"testnet"},"block_identifier":{}}`, missing: "blockchain"},
		{body: `{"network_identifier":{"blockchain":"stacks"},"block_identifier":{}}`, missing: "network"},
		{body: `{"network_identifier":{"blockchain":1,"network":"testnet"},"block_identifier":{}}`, shape: true},
		{body: `{"network_identifier":{"blockchain":"stacks","network":"testnet"},"block_identifier":{},"more":1}`, strict: true, shape: true},
		{body: `{"network_identifier":{"blockchain":"stacks","network":"testnet"},"block_identifier":{},"more":1}`},
		{body: `{"network_identifier":{"blockchain":"stacks","network":"testnet"},"block_identifier":{"index":1.5}}`, shape: true},
		{body: `[]`, shape: true}, {body: ``, shape: true}, {body: `null`, shape: true},
		{body: `{`, syntax: true}, {body: `{} {}`, syntax: true}, {body: " ", syntax: true},
		{body: `{"network_identifier":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}", syntax: true}, {body: "\x1f\x8b\x08\x00", syntax: true},
	} {
		_, err := wire.Decode[wire.BlockRequest]([]byte(tt.body), tt.strict)
		var missing *wire.MissingError
		switch {
		case tt.missing != "":
			if !errors.As(err, &missing) || missing.Name != tt.missing {
				t.Errorf("%s: got %v, want %s missing", tt.body, err, tt.missing)
			}
		case tt.syntax:
			if !errors.Is(err, wire.ErrSyntax) {
				t.Errorf("%.40q: got %v, want ErrSyntax", tt.body, err)
			}
		case tt.shape:
			if !errors.Is(err, wire.ErrShape) {
				t.Errorf("%s: got %v, want ErrShape", tt.body, err)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.body, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"network_identifier":{"blockchain":"stacks","network":"testnet"},"operations":[{"operation_identifier":{"index":0},"type":"fee"}]}`), true)
	f.Add([]byte(`{"operations":[null,{}]}`), false)
	f.Fuzz(func(t *testing.T, body []byte, strict bool) {
		in, err := wire.Decode[wire.PayloadsRequest](body, strict)
		var missing *wire.MissingError
		if (in == nil) == (err == nil) || err != nil && !errors.As(err, &missing) && !errors.Is(err, wire.ErrShape) && !errors.Is(err, wire.ErrSyntax) {
			t.Errorf("%q: got %v, %v", body, in, err)
		}
	})
}
