package bns_test

import (
	"fmt"
	"testing"

	"strata/internal/testkit/bnschain"
)

// TestTrace is a first look.
func TestTrace(t *testing.T) {
	t.Parallel()
	blocks, _ := bnschain.Trace(t)
	s := newSite(t, blocks)
	for _, path := range []string{
		"/names?limit=3&offset=2", "/names/valid", "/names/expired", "/names/revoked", "/names/namespace/orchid?limit=2", "/names/namespace/nope",
		"/names/address/SP6YMS8JQGVYT36TKH83VQRZSR06RG15TWG26Y0J/valid", "/names/address/SP6YMS8JQGVYT36TKH83VQRZSR06RG15TWG26Y0J/expired",
		"/names/address/SP6YMS8JQGVYT36TKH83VQRZSR06RG15TWG26Y0J/expiring-soon", "/names/address/SP6YMS8JQGVYT36TKH83VQRZSR06RG15TWG26Y0J",
		"/names/address/SP6YMS8JQGVYT36TKH83VQRZSR06RG15TWG26Y0J?height=60", "/names/address/SP6YMS8JQGVYT36TKH83VQRZSR06RG15TWG26Y0J/primary",
		"/names/by-address?address=SP6YMS8JQGVYT36TKH83VQRZSR06RG15TWG26Y0J,SP1KJW6A1DTNAVS7W8E1V4SNHDJ3KC6SF69QQ3FPV&address=x&limit=2",
		"/names/alice.orchid", "/names/x.orchid", "/names/x.nope", "/names/alice.orchid/owner", "/names/alice.orchid/id", "/names/alice.orchid/renewal", "/names/pearl2.orchid/can-resolve",
		"/names/orchid/zzz/can-register", "/names/orchid/alice/can-register", "/names/nope/alice/can-register", "/resolve-name/alice.orchid", "/btc-address/alice.orchid",
		"/zonefile/alice.orchid/raw", "/zonefile/m1.vault/raw", "/zonefile/alice.orchid/profile", "/subdomains/alice.orchid", "/subdomain/x.alice.orchid", "/tokens/8/owner", "/tokens/8/name", "/tokens/17/info", "/tokens/7/info",
		"/token/last-id", "/namespaces?limit=1", "/namespaces/orchid", "/prices/names/abc.orchid", "/prices/namespaces/abc", "/names/frank.orchid/history", "/namespaces/orchid/history",
		"/events?limit=1", "/listings", "/preorders/SP6YMS8JQGVYT36TKH83VQRZSR06RG15TWG26Y0J", "/testnet/names", "/names?limit=x", "/names/address/x/unknown", "/names?network=mainnet&limit=1",
	} {
		got := s.Get("/bns/v2" + path)
		fmt.Println(path, got.Status, got.Body)
	}
}
