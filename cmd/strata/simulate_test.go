package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"strata/cmd/strata/internal/simulate"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
)

// expected returns the expected state after the first count posts of simulate, and the chain's accounts.
func expected(c simulate.Command, count int) (synthchain.State, []string) {
	chain := synthchain.New(c.Config())
	for range count {
		chain.Next()
	}
	return chain.Expected(), chain.Accounts()
}

// checkState compares the API's answers with the expected state.
func (s *server) checkState(want synthchain.State, accounts []string) {
	s.t.Helper()
	var latest struct {
		Height         uint64
		Hash           string
		IndexBlockHash string `json:"index_block_hash"`
		Canonical      bool
	}
	s.read("/extended/v2/blocks/latest", &latest)
	if latest.Height != want.Tip.Height || latest.Hash != want.Tip.Hash.String() || latest.IndexBlockHash != want.Tip.IndexHash.String() || !latest.Canonical {
		s.t.Errorf("the tip: got %+v, want %+v", latest, want.Tip)
	}
	owners := map[string]bool{}
	for _, account := range accounts {
		owners[account] = true
	}
	for account := range want.Balances {
		owners[account] = true
	}
	for holding := range want.Tokens {
		owners[holding.Owner] = true
	}
	compared := 0
	for owner := range owners {
		var got struct {
			STX    struct{ Balance string }
			Tokens map[string]struct{ Balance string } `json:"fungible_tokens"`
		}
		s.read("/extended/v1/address/"+owner+"/balances", &got)
		if truth := strconv.FormatUint(want.Balances[owner], 10); got.STX.Balance != truth {
			s.t.Errorf("STX of %s: got %s, want %s", owner, got.STX.Balance, truth)
		}
		for asset, holding := range got.Tokens {
			truth := "0"
			if amount := want.Tokens[synthchain.Holding{Asset: asset, Owner: owner}]; amount != nil {
				truth = amount.String()
			}
			if holding.Balance != truth {
				s.t.Errorf("%s of %s: got %s, want %s", asset, owner, holding.Balance, truth)
			}
			if truth != "0" {
				compared++
			}
		}
	}
	if compared != len(want.Tokens) {
		s.t.Errorf("got %d holdings of tokens, want %d", compared, len(want.Tokens))
	}
}

// A chain with everything in it, posted by simulate to serve, gives the state that the generator expects.
func TestSimulate(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t), "--public-internals")
	mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "300", "--seed", "3", "--forks", "0.2")
	s.caughtUp(300)
	want, accounts := expected(simulate.Command{Seed: 3, Forks: 0.2}, 300)
	s.checkState(want, accounts)
	if got := s.get("/readyz"); got.Status != http.StatusOK {
		t.Errorf("/readyz: got %d %s, want 200", got.Status, got.Body)
	}
	if got := s.get("/audit/v1/negative-balances"); !bytes.Contains(got.Body, []byte(`"results":[]`)) {
		t.Errorf("negative balances: %s", got.Body)
	}
	s.checkMetrics()
	s.checkProvenance(want, accounts[0])
}

// With names, the names of both registries are what the generator expects.
func TestSimulateNames(t *testing.T) {
	t.Parallel()
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t))
	mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", "400", "--seed", "5", "--names")
	s.caughtUp(400)
	want, accounts := expected(simulate.Command{Seed: 5, Forks: 0.05, Names: true}, 400)
	s.checkState(want, accounts)
	if len(want.Names) == 0 || want.Registry == nil || len(want.Registry.Names) < 10 {
		t.Fatalf("nothing happened to names: %d of the first registry, %+v", len(want.Names), want.Registry)
	}
	for full, n := range want.Registry.Names {
		var got struct {
			Data struct {
				Owner string
				ID    int64 `json:"id"`
			}
		}
		if s.read("/bns/v2/names/"+full, &got); got.Data.Owner != n.Owner || uint64(got.Data.ID) != n.ID {
			t.Errorf("%s: got %+v, want owner %s and id %d", full, got.Data, n.Owner, n.ID)
		}
	}
	for full, n := range want.Names {
		var got struct{ Address string }
		if s.read("/v1/names/"+full, &got); got.Address != n.Owner {
			t.Errorf("%s: got owner %s, want %s", full, got.Address, n.Owner)
		}
	}
}

// So does an ordinals feed with everything in it. The server requires a token.
func TestSimulateOrdinals(t *testing.T) {
	t.Parallel()
	const posts = 150
	s := startServer(t, t.TempDir(), "--database-url", served.URL(t), "--ordhook-token", "secret", "--public-internals")
	mustRun(t, t.TempDir(), "simulate", "--ordinals", "--observer", s.observer, "--count", strconv.Itoa(posts), "--seed", "3", "--forks", "0.1",
		"--gaps", "0.1", "--token", "secret")
	s.caughtUp(posts)
	config := (&simulate.Command{Seed: 3, Forks: 0.1, Gaps: 0.1}).Feed()
	config.ForgetHistory = false
	feed := synthordinals.New(config)
	for range posts {
		feed.Next()
	}
	want := feed.Expected()
	tip, _ := want.Tip()
	var status struct {
		Height int64 `json:"block_height"`
	}
	s.read("/ordinals/v1/", &status)
	if status.Height != int64(tip.Height) {
		t.Errorf("the tip: got height %d, want %d", status.Height, tip.Height)
	}
	type inscription struct {
		ID      string
		Number  int64
		Address *string
		Sat     string `json:"sat_ordinal"`
		Output  string
	}
	got := map[string]inscription{}
	for {
		var page struct {
			Total   int
			Results []inscription
		}
		s.read(fmt.Sprintf("/ordinals/v1/inscriptions?limit=60&offset=%d", len(got)), &page)
		if page.Total != len(want.Inscriptions) {
			t.Fatalf("got a total of %d inscriptions, want %d", page.Total, len(want.Inscriptions))
		}
		if len(page.Results) == 0 {
			break
		}
		for _, i := range page.Results {
			got[i.ID] = i
		}
	}
	for id, truth := range want.Inscriptions {
		i, ok := got[string(id)]
		sat := truth.Sat.String()
		if truth.Unbound {
			sat = "" // null
		}
		want := inscription{string(id), truth.Number, truth.Current.Address, sat, "0x" + truth.Current.Output}
		if !ok || !reflect.DeepEqual(i, want) {
			t.Errorf("got %+v, want %+v", i, want)
		}
	}
	if len(got) != len(want.Inscriptions) || len(got) < posts {
		t.Errorf("got %d inscriptions, want %d", len(got), len(want.Inscriptions))
	}
}

// checkMetrics checks that the metrics in the documentation exist.
func (s *server) checkMetrics() {
	s.t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(repository(s.t), "docs", "operating.md")))(s.t)
	metrics := string(s.get("/metrics").Body)
	named := regexp.MustCompile("`(strata_[a-z_]+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) == 0 {
		s.t.Error("docs/operating.md names no metrics")
	}
	for _, name := range named {
		switch {
		case name[1] == "strata_disk_free_bytes" || name[1] == "strata_disk_floor_bytes": // a server whose Postgres is somebody else's knows nothing of its disk
			continue
		case strings.HasPrefix(name[1], "strata_compare_"): // of a role that this server does not have
			continue
		case name[1] == "strata_projection_activation_blocked": // there is one for each version that waits, and none waits
			continue
		}
		if !strings.Contains(metrics, "# TYPE "+name[1]+" ") {
			s.t.Errorf("/metrics has no %s", name[1])
		}
	}
	requests := 0
	for _, sample := range regexp.MustCompile(`(?m)^strata_observer_requests_total\{.*status="200".*\} (\d+)$`).FindAllStringSubmatch(metrics, -1) {
		n := must.Get(strconv.Atoi(sample[1]))(s.t)
		requests += n
	}
	if requests != 300 {
		s.t.Errorf("strata_observer_requests_total: got %d with status 200, want 300", requests)
	}
}

// checkProvenance follows an answer to its source events and their bytes.
func (s *server) checkProvenance(want synthchain.State, account string) {
	s.t.Helper()
	for _, path := range []string{"/extended/v2/blocks/latest", "/extended/v1/address/" + account + "/stx", "/extended/v1/address/" + account + "/stx?until_block=5", "/extended/v1/status"} {
		got := s.get(path)
		position := regexp.MustCompile(`^log=(\d+); height=(\d+); index_block_hash=(0x[0-9a-f]{64})$`).FindStringSubmatch(got.Header.Get("Strata-Position"))
		if position == nil || position[2] != fmt.Sprint(want.Tip.Height) || position[3] != want.Tip.IndexHash.String() {
			s.t.Errorf("%s: got Strata-Position %q, want the tip, %+v", path, got.Header.Get("Strata-Position"), want.Tip)
		}
		sources := got.Header.Get("Strata-Source")
		if sources == "" {
			s.t.Errorf("%s: no Strata-Source", path)
			continue
		}
		for _, seq := range strings.Split(sources, ",") {
			var event struct {
				SHA256 string
				Size   int
				Body   string
				Path   string
			}
			s.read("/audit/v1/events/"+seq, &event)
			body := s.get(event.Body).Body
			digest := sha256.Sum256(body)
			if event.SHA256 != "0x"+hex.EncodeToString(digest[:]) || event.Size != len(body) || event.Path == "" {
				s.t.Errorf("event %s behind %s: got %+v, its body has SHA-256 %x and %d bytes", seq, path, event, digest, len(body))
			}
		}
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	dir := pgtest.DataDir(t) // for a Postgres that root can't run
	got := finish(t, command(t, dir, []string{"TMPDIR=" + dir}, "demo"))
	if got.code != 0 || got.stderr != "" {
		t.Errorf("got code %d and %q, want 0 and silence", got.code, got.stderr)
	}
	if count := strings.Count(got.stdout, "HTTP/1.1 200 OK"); count != 6 || count != strings.Count(got.stdout, "\n$ curl ") {
		t.Errorf("got %d good answers, want all of 6:\n%s", count, got.stdout)
	}
	// The README's example is from demo.
	for _, want := range readmeExample(t) {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("the README's example has %q, the demo has not", want)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "strata-demo-*")); err != nil || len(left) != 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}

// A chain through all epochs ends with the locks that its own model has: those whose contract still counts, and whose unlock
// height is above the tip's Bitcoin height. What stakers of pox-5 do is there in every list.
func TestSimulateAllEpochs(t *testing.T) {
	short.Skip(t, "folds a long chain")
	t.Parallel()
	const posts = 900
	s := startServerOf(t, "testnet", t.TempDir(), "--database-url", pgtest.URL(t))
	mustRun(t, t.TempDir(), "simulate", "--observer", s.observer, "--count", strconv.Itoa(posts), "--seed", "3", "--all-epochs")
	s.caughtUp(posts)
	want, accounts := expected(simulate.Command{Seed: 3, Forks: 0.05, AllEpochs: true}, posts)
	s.checkState(want, accounts)
	contracts := map[string]int{}
	for _, account := range accounts {
		var got struct {
			Locked string `json:"locked"`
			Unlock uint64 `json:"burnchain_unlock_height"`
		}
		s.read("/extended/v1/address/"+account+"/stx", &got)
		lock := want.Locked[account]
		if got.Locked != strconv.FormatUint(lock.Amount, 10) || got.Unlock != lock.Until {
			t.Errorf("the lock of %s: got %+v, want %+v", account, got, lock)
		}
		if _, name, ok := strings.Cut(lock.Contract, "."); ok {
			contracts[name]++
		}
	}
	if contracts["pox-5"] == 0 || len(contracts) != 1 {
		t.Errorf("got locks by %v, want some by pox-5 and none by the others", contracts)
	}
	staker, signer := "", ""
	for place, position := range want.Staking.Positions {
		staker, signer = place.Staker, position.Signer
	}
	cycle := want.Staking.Cycle()
	boot := "ST000000000000000000002AMW42H."
	for _, path := range []string{
		"/extended/v3/staking/bonds", "/extended/v3/staking/bonds/0/allowlist", "/extended/v3/staking/bonds/0/events", "/extended/v3/staking/signers",
		"/extended/v3/staking/signers/" + signer + "/stakers", "/extended/v3/principals/" + staker + "/staking/bonds",
		fmt.Sprintf("/extended/v3/staking/cycles/%d/signers", cycle), fmt.Sprintf("/extended/v3/staking/cycles/%d/stakers", cycle),
		"/extended/v1/pox2/events", "/extended/v1/pox3/events", "/extended/v1/pox4/events", "/extended/v1/pox5/events", "/extended/v2/pox/cycles",
		"/extended/v1/contract/" + boot + "pox-5/events",
	} {
		var list struct{ Results []any }
		if s.read(path, &list); len(list.Results) == 0 {
			t.Errorf("%s is empty", path)
		}
	}
	var overview struct {
		Locked struct {
			STX struct{ Total string }
		}
	}
	if s.read("/extended/v3/staking", &overview); overview.Locked.STX.Total == "" || overview.Locked.STX.Total == "0" {
		t.Errorf("/extended/v3/staking: got %+v, want some STX", overview)
	}
	if got := s.get("/audit/v1/unknown-fields"); !bytes.Contains(got.Body, []byte(`"results":[]`)) {
		t.Errorf("unknown fields: %s", got.Body)
	}
	if got := s.get("/audit/v1/negative-balances"); !bytes.Contains(got.Body, []byte(`"results":[]`)) {
		t.Errorf("negative balances: %s", got.Body)
	}
}
