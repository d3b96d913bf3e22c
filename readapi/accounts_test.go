package readapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func (s *site) object(target string) map[string]any {
	s.t.Helper()
	got := s.get(target)
	var object map[string]any
	if err := json.Unmarshal([]byte(got.body), &object); err != nil || got.status != http.StatusOK {
		s.t.Fatalf("%s: got %d %s (%v)", target, got.status, got.body, err)
	}
	return object
}

func TestSTXBalance(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	stx := "/extended/v1/address/" + alice + "/stx"
	s.golden("stx_v1", s.get(stx).body)
	s.golden("stx_v1", s.get(stx+"?unanchored=true").body)
	s.golden("stx_v1_until", s.get(stx+"?until_block=30").body)
	s.golden("stx_v1_nobody", s.get("/extended/v1/address/"+account(99)+"/stx").body)
	v2 := "/extended/v2/addresses/" + alice + "/balances/stx"
	s.golden("stx_v2", s.get(v2).body)
	s.golden("stx_v2_mempool", s.get(v2+"?include_mempool=true").body)
	s.golden("stx_v2_until", s.get(v2+"?include_mempool=true&until_block=30").body)

	got := s.get(stx)
	if want := "130,140"; got.header.Get("Strata-Source") != want { // the lock's event and the last change's
		t.Errorf("Strata-Source: got %q, want %q", got.header.Get("Strata-Source"), want)
	}
	if want := `299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"`; got.header.Get("Warning") != want {
		t.Errorf("Warning: got %q, want %q", got.header.Get("Warning"), want)
	}
}

func TestSTXBalanceUntilBlock(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
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
		{id(indexHash, 20).String(), "695", "300", "1000", "5", "0", "0"},
		{id(blockHash, 40).String(), "745", "300", "1000", "5", "50", "400"},
		{strings.ToUpper(id(blockHash, 40).String()[2:]), "745", "300", "1000", "5", "50", "400"},
	} {
		got := s.object("/extended/v1/address/" + alice + "/stx?until_block=" + tc.until)
		for name, want := range map[string]string{
			"balance": tc.balance, "total_sent": tc.sent, "total_received": tc.received, "total_fees_sent": tc.fees,
			"total_miner_rewards_received": tc.rewards, "locked": tc.locked,
		} {
			if got[name] != want {
				t.Errorf("until %s: %s: got %v, want %s", tc.until, name, got[name], want)
			}
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
	s := newWorld(t)
	s.lock(55, 0, 2, 0, alice) // handle-unlock
	for _, tc := range []struct {
		name    string
		account string
		height  int
		want    string
	}{
		{"before the lock", alice, 29, "0"},
		{"from the lock's block on", alice, 30, "400"},
		{"until handle-unlock", alice, 54, "400"},
		{"ended early", alice, 55, "0"},
		{"its last Bitcoin block", bob, 40, "100"},
		{"over", bob, 41, "0"},
		{"the last Bitcoin block of pox-1", carol, 50, "200"},
		{"pox-1 is over", carol, 51, "0"},
	} {
		got := s.object(fmt.Sprintf("/extended/v1/address/%s/stx?until_block=%d", tc.account, tc.height))
		if got["locked"] != tc.want {
			t.Errorf("%s: got %v locked, want %s", tc.name, got["locked"], tc.want)
		}
		if locked := got["lock_tx_id"] != ""; locked != (tc.want != "0") {
			t.Errorf("%s: got lock_tx_id %q", tc.name, got["lock_tx_id"])
		}
	}
	if got := s.object("/extended/v1/address/" + alice + "/stx"); got["locked"] != "0" || got["burnchain_unlock_height"] != 0.0 {
		t.Errorf("at the tip: got %v, want nothing locked", got)
	}
}

func TestBalances(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	path := "/extended/v1/address/" + alice + "/balances"
	s.golden("balances", s.get(path).body)
	s.golden("balances_until", s.get(path+"?until_block=20").body)
	s.golden("balances_nobody", s.get("/extended/v1/address/"+alice+".nothing/balances").body)
	if got, want := s.get(path).header.Get("Strata-Source"), "125,130,140,145,150"; got != want {
		t.Errorf("Strata-Source: got %q, want %q", got, want)
	}
}

// Amounts have up to 128 bits, which no JSON number holds.
func TestLargeAmounts(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	const most = "340282366920938463463374607431768211455"
	s.exec(`UPDATE balances_v1.holding SET balance = `+most+`, received = `+most+` WHERE account = $1`, alice)
	got := s.object("/extended/v1/address/" + alice + "/stx")
	if got["balance"] != most || got["estimated_balance"] != most {
		t.Errorf("got %v and %v, want %s", got["balance"], got["estimated_balance"], most)
	}
}

// Headers name at most 32 events.
func TestManySources(t *testing.T) {
	t.Parallel()
	s := newWorld(t)
	var want []string
	for h := 11; h <= 60; h++ {
		s.change(1, h, account(50), fmt.Sprintf("%s.token-%d::token", bob, h), "ft", 1, 1, 0, 1, 0, 0)
		if len(want) < 32 {
			want = append(want, fmt.Sprint(h+100))
		}
	}
	got := s.get("/extended/v1/address/" + account(50) + "/balances").header.Get("Strata-Source")
	if got != strings.Join(want, ",")+",..." {
		t.Errorf("got %s, want %s,...", got, strings.Join(want, ","))
	}
}

func TestAccountsBeforeTheFirstBlock(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.projection("chain", "log")
	for _, before := range []string{"the projection", "the first block"} {
		for _, path := range []string{"/extended/v1/address/%s/stx", "/extended/v1/address/%s/balances", "/extended/v2/addresses/%s/balances/stx"} {
			for _, query := range []string{"", "?until_block=1", "?until_block=" + id(blockHash, 1).String()} {
				got := s.get(fmt.Sprintf(path, alice) + query)
				const want = `{"statusCode":404,"error":"Not Found","message":"no current block"}`
				if got.status != http.StatusNotFound || got.body != want {
					t.Errorf("before %s: %s%s: got %d %s, want %s", before, path, query, got.status, got.body, want)
				}
			}
		}
		if before == "the projection" {
			s.projection("balances", "chain_v1")
		}
	}
}
