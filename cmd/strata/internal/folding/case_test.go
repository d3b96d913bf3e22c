package folding_test

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"strata/cmd/strata/internal/folding"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/projections/follow"
	"strata/rig/replay"
	"strata/rig/schemas"
)

// afterwards says what is in quarantine after some of the cases, and which transactions the mempool has.
var afterwards = map[string]string{
	"mempool-neighbour-lost.jsonl":            "chain 1/1; 1 pending",
	"unknown-drop-reason.jsonl":               "; 1 dropped",
	"sponsored-pending.jsonl":                 "; 1 pending",
	"same-transaction-twice-in-a-block.jsonl": "chain 3/transactions/1/txid; ",
}

// TestCases folds small logs that once went wrong: whatever is in them, no projection stops.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(replay.SharedData(t), "cases", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Skipf("there are no cases (%v)", err)
	}
	for _, file := range files {
		if filepath.Base(file) == "devnet-restart.jsonl" {
			continue // two chains, of which the second stops the fold on purpose
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text := must.Get(os.ReadFile(file))(t)
			var posts []replay.Post
			for line := range strings.Lines(string(text)) {
				var event struct {
					Path string
					Body json.RawMessage
				}
				if err := json.Unmarshal([]byte(line), &event); err != nil || event.Path == "" {
					t.Fatalf("%.100s: %v", line, err)
				}
				posts = append(posts, replay.Post{Path: event.Path, Body: event.Body})
			}
			lines := must.Get(folding.Lines("recommended", slog.New(slog.DiscardHandler), nil))(t)
			log := replay.NewLog(t)
			replay.Append(t, log, posts...)
			replay.Follow(t, follow.Config{Log: log, Interval: 50 * time.Millisecond}, lines...)
			replay.Wait(t, log)
			want, ok := afterwards[filepath.Base(file)]
			if !ok {
				return
			}
			got := pgtest.Value[string](t, log.Pool(), schemas.In(`
				SELECT concat((SELECT string_agg(name || ' ' || seq || pointer, ', ' ORDER BY seq, pointer) FROM strata.quarantine), '; ',
				       (SELECT string_agg(n || ' ' || status, ', ' ORDER BY status) FROM {mempool}.counter WHERE n > 0))`))
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
