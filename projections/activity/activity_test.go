package activity_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"strata/domain/nodeevent"
	"strata/domain/transaction"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/projections/activity"
	"strata/rig"
	"strata/rig/foldtest"
	"strata/rig/replay"
	"strata/rig/schemas"
)

func fold(t *testing.T, log *eventstore.Log, posts ...replay.Post) {
	t.Helper()
	replay.Append(t, log, posts...)
	replay.Run(t, log, rig.Chain(t), activity.New())
}

// counted counts the callers in the bodies of the canonical blocks, without the projection.
func counted(t *testing.T, log *eventstore.Log) []string {
	t.Helper()
	callers := map[string]map[string]bool{}
	var seqs []int64
	for _, seq := range replay.Texts(t, log.Pool(), schemas.In(`SELECT block_seq::text FROM {chain}.canonical`)) {
		var n int64
		must.Get(fmt.Sscan(seq, &n))(t)
		seqs = append(seqs, n)
	}
	for _, seq := range seqs {
		event := must.Get(log.Get(t.Context(), seq, true))(t)
		payload := must.Get(nodeevent.Decode(event.Path, event.Body))(t)
		block, ok := payload.(*nodeevent.Block)
		if !ok {
			t.Fatalf("event %d is a %T", seq, payload)
		}
		seconds := block.BurnBlockTime
		if block.Time != nil {
			seconds = *block.Time
		}
		for _, tx := range block.Transactions {
			decoded, err := transaction.Decode(tx.RawTx)
			if err != nil {
				continue // an operation of Bitcoin
			}
			if call, ok := decoded.Payload.(*transaction.ContractCall); ok {
				key := call.Contract.String() + " " + time.Unix(int64(seconds), 0).UTC().Format(time.DateOnly)
				if callers[key] == nil {
					callers[key] = map[string]bool{}
				}
				callers[key][decoded.Sender().String()] = true
			}
		}
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(callers)) {
		all = append(all, fmt.Sprint(key, " ", len(callers[key])))
	}
	return all
}

// The days are those that the canonical blocks tell, whatever forks there were and however the blocks were folded.
func TestDays(t *testing.T) {
	t.Parallel()
	config := synthchain.Everything(5, synthchain.V40)
	config.SigningSample, config.ForkProbability, config.BitcoinReorgProbability = 1000, 0.2, 0.1
	made := synthchain.New(config)
	posts := replay.Take(160, made.Next)
	for _, size := range []int{len(posts), 1} {
		log := replay.NewLogApart(t)
		step := max(size, 20) // one by one takes long, so the runner gets some at a time
		for at := 0; at < len(posts); at += step {
			fold(t, log, posts[at:min(at+step, len(posts))]...)
		}
		got := replay.Texts(t, log.Pool(), `SELECT contract_id || ' ' || day || ' ' || addresses FROM activity_v1.day ORDER BY contract_id COLLATE "C", day`)
		want := counted(t, log)
		if len(want) < 3 || !slices.Equal(got, want) {
			t.Errorf("in parts of %d: got\n%s\nwant\n%s", step, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		foldtest.Check(t, log.Pool(), activity.New())
	}
}

// What docs/writing-a-projection.md shows of a file is in that file, line by line.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	const root = "../../"
	text := must.Get(os.ReadFile(root + "docs/writing-a-projection.md"))(t)
	blocks := regexp.MustCompile("(?s)`([a-z_/]+\\.(?:go|sql))`[^`]*?:\n\n```(?:go|sql)\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "\n```go\n") + strings.Count(string(text), "\n```sql\n"); len(blocks) < 8 || len(blocks) != n {
		t.Fatalf("got %d blocks with a file, of %d blocks", len(blocks), n)
	}
	for _, block := range blocks {
		source, err := os.ReadFile(root + block[1])
		if err != nil {
			t.Error(err)
			continue
		}
		for part := range strings.SplitSeq(block[2], "…\n") { // what is left out
			if !strings.Contains(string(source), strings.TrimRight(part, "\t ")) {
				t.Errorf("%s does not have\n%s", block[1], part)
			}
		}
	}
}
