package bns_test

import (
	"reflect"
	"testing"

	"strata/domain/bns"
)

func TestZonefile(t *testing.T) {
	for _, tc := range []struct {
		content    string
		format     bns.Format
		fields     bns.Fields
		subdomains []string
		external   string
	}{
		{"\xff\x00", bns.FormatBytes, bns.Fields{}, nil, ""},
		{"", bns.FormatText, bns.Fields{}, nil, ""},
		{"ipfs://x", bns.FormatText, bns.Fields{}, nil, ""},
		{`[1]`, bns.FormatJSON, bns.Fields{}, nil, ""},
		{`null`, bns.FormatJSON, bns.Fields{}, nil, ""},
		{`{"owner":5}`, bns.FormatJSON, bns.Fields{}, nil, ""},
		{
			`{"owner":"SP1","general":"g","twitter":"t","url":"u","nostr":"n","lightning":"l","btc":"bc1","subdomains":{"pay":{"owner":"SP2"}}}`,
			bns.FormatFields, bns.Fields{Owner: "SP1", General: "g", Twitter: "t", URL: "u", Nostr: "n", Lightning: "l", BTC: "bc1"}, []string{"pay"}, "",
		},
		{
			`{"owner":"SP1","general":"","twitter":"","url":"","nostr":"","lightning":"","btc":"","externalSubdomainFile":"https://a/b.json"}`,
			bns.FormatFields, bns.Fields{Owner: "SP1"}, nil, "https://a/b.json",
		},
		{
			`{"owner":"SP1","bio":"b","website":"w","social":[{"platform":"X","username":"me"},{"platform":"nostr","username":"np"},7],
			"addresses":[{"network":"Bitcoin","address":"bc1"},{"network":"lightning","address":"ln"}],"subdomains":[],"externalSubdomainsFile":"https://a/c"}`,
			bns.FormatProfile, bns.Fields{Owner: "SP1", General: "b", URL: "w", Twitter: "me", Nostr: "np", BTC: "bc1", Lightning: "ln"}, nil, "https://a/c",
		},
		{`{"owner":"SP1","btc":"bc1q","addresses":[{"network":"btc","address":"bc1p"}]}`, bns.FormatProfile, bns.Fields{Owner: "SP1", BTC: "bc1q"}, nil, ""},
	} {
		z := bns.ParseZonefile([]byte(tc.content))
		var labels []string
		for label := range z.Subdomains {
			labels = append(labels, label)
		}
		if z.Format != tc.format || z.Fields != tc.fields || !reflect.DeepEqual(labels, tc.subdomains) || z.External != tc.external {
			t.Errorf("%q: got %+v", tc.content, z)
		}
	}
}
