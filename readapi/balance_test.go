package readapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"strata/internal/testkit/check"
	"strata/rig/apitest"
)

func TestSTXBalance(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	stx := "/extended/v1/address/" + apitest.Alice + "/stx"
	s.Golden("stx_v1", s.Get(stx).Body)
	s.Golden("stx_v1", s.Get(stx+"?unanchored=true").Body)
	s.Golden("stx_v1_until", s.Get(stx+"?until_block=30").Body)
	s.Golden("stx_v1_nobody", s.Get("/extended/v1/address/"+apitest.Account(99)+"/stx").Body)
	v2 := "/extended/v2/addresses/" + apitest.Alice + "/balances/stx"
	s.Golden("stx_v2", s.Get(v2).Body)
	s.Golden("stx_v2_mempool", s.Get(v2+"?include_mempool=true").Body)
	s.Golden("stx_v2_until", s.Get(v2+"?include_mempool=true&until_block=30").Body)

	got := s.Get(stx)
	if want := "130,140"; got.Header.Get("Strata-Source") != want { // the lock's event and the last change's
		t.Errorf("Strata-Source: got %q, want %q", got.Header.Get("Strata-Source"), want)
	}
	check.Equal(t, "Warning", got.Header.Get("Warning"), `299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"`)
}

func TestSTXBalanceUntilBlock(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	for _, tc := range []struct {
		until                                          string
		balance, sent, received, fees, rewards, locked string
	}{
		{"10", "1000", "0", "1000", "0", "0", "0"},
		{"19", "1000", "0", "1000", "0", "0", "0"},
		{"20", "695", "300", "1000", "5", "0", "0"},
		{"29", "695", "300", "1000", "5", "0", "0"},
		{"30", "695", "300", "1000", "5", "0", "400"},
		{"39", "695", "300", "1000", "5", "0", "400"},
		{"60", "745", "300", "1000", "5", "50", "400"},
		{apitest.ID(apitest.IndexHash, 20).String(), "695", "300", "1000", "5", "0", "0"},
		{apitest.ID(apitest.BlockHash, 40).String(), "745", "300", "1000", "5", "50", "400"},
		{strings.ToUpper(apitest.ID(apitest.BlockHash, 40).String()[2:]), "745", "300", "1000", "5", "50", "400"},
	} {
		got := s.Object("/extended/v1/address/" + apitest.Alice + "/stx?until_block=" + tc.until)
		for name, want := range map[string]string{
			"balance": tc.balance, "total_sent": tc.sent, "total_received": tc.received, "total_fees_sent": tc.fees,
			"total_miner_rewards_received": tc.rewards, "locked": tc.locked,
		} {
			check.Equal[any](t, fmt.Sprintf("until %s: %s", tc.until, name), got[name], want)
		}
		for _, name := range []string{"estimated_balance", "pending_balance_inbound", "pending_balance_outbound"} {
			if _, ok := got[name]; ok {
				t.Errorf("until %s: has %s", tc.until, name)
			}
		}
	}
}

func TestLocks(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	s.Lock(55, 157, 2, 400, apitest.Alice) // handle-unlock
	for _, tc := range []struct {
		name    string
		account string
		height  int
		want    string
	}{
		{"before the lock", apitest.Alice, 29, "0"},
		{"from the lock's block on", apitest.Alice, 30, "400"},
		{"until handle-unlock", apitest.Alice, 54, "400"},
		{"until the height that handle-unlock names", apitest.Alice, 56, "400"},
		{"ended early", apitest.Alice, 57, "0"},
		{"its last Bitcoin block", apitest.Bob, 39, "100"},
		{"over from the unlock height on", apitest.Bob, 40, "0"},
		{"the last Bitcoin block of pox-1", apitest.Carol, 49, "200"},
		{"pox-1 is over from the height of its forced unlock on", apitest.Carol, 50, "0"},
	} {
		got := s.Object(fmt.Sprintf("/extended/v1/address/%s/stx?until_block=%d", tc.account, tc.height))
		check.Equal[any](t, fmt.Sprintf("%s: locked", tc.name), got["locked"], tc.want)
		if locked := got["lock_tx_id"] != ""; locked != (tc.want != "0") {
			t.Errorf("%s: got lock_tx_id %q", tc.name, got["lock_tx_id"])
		}
	}
	if got := s.Object("/extended/v1/address/" + apitest.Alice + "/stx"); got["locked"] != "0" || got["burnchain_unlock_height"] != 0.0 {
		t.Errorf("at the tip: got %v, want nothing locked", got)
	}
}

func TestBalances(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	path := "/extended/v1/address/" + apitest.Alice + "/balances"
	s.Golden("balances", s.Get(path).Body)
	s.Golden("balances_until", s.Get(path+"?until_block=20").Body)
	s.Golden("balances_nobody", s.Get("/extended/v1/address/"+apitest.Alice+".nothing/balances").Body)
	check.Equal(t, "Strata-Source", s.Get(path).Header.Get("Strata-Source"), "125,130,140,145,150")
}

// Amounts have up to 128 bits, which no JSON number holds.
func TestLargeAmounts(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	const most = "340282366920938463463374607431768211455"
	s.Exec(`UPDATE balances_v1.holding SET balance = `+most+`, received = `+most+` WHERE account = $1`, apitest.Alice)
	got := s.Object("/extended/v1/address/" + apitest.Alice + "/stx")
	if got["balance"] != most || got["estimated_balance"] != most {
		t.Errorf("got %v and %v, want %s", got["balance"], got["estimated_balance"], most)
	}
}

// Headers name at most 32 events.
func TestManySources(t *testing.T) {
	t.Parallel()
	s := apitest.NewWorld(t)
	var want []string
	for h := 11; h <= 60; h++ {
		s.Change(1, h, apitest.Account(50), fmt.Sprintf("%s.token-%d::token", apitest.Bob, h), "ft", 1, 1, 0, 1, 0, 0)
		if len(want) < 32 {
			want = append(want, fmt.Sprint(h+100))
		}
	}
	got := s.Get("/extended/v1/address/" + apitest.Account(50) + "/balances").Header.Get("Strata-Source")
	check.Equal(t, "balances", got, strings.Join(want, ",")+",...")
}

func TestAccountsBeforeTheFirstBlock(t *testing.T) {
	t.Parallel()
	s := apitest.NewSite(t)
	s.Projection("chain", "log")
	for _, before := range []string{"the projection", "the first block"} {
		for _, path := range []string{"/extended/v1/address/%s/stx", "/extended/v1/address/%s/balances", "/extended/v2/addresses/%s/balances/stx"} {
			for _, query := range []string{"", "?until_block=1", "?until_block=" + apitest.ID(apitest.BlockHash, 1).String()} {
				got := s.Get(fmt.Sprintf(path, apitest.Alice) + query)
				const want = `{"statusCode":404,"error":"Not Found","message":"no current block"}`
				if got.Status != http.StatusNotFound || got.Body != want {
					t.Errorf("before %s: %s%s: got %d %s, want %s", before, path, query, got.Status, got.Body, want)
				}
			}
		}
		if before == "the projection" {
			s.Projection("balances", "chain_v1")
		}
	}
}
