package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"strata/cmd/strata/internal/folding"
	"strata/eventstore/archive"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/internal/testkit/short"
	"strata/projections"
	"strata/projections/names"
)

// upgradePosts is the length of the log that a program is updated on.
const upgradePosts = 600

// readablePaths are what clients ask for while a program is updated: of all families whose tables this program can read
// as the last release has made them. ACCOUNT is some account.
var readablePaths = []string{
	"/extended/v1/block?limit=5", "/extended/v2/blocks?limit=5", "/extended/v2/blocks/latest", "/extended/v2/burn-blocks?limit=5",
	"/extended/v1/tx?limit=10", "/extended/v1/tx/mempool", "/extended/v1/stx_supply",
	"/extended/v1/address/ACCOUNT/stx", "/extended/v1/address/ACCOUNT/balances", "/extended/v1/address/ACCOUNT/transactions?limit=5",
	"/extended/v1/address/ACCOUNT/assets", "/extended/v2/addresses/ACCOUNT/transactions?limit=5", "/extended/v1/address/ACCOUNT/nonces",
	"/extended/v1/tokens/nft/holdings?principal=ACCOUNT", "/extended/v2/pox/cycles", "/metadata/v1/ft",
	"/ordinals/v1/inscriptions", "/ordinals/v1/brc-20/tokens",
}

// clients ask a server for paths, again and again, and fail the test at an error, and at an answer that goes back in the log.
type clients struct {
	t     *testing.T
	api   string
	reads atomic.Int64
	stop  func()

	mu      sync.Mutex
	answers map[string][]string // by path: those that were given, each once
}

func readAgainAndAgain(t *testing.T, api string, paths []string) *clients {
	t.Helper()
	c := &clients{t: t, api: api, answers: map[string][]string{}}
	ending := make(chan struct{})
	var group sync.WaitGroup
	for _, path := range paths {
		group.Go(func() {
			position, pace := int64(0), time.NewTicker(5*time.Millisecond)
			defer pace.Stop()
			for {
				select {
				case <-ending:
					return
				case <-pace.C:
					position = c.ask(path, position)
				}
			}
		})
	}
	c.stop = sync.OnceFunc(func() {
		close(ending)
		group.Wait()
	})
	t.Cleanup(c.stop)
	return c
}

func (c *clients) ask(path string, before int64) (position int64) {
	got := do(c.t, http.MethodGet, c.api+path, nil, nil)
	c.reads.Add(1)
	text, _, _ := strings.Cut(strings.TrimPrefix(got.Header.Get("Strata-Position"), "log="), ";")
	position, _ = strconv.ParseInt(text, 10, 64)
	if got.Status != http.StatusOK || position < before {
		c.t.Errorf("%s: got %d at event %d, after event %d: %s", path, got.Status, position, before, got.Body)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if all := c.answers[path]; len(all) == 0 || all[len(all)-1] != string(got.Body) {
		c.answers[path] = append(all, string(got.Body))
	}
	return position
}

// lastAnswers returns the paths that have an answer, with the answers of a server that it then stops.
func (s *server) lastAnswers(url string) (paths []string, was map[string]string) {
	s.t.Helper()
	paths, was = filled(s.t, url, readablePaths), map[string]string{}
	for _, path := range paths {
		got := s.get(path)
		if got.Status != http.StatusOK {
			s.t.Fatalf("%s: the program of before answered %d %s", path, got.Status, got.Body)
		}
		was[path] = string(got.Body)
	}
	s.stop()
	return paths, was
}

// TestUpgrade starts this program on tables that the last release has built: the same tables, of which the register says that
// earlier rules built them. Clients read all the time, and nobody gives a command.
func TestUpgrade(t *testing.T) {
	short.Skip(t, "builds new versions of all read tables under reads")
	t.Parallel()
	dir, url := imported(t, upgradePosts)
	before := startServer(t, dir, "--database-url", url)
	before.caughtUp(upgradePosts)
	paths, was := before.lastAnswers(url)
	for name, rules := range readable(t) {
		execute(t, url, fmt.Sprintf(`UPDATE strata.projection SET rules = %d WHERE name = '%s'`, rules[0], name))
	}
	execute(t, url, `UPDATE strata.projection SET rules = 1 WHERE name = 'names'`)

	s := startServer(t, dir, "--database-url", url)
	if got := s.get("/v1/names?page=0"); got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), fmt.Sprintf("until a version with rules %d is active", names.Version)) {
		t.Errorf("what this program can't read: got %d %s", got.Status, got.Body)
	}
	c := update(t, s, url, paths)
	for path, answers := range c.answers {
		if len(answers) != 1 || answers[0] != was[path] {
			t.Errorf("%s: got %d answers, and want one:\n%s\n%s", path, len(answers), strings.Join(answers, "\n"), was[path])
		}
	}
	if got := s.get("/v1/names?page=0"); got.Status != http.StatusOK {
		t.Errorf("names, once they are built: got %d %s", got.Status, got.Body)
	}
}

// TestUpgradeFromRelease starts this program on what an earlier one, STRATA_PREVIOUS, has built (make outside TEST=upgrade).
func TestUpgradeFromRelease(t *testing.T) {
	previous := os.Getenv("STRATA_PREVIOUS")
	if previous == "" {
		t.Skip("STRATA_PREVIOUS names no program: run make outside TEST=upgrade")
	}
	dir, url := t.TempDir(), pgtest.URL(t)
	file := filepath.Join(dir, "events.tsv")
	writeFile(t, file, chainArchive(t, archive.Copy, 7, upgradePosts))
	earlier := func(args ...string) *exec.Cmd {
		cmd := command(t, dir, nil, args...)
		cmd.Path = previous
		return cmd
	}
	if got := finish(t, earlier("import", "--database-url", url, file)); got.code != 0 {
		t.Fatalf("the earlier program can't import: %s", got.stderr)
	}
	before := start(t, earlier("serve", "--api-addr", "127.0.0.1:0", "--observer-addr", "127.0.0.1:0", "--log-format", "json", "--database-url", url))
	before.api, before.observer = before.announced("serving the API"), before.announced("receiving events")
	before.caughtUp(upgradePosts)
	paths, was := before.lastAnswers(url)
	s := startServer(t, dir, "--database-url", url)
	c := update(t, s, url, paths)
	for path, answers := range c.answers {
		same := answers[0] == was[path]
		t.Logf("%-70s %d answers; the first is that of the earlier program: %t", path, len(answers), same)
		if len(answers) > 2 { // of the old tables, and of the new ones
			t.Errorf("%s: answers change again and again:\n%s", path, strings.Join(answers, "\n"))
		}
	}
}

// update reads while a server builds its versions, until all are active, and for a while after that.
func update(t *testing.T, s *server, url string, paths []string) *clients {
	t.Helper()
	ready := s.get("/readyz?for=extended")
	if ready.Status != http.StatusOK || !strings.Contains(string(ready.Body), "with the rules of this program, is being built") {
		t.Errorf("readiness: got %d %s", ready.Status, ready.Body)
	}
	began := time.Now()
	c := readAgainAndAgain(t, s.api, paths)
	conn, own := pgtest.Connect(t, url), lines(t).Rules()
	eventually.Holds(t, "the server's own versions are active", func() bool {
		const active = `SELECT count(*) FROM strata.active JOIN strata.projection USING (name, version) WHERE coalesce(rules, version) = ($1::jsonb -> name)::int`
		return pgtest.Value[int](t, conn, active, own) == len(own)
	})
	built, reads := time.Since(began), c.reads.Load()
	eventually.Holds(t, "clients read on", func() bool { return c.reads.Load() > reads+int64(5*len(paths)) })
	c.stop()
	t.Logf("fault: an update with new rules; no error and no read that goes back among %d reads in the %s until the versions were active, and %d after", reads, built.Round(time.Millisecond), c.reads.Load()-reads)
	s.mustPost("/new_mempool_tx", []byte(`[]`))
	s.caughtUp(upgradePosts + 1)
	return c
}

// filled puts the account with the most changes of its balance into paths.
func filled(t testing.TB, url string, paths []string) (all []string) {
	t.Helper()
	account := pgtest.Value[string](t, pgtest.Connect(t, url),
		`SELECT account FROM api.ledger WHERE asset = 'stx' GROUP BY account ORDER BY count(*) DESC, account LIMIT 1`)
	for _, path := range paths {
		all = append(all, strings.ReplaceAll(path, "ACCOUNT", account))
	}
	return all
}

func lines(t *testing.T) projections.Lines {
	t.Helper()
	return must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
}

func readable(t *testing.T) map[string][]int {
	t.Helper()
	all := lines(t).Readable()
	if len(all) == 0 {
		t.Fatal("this program reads no tables of an earlier release")
	}
	return all
}
