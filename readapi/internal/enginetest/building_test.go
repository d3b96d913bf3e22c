package enginetest

import (
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/eventually"
	"strata/readapi"
	"strata/rig/apitest"
)

// An update brought a projection, whose first version is being built: what needs it is unavailable, and not empty.
func TestFirstVersionIsBuilt(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Exec(`DELETE FROM strata.active WHERE name = 'balances'`)
	k := apitest.NewKeeper(t, apitest.Readers(t, s.Pool), readapi.Config{})
	account := "/extended/v1/address/" + apitest.Alice + "/stx"
	for range 2 {
		got := k.Get(account)
		if got.Status != http.StatusServiceUnavailable || !strings.Contains(got.Body, "projection balances is being built") || got.Header.Get("ETag") != "" {
			t.Errorf("got %d %v %s, want 503", got.Status, got.Header, got.Body)
		}
	}
	if got := k.Get("/extended/v2/blocks/60"); got.Status != http.StatusOK {
		t.Errorf("a block: got %d %s, want 200: it does not depend on balances", got.Status, got.Body)
	}
	s.Exec(`INSERT INTO strata.active (name, version) VALUES ('balances', 1)`)
	eventually.Holds(t, "the version is read once it is active", func() bool { return k.Get(account).Status == http.StatusOK })
}
