package serve

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// A request is about a family if it asks for what is under its paths, or about that.
func TestFamilyOfRequest(t *testing.T) {
	t.Parallel()
	c := Command{Roles: []string{RoleAPI}, familyFlags: familyFlags{
		OrdinalsDatabaseURL: "postgres://a/b", RosettaDatabaseURL: "postgres://a/c", TokensDatabaseURL: "postgres://a/d", NamesDatabaseURL: "postgres://a/e", StackingDatabaseURL: "postgres://a/f",
	}}
	if err := c.checkFamilies(); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/ordinals": "ordinals", "/ordinals/": "ordinals", "/ordinals/v1/brc-20/tokens?limit=1": "ordinals", "/ordinals2": "", "/v1/ordinals": "",
		"/mesh/block": "rosetta", "/rosetta/v1/block": "rosetta", "/": "", "/extended/v1/status": "", "/metrics": "",
		"/readyz": "", "/readyz?for=ordinals": "ordinals", "/readyz?for=brc20": "ordinals", "/readyz?for=rosetta": "rosetta", "/readyz?for=all": "",
		"/metadata/v1/ft/SP1.a": "tokens", "/metadata": "tokens", "/readyz?for=tokens": "tokens", "/extended/v1/tokens/ft/a/holders": "",
		"/v1/names/a.btc/zonefile": "names", "/v1/addresses/stacks/SP1": "names", "/v2/prices/names/a.btc": "names", "/v2/info": "", "/bns/v2/names": "names", "/readyz?for=bns": "names",
		"/extended/v1/pox4/events": "stacking", "/extended/v2/pox/cycles": "stacking", "/extended/v3/staking/bonds/1": "stacking", "/extended/v1/burnchain/rewards": "stacking", "/readyz?for=stacking": "stacking",
		"/extended/v2/burn-blocks/7/pox-transactions": "stacking", "/extended/v2/burn-blocks/7": "", "/extended/v2/burn-blocks/7/blocks": "", "/extended/v2/addresses/SP1/pox-transactions": "stacking",
		"/extended/v2/addresses/SP1/transactions": "", "/extended/v3/principals/SP1/staking/bonds": "stacking", "/extended/v3/principals/SP1/balances/stx": "",
		"/audit/v1/trace": "", "/audit/v1/trace?path=" + url.QueryEscape("/ordinals/v1/inscriptions?limit=1"): "ordinals",
		"/audit/v1/trace?path=" + url.QueryEscape("/extended/v2/blocks"): "", "/audit/v1/trace?path=%25": "",
	} {
		got := ""
		for _, f := range c.elsewhere() {
			if f.asked(httptest.NewRequest(http.MethodGet, target, nil)) {
				got = f.name
			}
		}
		if got != want {
			t.Errorf("%s is about %q, want %q", target, got, want)
		}
	}
}

func TestFamilyErrors(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]*Command{
		"is for roles that read it":           {Roles: []string{RoleProjector}, familyFlags: familyFlags{OrdinalsDatabaseURL: "postgres://a/b"}},
		"it is no URL of a Postgres database": {Roles: []string{RoleAPI}, familyFlags: familyFlags{RosettaDatabaseURL: "postgres://secret@:x"}},
	} {
		if err := c.checkFamilies(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
