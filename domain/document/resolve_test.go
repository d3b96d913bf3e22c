package document_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"strata/domain/document"
	"strata/internal/testkit/must"
)

const (
	cidV0       = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG"
	cidV1       = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
	cidV1Base16 = "f01551220e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	// cidV1Base36 is an IPNS key: codec libp2p-key, identity hash.
	cidV1Base36 = "k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8"
)

var gateways = document.Gateways{
	IPFS:     []string{"https://cloudflare-ipfs.com", "http://127.0.0.1:8080/"},
	Arweave:  []string{"https://arweave.net"},
	Replaced: []string{"ipfs.io", "gateway.pinata.cloud", "127.0.0.1:9090"},
}

// both returns the candidates for a path at both IPFS gateways, and then the URLs themselves.
func both(path string, urls ...string) []document.Candidate {
	candidates := []document.Candidate{
		{URL: "https://cloudflare-ipfs.com" + path, Gateway: "https://cloudflare-ipfs.com"},
		{URL: "http://127.0.0.1:8080" + path, Gateway: "http://127.0.0.1:8080/"},
	}
	return append(candidates, only(urls...)...)
}

func only(urls ...string) []document.Candidate {
	var candidates []document.Candidate
	for _, url := range urls {
		candidates = append(candidates, document.Candidate{URL: url})
	}
	return candidates
}

func arweave(path string) []document.Candidate {
	return []document.Candidate{{URL: "https://arweave.net" + path, Gateway: "https://arweave.net"}}
}

func TestResolve(t *testing.T) {
	for _, tc := range []struct {
		name, uri string
		want      []document.Candidate
	}{
		{"M8 ar", "ar://II4z2ziYyqG7-kWDa98lWGfjxRdYOx9Zdld9P_I_kzE/9731.json", arweave("/II4z2ziYyqG7-kWDa98lWGfjxRdYOx9Zdld9P_I_kzE/9731.json")},
		{"M8 ipfs twice", "ipfs://ipfs/" + cidV1 + "/petertodd.json", both("/ipfs/" + cidV1 + "/petertodd.json")},
		{"M8 ipfs", "ipfs://" + cidV0 + "/1145.png", both("/ipfs/" + cidV0 + "/1145.png")},
		{"M8 public gateway", "https://ipfs.io/ipfs/" + cidV0 + "/1145.png",
			both("/ipfs/"+cidV0+"/1145.png", "https://ipfs.io/ipfs/"+cidV0+"/1145.png")},
		{"M8 https", "https://test.io/1.json", only("https://test.io/1.json")},

		{"http with query and fragment", "http://m.io/a%20b?c=d&e#f", only("http://m.io/a%20b?c=d&e#f")},
		{"blanks around and in it", " https://m.io/a b/é/100%.png\n", only("https://m.io/a%20b/%C3%A9/100%25.png")},
		{"host of any language", "https://münchen.example/a", only("https://münchen.example/a")},
		{"scheme of any case", "IPFS://" + cidV0, both("/ipfs/" + cidV0)},
		{"ipfs with query and fragment", "ipfs://" + cidV0 + "/a b.json?c=d#e", both("/ipfs/" + cidV0 + "/a%20b.json?c=d")},
		{"number sign in a file name", "ipfs://" + cidV0 + "/Ape #1.png", append(both("/ipfs/"+cidV0+"/Ape%20"), both("/ipfs/"+cidV0+"/Ape%20%231.png")...)},
		{"number sign before a query", "ipfs://" + cidV0 + "/#1.json?a#b", append(both("/ipfs/"+cidV0+"/"), both("/ipfs/"+cidV0+"/%231.json?a%23b")...)},
		{"number sign after a bare identifier", cidV0 + "/a#1", append(both("/ipfs/"+cidV0+"/a"), both("/ipfs/"+cidV0+"/a%231")...)},
		{"number sign at a public gateway", "https://ipfs.io/ipfs/" + cidV0 + "/#1.png",
			slices.Concat(both("/ipfs/"+cidV0+"/"), both("/ipfs/"+cidV0+"/%231.png", "https://ipfs.io/ipfs/"+cidV0+"/#1.png", "https://ipfs.io/ipfs/"+cidV0+"/%231.png"))},
		{"number sign encoded already", "ipfs://" + cidV0 + "/%231.png", both("/ipfs/" + cidV0 + "/%231.png")},
		{"fragment without a file", "ipfs://ipfs/" + cidV0 + "#1", both("/ipfs/" + cidV0)},
		{"empty fragment", "ipfs://" + cidV0 + "/a#", both("/ipfs/" + cidV0 + "/a")},
		{"fragment at Arweave", "ar://abc/a#1", arweave("/abc/a")},
		{"ipfs without host", "ipfs:/ipfs/" + cidV0 + "/1", both("/ipfs/" + cidV0 + "/1")},
		{"folder", "ipfs://" + cidV0 + "/", both("/ipfs/" + cidV0 + "/")},
		{"dots", "ipfs://" + cidV0 + "/a/./b/../../../%2e%2E/c/..", both("/ipfs/" + cidV0 + "/")},
		{"encoded slashes", "ipfs://" + cidV0 + "/a%2F..%2f..%2f../b", both("/ipfs/" + cidV0 + "/b")},
		{"ipns", "ipns://example.com/1.json", both("/ipns/example.com/1.json")},
		{"ipns twice", "ipns://ipns/example.com/1.json", both("/ipns/example.com/1.json")},
		{"ipns in ipfs", "ipfs://ipns/example.com", both("/ipns/example.com")},
		{"ar without its query", "ar://abc?ext=png", arweave("/abc")},

		{"public gateway with query", "https://gateway.pinata.cloud/ipfs/" + cidV0 + "?a=b#c",
			both("/ipfs/"+cidV0+"?a=b", "https://gateway.pinata.cloud/ipfs/"+cidV0+"?a=b#c")},
		{"public gateway of names", "https://IPFS.io/ipns/example.com", both("/ipns/example.com", "https://IPFS.io/ipns/example.com")},
		{"public gateway with port", "http://127.0.0.1:9090/ipfs/a", both("/ipfs/a", "http://127.0.0.1:9090/ipfs/a")},
		{"another port", "http://127.0.0.1:9091/ipfs/a", only("http://127.0.0.1:9091/ipfs/a")},
		{"another path of a public gateway", "https://ipfs.io/blog/1", only("https://ipfs.io/blog/1")},
		{"public gateway without a name", "https://ipfs.io/ipfs/", only("https://ipfs.io/ipfs/")},
		{"dots on a public gateway", "https://ipfs.io/ipfs/../a", only("https://ipfs.io/ipfs/../a")},
		{"another gateway", "https://m.mypinata.cloud/ipfs/" + cidV0, only("https://m.mypinata.cloud/ipfs/" + cidV0)},
		{"subdomain", "https://" + cidV1 + ".ipfs.dweb.link/1.json?a=b",
			both("/ipfs/"+cidV1+"/1.json?a=b", "https://"+cidV1+".ipfs.dweb.link/1.json?a=b")},
		{"subdomain without path", "https://" + cidV1 + ".ipfs.w3s.link:8443",
			both("/ipfs/"+cidV1, "https://"+cidV1+".ipfs.w3s.link:8443")},
		{"subdomain in capitals", "https://" + strings.ToUpper(cidV1) + ".IPFS.dweb.link/1",
			both("/ipfs/"+cidV1+"/1", "https://"+strings.ToUpper(cidV1)+".IPFS.dweb.link/1")},
		{"subdomain of a name", "https://" + cidV1Base36 + ".ipns.dweb.link/1",
			both("/ipns/"+cidV1Base36+"/1", "https://"+cidV1Base36+".ipns.dweb.link/1")},
		{"subdomain that is no identifier", "https://docs.ipfs.tech/1", only("https://docs.ipfs.tech/1")},
		{"URL at one of our gateways", "https://cloudflare-ipfs.com/ipfs/" + cidV0, only("https://cloudflare-ipfs.com/ipfs/" + cidV0)},

		{"bare version 0", cidV0, both("/ipfs/" + cidV0)},
		{"bare version 1", cidV1 + "/a b.json?c", both("/ipfs/" + cidV1 + "/a%20b.json?c")},
		{"bare in base 16", cidV1Base16, both("/ipfs/" + cidV1Base16)},
		{"bare in base 36", cidV1Base36, both("/ipfs/" + cidV1Base36)},
		{"bare with a colon in its path", cidV0 + "/a:b", both("/ipfs/" + cidV0 + "/a:b")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := must.Get(document.Resolve(tc.uri, gateways))(t)
			if !reflect.DeepEqual(got, tc.want) {
				t.Errorf("Resolve(%q)\n got %+v\nwant %+v", tc.uri, got, tc.want)
			}
		})
	}
}

// A gateway that is also in Replaced is a candidate only once.
func TestResolveReplacedGateway(t *testing.T) {
	g := document.Gateways{IPFS: []string{"https://ipfs.io", "http://127.0.0.1:8080"}, Replaced: []string{"ipfs.io"}}
	got, err := document.Resolve("https://ipfs.io/ipfs/"+cidV0, g)
	want := []document.Candidate{
		{URL: "https://ipfs.io/ipfs/" + cidV0, Gateway: "https://ipfs.io"},
		{URL: "http://127.0.0.1:8080/ipfs/" + cidV0, Gateway: "http://127.0.0.1:8080"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestResolveError(t *testing.T) {
	for _, tc := range []struct{ name, uri, want string }{
		{"ftp", "ftp://m.io/1.json", "scheme ftp"},
		{"data", "data:,a", "scheme data"},
		{"javascript", "javascript:alert(1)", "scheme javascript"},
		{"relative", "1.json", "no scheme"},
		{"path", "/ipfs/" + cidV0, "no scheme"},
		{"empty", " ", "no scheme"},
		{"word", "none", "no scheme"},
		{"identifier cut short", cidV0[:45], "no scheme"},
		{"identifier with a wrong character", cidV0[:45] + "0", "no scheme"},
		{"version 1 cut short", cidV1[:57], "no scheme"},
		{"version 1 in two cases", cidV1[:58] + "I", "no scheme"},
		{"far too long", "z" + strings.Repeat("2", 100_000), "no scheme"},
		{"no identifier", "ipfs://", "it names nothing"},
		{"no identifier twice", "ipfs://ipfs/", "it names nothing"},
		{"dots for an identifier", "ipfs://../api/v0/id", "it names nothing"},
		{"dots in disguise", "ipfs://ipfs/%2e%2E/api", "it names nothing"},
		{"no name", "ar://?a", "it names nothing"},
		{"no host", "https:///1.json", "no host"},
		{"no slashes", "https:m.io/1.json", "no // after the scheme"},
		{"invalid port", "https://m.io:port/", "port"},
		{"blank in a host", "https://m .io/", "host"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := document.Resolve(tc.uri, gateways)
			if err == nil {
				t.Fatalf("Resolve(%q) = %+v, want an error", tc.uri, got)
			}
			if !strings.Contains(err.Error(), tc.want) || len(err.Error()) > 1000 {
				t.Errorf("got %q, want it to contain %q", err, tc.want)
			}
		})
	}
	for uri, want := range map[string]string{"ipfs://" + cidV0: "no gateway of IPFS", "ar://a": "no gateway of Arweave"} {
		if _, err := document.Resolve(uri, document.Gateways{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Resolve(%q) without gateways: %v, want %q", uri, err, want)
		}
	}
	public := "https://ipfs.io/ipfs/" + cidV0
	got, err := document.Resolve(public, document.Gateways{Replaced: []string{"ipfs.io"}})
	if err != nil || !reflect.DeepEqual(got, only(public)) {
		t.Errorf("Resolve(%q) without gateways = %+v, %v, want the URL itself", public, got, err)
	}
}
