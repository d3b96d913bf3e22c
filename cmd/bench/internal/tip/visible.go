package tip

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/load"
)

// betweenBlocks lets a server rest, as it does at the tip.
const betweenBlocks = 5 * time.Millisecond

// visible posts blocks, and what comes with them, and measures how long after its acknowledgement each block is the one of
// a balance that is asked for again and again. What a server does in its first rounds does not count.
func (w *world) visible(ctx context.Context, rounds int) (p50, p99 time.Duration, err error) {
	balance := w.server.API + "/extended/v1/address/" + w.chain.Accounts()[0] + "/stx"
	var took []time.Duration
	for len(took) < visibleWarm+rounds {
		p := w.chain.Next()
		if err := bench.Post(ctx, w.server.Observer+p.Path, p.Body); err != nil {
			return 0, 0, err
		}
		if p.Path != "/new_block" {
			continue
		}
		acknowledged := time.Now()
		var block struct {
			Height int64 `json:"block_height"`
		}
		if err := json.Unmarshal(p.Body, &block); err != nil {
			return 0, 0, err
		}
		if err := bench.WaitUntilShown(balance, block.Height); err != nil {
			return 0, 0, err
		}
		took = append(took, time.Since(acknowledged))
		time.Sleep(betweenBlocks)
	}
	took = took[visibleWarm:]
	slices.Sort(took)
	return load.Percentile(took, .5), load.Percentile(took, .99), nil
}
