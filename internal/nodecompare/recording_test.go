package nodecompare

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/testkit/must"
	"strata/projections/balances"
	"strata/projections/chain"
	"strata/rig/replay"
)

// foldedRecording returns a database with the balances of what a node posted on a chain through all epochs up to 4.0,
// and a fake node that answers what that node said of every account at the last tip.
func foldedRecording(t *testing.T) (*pgxpool.Pool, *fakeNode) {
	t.Helper()
	posts := replay.Archive(t, "node", "nakamoto-epoch4.tsv.gz")
	text, err := os.ReadFile(filepath.Join(replay.SharedData(t), "node", "nakamoto-epoch4.json"))
	if err != nil {
		t.Skip(err)
	}
	var said struct {
		Accounts map[string]struct {
			Unlocked, Locked int64 `json:",string"`
			UnlockHeight     int64 `json:"unlock_height"`
			Nonce            int64
		}
	}
	must.Do(t, json.Unmarshal(text, &said))
	log := replay.NewLog(t)
	replay.Append(t, log, posts...)
	canonical := must.Get(chain.New("recommended", nil))(t)
	replay.Run(t, log, canonical, balances.New(nil))
	node := newFakeNode(t, log.Pool())
	clear(node.accounts)
	for name, a := range said.Accounts {
		node.accounts[name] = fakeAccount{balance: a.Unlocked, locked: a.Locked, unlockHeight: a.UnlockHeight, nonce: a.Nonce}
	}
	return log.Pool(), node
}

// TestCompareRecording compares every account with what the node said. One account differs because of the node, which
// sends no event for its vesting.
func TestCompareRecording(t *testing.T) {
	t.Parallel()
	pool, node := foldedRecording(t)
	var differences []string
	got := must.Get(Compare(t.Context(), pool, Options{
		URL: node.URL, All: true,
		Difference: func(d Difference) {
			if _, listed := node.accounts[d.Account]; listed { // the node was not asked about some boot accounts
				differences = append(differences, d.String())
			}
		},
		Progress: func(int64, int64) {},
	}))(t)
	const vested = "account SN3Z4MMRJ29FVZB38FGYPE94N1D8ZGF55R7YWH00A: the balance is "
	if len(differences) != 1 || !strings.HasPrefix(differences[0], vested) {
		t.Errorf("got the differences %q, want one of the vested account", differences)
	}
	locked := 0
	for name, a := range node.accounts {
		if a.locked > 0 {
			locked++
		}
		if a != (fakeAccount{}) && !strings.Contains(strings.Join(node.requested, " "), name) {
			t.Errorf("account %s is not in the tables", name)
		}
	}
	if got.Compared < 35 || locked < 3 {
		t.Errorf("compared %d accounts, %d with a lock", got.Compared, locked)
	}
}
