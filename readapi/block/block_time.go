package block

import (
	"context"
	"math/big"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/view"
)

type blockTimeInput struct {
	Timestamp int64 `path:"timestamp" minimum:"0" doc:"Unix seconds."`
}

// averageTimes holds the mean times between blocks of several spans.
type averageTimes struct {
	LastHour  meanSeconds `json:"last_1h"`
	LastDay   meanSeconds `json:"last_24h"`
	LastWeek  meanSeconds `json:"last_7d"`
	LastMonth meanSeconds `json:"last_30d"`
}

func (a *api) registerBlockTimes() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-block-by-time", Path: "/extended/v2/blocks/by-block-time/{timestamp}", Tag: "Blocks", Summary: "Last block at or before a time",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound}, PointRead: true,
	}, getBlockByTime)
	engine.Get(a.Engine, engine.Operation{
		ID: "get-average-block-times", Path: "/extended/v2/blocks/average-times", Tag: "Blocks", Summary: "Mean time between blocks",
		Description: "Mean number of seconds between successive blocks in the last hour, day, week and 30 days before the newest block; 0 for a chain of one block. " +
			"The time of a block before Nakamoto is that of its Bitcoin block.",
		PointRead: true,
	}, getAverageBlockTimes)
}

func getBlockByTime(ctx context.Context, s *engine.Snapshot, in *blockTimeInput) (*view.Block, error) {
	missing := engine.NotFound("No block found at or before the given timestamp")
	if _, ok := s.Tip("accounts"); !ok {
		return nil, missing
	}
	b := s.Batch()
	found := engine.Query(b, view.BlockColumns, `
		SELECT {chain.block b, accounts.block c}, `+view.BlockTerms+`FROM (
			SELECT height, source_seq FROM {accounts}.block WHERE coalesce(block_time, burn_block_time) <= $1
			ORDER BY coalesce(block_time, burn_block_time) DESC, height DESC LIMIT 1
		) c
		JOIN {chain}.block b ON b.source_seq = c.source_seq`, in.Timestamp)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, missing
	}
	shaped := row.Shape()
	return &shaped, nil
}

// averageSpans are the lengths of the spans of averageTimes, in seconds.
var averageSpans = []int64{60 * 60, 24 * 60 * 60, 7 * 24 * 60 * 60, 30 * 24 * 60 * 60}

// spanBlocks is the number of blocks of a span and the seconds that they took.
type spanBlocks struct {
	span            int64
	blocks, seconds int64
}

// getAverageBlockTimes reads only the two ends of each span, because the times between blocks add up. The spans end at
// the newest block, not at the server's time as in the reference, so that all servers give the same answer.
func getAverageBlockTimes(ctx context.Context, s *engine.Snapshot, _ *struct{}) (*averageTimes, error) {
	times := &averageTimes{"0", "0", "0", "0"}
	tip, ok := s.Tip("accounts")
	if !ok {
		return times, nil
	}
	b := s.Batch()
	found := engine.Query(b, func(r *spanBlocks) []any { return []any{&r.span, &r.blocks, &r.seconds} }, `
		SELECT {accounts.block tip, accounts.block before}, spans.span, tip.height - before.height, tip.time - before.time
		FROM (SELECT height, source_seq, coalesce(block_time, burn_block_time) AS time FROM {accounts}.block WHERE height = $1) tip
		CROSS JOIN unnest($2::bigint[]) AS spans (span)
		CROSS JOIN LATERAL (
			SELECT b.height FROM {accounts}.block b WHERE coalesce(b.block_time, b.burn_block_time) > tip.time - spans.span
			ORDER BY coalesce(b.block_time, b.burn_block_time), b.height LIMIT 1
		) first
		CROSS JOIN LATERAL ( -- the block before first; first itself if there is none, or only genesis, which has no time
			SELECT b.height, b.source_seq, coalesce(b.block_time, b.burn_block_time) AS time FROM {accounts}.block b
			WHERE b.height >= first.height - 1 AND coalesce(b.block_time, b.burn_block_time) > 0 ORDER BY b.height LIMIT 1
		) before
		ORDER BY spans.span`, *tip.Height, averageSpans)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for i, mean := range []*meanSeconds{&times.LastHour, &times.LastDay, &times.LastWeek, &times.LastMonth} {
		for _, r := range found.Rows {
			if r.span == averageSpans[i] && r.blocks > 0 {
				*mean = meanOf(r.seconds, r.blocks)
			}
		}
	}
	return times, nil
}

// meanSeconds is a number of seconds with up to two decimals. In JSON it is a number.
type meanSeconds string

// MarshalJSON implements json.Marshaler.
func (s meanSeconds) MarshalJSON() ([]byte, error) { return []byte(s), nil }

// meanOf returns sum/n rounded to hundredths, halves away from zero.
func meanOf(sum, n int64) meanSeconds {
	mean := big.NewRat(sum, n)
	text := mean.FloatString(2)
	for text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return meanSeconds(text)
}

// Schema implements huma.SchemaProvider.
func (meanSeconds) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeNumber, Description: "Seconds, with two decimals.", Examples: []any{8.25}}
}
