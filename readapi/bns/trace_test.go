package bns_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"strata/internal/synth/synthnames"
	"strata/readapi"
	"strata/rig/apitest"
)

// TestTraces traces answers to rows, and these to the events of nodes that they come from.
func TestTraces(t *testing.T) {
	t.Parallel()
	blocks, accounts := synthnames.Story()
	s := apitest.NewSiteOn(t, newSite(t, blocks).pool, readapi.Config{})
	a, b := accounts[0], accounts[1]
	for path, want := range map[string]string{
		"/names?limit=1":                         `"full_name":"free.free"`,
		"/names/address/" + b:                    `"principal":"` + b + `"`,
		"/names/address/" + b + "?height=9":      `"full_name":"shop.club"`,
		"/names/address/" + a + "/primary":       `"full_name":"free.free"`,
		"/names/address/" + b + "/expiring-soon": `"full_name":"pearl.club"`,
		"/names/by-address?address=" + b:         `"principal":"` + b + `"`,
		"/names/shop.club":                       `"namespace":"club"`,
		"/names/club/x/can-register":             `"namespace":"club"`,
		"/resolve-name/name.club":                `"content":"0x`,
		"/tokens/4/name":                         `"full_name":"name.club"`,
		"/token/last-id":                         `"full_name":"m.vip"`,
		"/namespaces":                            `"namespace":"vip"`,
		"/prices/names/x.club":                   `"price_base":"10"`,
		"/names/shop.club/history":               `"kind":6`,
		"/listings":                              `"listed_price":"9"`,
		"/preorders/" + a:                        `"hash":"0x0b`,
	} {
		got := s.Get("/audit/v1/trace?path=" + url.QueryEscape("/bns/v2"+path))
		if got.Status != http.StatusOK || !strings.Contains(strings.ReplaceAll(got.Body, `" : `, `":`), want) {
			t.Errorf("%s: got %d %.600s, want %s", path, got.Status, got.Body, want)
		}
	}
	got := s.Get("/audit/v1/trace?path=" + url.QueryEscape("/bns/v2/names/shop.club"))
	if !strings.Contains(got.Body, `/events/0`) && !strings.Contains(got.Body, `/transactions/0`) {
		t.Errorf("no pointer in %s", got.Body)
	}
}
