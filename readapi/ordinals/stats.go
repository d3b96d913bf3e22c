package ordinals

import (
	"context"
	"math"
	"net/http"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
)

// statsMax is the maximum number of blocks in an answer.
const statsMax = 5000

type ordinalsStatsInput struct {
	From ordinal.HeightParameter `query:"from_block_height"`
	To   ordinal.HeightParameter `query:"to_block_height"`
}

// inscriptionCounts lists the blocks with inscriptions, the highest first.
type inscriptionCounts struct {
	Results []inscriptionCount `json:"results" nullable:"false"`
}

// inscriptionCount is the number of inscriptions that a block revealed.
type inscriptionCount struct {
	BlockHeight string `json:"block_height"`
	BlockHash   string `json:"block_hash"`
	Count       string `json:"inscription_count" doc:"Number of inscriptions that the block revealed."`
	Accumulated string `json:"inscription_count_accum" doc:"Number of inscriptions that this block and all blocks below it revealed."`
	Timestamp   int64  `json:"timestamp" doc:"Milliseconds since 1970."`
}

type countedBlock struct {
	height, time, reveals int64
	hash                  hash.Hash32
}

func (a *api) registerOrdinalsStats() {
	engine.Get(a.Engine, ordinal.OrdinalsResource(engine.Operation{
		ID: "getStatsInscriptionCount", Path: "/stats/inscriptions", Tag: "Statistics", Summary: "Inscriptions per block",
		Description: "Blocks with inscriptions between two heights, both included. The answer has the highest 5000 of them.",
		Statuses:    []int{http.StatusBadRequest},
	}), a.ordinalsStats)
}

func (a *api) ordinalsStats(ctx context.Context, s *engine.Snapshot, in *ordinalsStatsInput) (*inscriptionCounts, error) {
	counts := &inscriptionCounts{Results: []inscriptionCount{}}
	if s.Active(ordinal.Inscribed) == nil {
		return counts, nil
	}
	from, to := int64(0), int64(math.MaxInt64)
	if height, ok := in.From.Value(); ok {
		from = height
	}
	if height, ok := in.To.Value(); ok {
		to = height
	}
	b := s.Batch()
	// Subtract the blocks above the range from the total instead of adding up those below: most clients ask for the
	// newest.
	below := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, (
			coalesce((SELECT n FROM {inscriptions}.list WHERE name = 'all'), 0)
			- (SELECT coalesce(sum(reveals), 0) FROM {inscriptions}.block WHERE height > $1))::bigint`, to)
	blocks := engine.Query(b, func(c *countedBlock) []any { return []any{&c.height, &c.hash, &c.time, &c.reveals} }, `
		SELECT {inscriptions.block b}, height, block_hash, time, reveals
		FROM {inscriptions}.block b WHERE height >= $1 AND height <= $2 AND reveals > 0
		ORDER BY height DESC LIMIT $3`, from, to, statsMax)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	accumulated, _ := below.First()
	for i := range blocks.Rows {
		c := &blocks.Rows[i]
		counts.Results = append(counts.Results, inscriptionCount{
			BlockHeight: ordinal.Decimal(c.height), BlockHash: ordinal.Bare(c.hash), Count: ordinal.Decimal(c.reveals), Accumulated: ordinal.Decimal(accumulated),
			Timestamp: ordinal.Milliseconds(c.time),
		})
		accumulated -= c.reveals
	}
	return counts, nil
}
