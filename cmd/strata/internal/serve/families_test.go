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
	c := Command{Roles: []string{RoleAPI}, familyFlags: familyFlags{OrdinalsDatabaseURL: "postgres://a/b", RosettaDatabaseURL: "postgres://a/c"}}
	if err := c.checkFamilies(); err != nil {
		t.Fatal(err)
	}
	for target, want := range map[string]string{
		"/ordinals": "ordinals", "/ordinals/": "ordinals", "/ordinals/v1/brc-20/tokens?limit=1": "ordinals", "/ordinals2": "", "/v1/ordinals": "",
		"/mesh/block": "rosetta", "/rosetta/v1/block": "rosetta", "/": "", "/extended/v1/status": "", "/metrics": "",
		"/readyz": "", "/readyz?for=ordinals": "ordinals", "/readyz?for=brc20": "ordinals", "/readyz?for=rosetta": "rosetta", "/readyz?for=all": "",
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
		"is for the role api":                 {Roles: []string{RoleProjector}, familyFlags: familyFlags{OrdinalsDatabaseURL: "postgres://a/b"}},
		"it is no URL of a Postgres database": {Roles: []string{RoleAPI}, familyFlags: familyFlags{RosettaDatabaseURL: "postgres://secret@:x"}},
	} {
		if err := c.checkFamilies(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
