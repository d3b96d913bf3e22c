package bns_test

import (
	"encoding/json"
	"testing"

	"strata/domain/bns"
	"strata/domain/clarity"
	"strata/internal/synth/value"
)

func FuzzDecode(f *testing.F) {
	name := value.Tuple("name", []byte("alice"), "namespace", []byte("btc"))
	for _, v := range []clarity.Value{
		value.Tuple("topic", "burn-name", "name", name, "id", 1), value.Tuple("a", "buy-in-ustx", "id", 3), value.Tuple("topic", "update-zonefile"),
		value.Tuple("topic", "new-name", "name", name, "id", 1), value.Tuple("status", "launch", "namespace", []byte("btc"), "properties", clarity.NewNone()),
		value.Tuple("topic", "renew-name", "name", name, "id", clarity.NewSome(clarity.NewUint64(4))),
	} {
		f.Add(v.Encode(), bns.NamespaceReveal)
	}
	f.Fuzz(func(t *testing.T, raw []byte, function string) {
		v, err := clarity.DecodeAll(raw)
		if err != nil {
			return
		}
		p, err := bns.DecodePrint(v)
		if err == nil && p.Known && p.Topic == "" {
			t.Error("a known print has no topic")
		}
		if err == nil && p.Namespace != nil && p.Namespace.Price.Base == nil {
			t.Error("a namespace has no price function")
		}
		if err == nil && p.Properties != nil {
			bns.Expiry(p.Properties.RenewalHeight, nil)
		}
		if p, err = bns.DecodeZonefilePrint(v); err == nil && p.Known && p.Topic == "" {
			t.Error("a known print has no topic")
		}
		arguments := v.Elements()
		if c, ok, err := bns.DecodeCall(function, arguments); ok && (err != nil || c.Function != function) {
			t.Errorf("got %+v, %v", c, err)
		}
	})
}

func FuzzZonefile(f *testing.F) {
	f.Add([]byte(`{"owner":"SP1","social":[{"platform":"x","username":"me"}],"subdomains":{"a":null}}`))
	f.Add([]byte(`{"owner":"","general":"","twitter":"","url":"","nostr":"","lightning":"","btc":""}`))
	f.Add([]byte{0xff})
	f.Fuzz(func(t *testing.T, content []byte) {
		z := bns.ParseZonefile(content)
		if (z.JSON != nil) != json.Valid(content) && z.Format != bns.FormatBytes {
			t.Errorf("got %+v", z)
		}
		for _, data := range z.Subdomains {
			if !json.Valid(data) {
				t.Errorf("a subdomain's data is %q", data)
			}
		}
	})
}
