package readapi

import (
	"context"
	"math"
	"net/http"

	"strata/domain/hash"
)

// statsMax is how many blocks are told of at most.
const statsMax = 5000

type ordinalsStatsInput struct {
	From heightParameter `query:"from_block_height"`
	To   heightParameter `query:"to_block_height"`
}

// inscriptionCounts are the blocks with inscriptions, the highest first.
type inscriptionCounts struct {
	Results []inscriptionCount `json:"results" nullable:"false"`
}

// inscriptionCount is how many inscriptions a block revealed.
type inscriptionCount struct {
	BlockHeight string `json:"block_height"`
	BlockHash   string `json:"block_hash"`
	Count       string `json:"inscription_count" doc:"That the block revealed."`
	Accumulated string `json:"inscription_count_accum" doc:"That it and all blocks below it revealed."`
	Timestamp   int64  `json:"timestamp" doc:"Milliseconds since 1970."`
}

type countedBlock struct {
	height, time, reveals int64
	hash                  hash.Hash32
}

func (a *API) registerOrdinalsStats() {
	get(a.Engine, ordinalsResource(resource{
		id: "getStatsInscriptionCount", path: "/stats/inscriptions", tag: "Statistics", summary: "Inscriptions per block",
		about: "Of the blocks with inscriptions between two heights, both included, the highest 5000.",
		of:    onTip(inscribed), statuses: []int{http.StatusBadRequest},
	}), a.ordinalsStats)
}

func (a *API) ordinalsStats(ctx context.Context, s *snapshot, in *ordinalsStatsInput) (*inscriptionCounts, error) {
	counts := &inscriptionCounts{Results: []inscriptionCount{}}
	if s.active(inscribed) == nil {
		return counts, nil
	}
	from, to := int64(0), int64(math.MaxInt64)
	if height, ok := in.From.value(); ok {
		from = height
	}
	if height, ok := in.To.value(); ok {
		to = height
	}
	b := s.batch()
	// What is above is added up, rather than what is below: most ask for the newest.
	below := query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], (
			coalesce((SELECT n FROM {inscriptions}.list WHERE name = 'all'), 0)
			- (SELECT coalesce(sum(reveals), 0) FROM {inscriptions}.block WHERE height > $1))::bigint`, to)
	blocks := query(b, func(c *countedBlock) []any { return []any{&c.height, &c.hash, &c.time, &c.reveals} }, `
		SELECT ARRAY[source_seq], height, block_hash, time, reveals
		FROM {inscriptions}.block WHERE height >= $1 AND height <= $2 AND reveals > 0
		ORDER BY height DESC LIMIT $3`, from, to, statsMax)
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	accumulated, _ := below.first()
	for i := range blocks.rows {
		c := &blocks.rows[i]
		counts.Results = append(counts.Results, inscriptionCount{
			BlockHeight: decimal(c.height), BlockHash: bare(c.hash), Count: decimal(c.reveals), Accumulated: decimal(accumulated),
			Timestamp: milliseconds(c.time),
		})
		accumulated -= c.reveals
	}
	return counts, nil
}
