package staking

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
)

type signerStakersInput struct {
	param.PrincipalInput
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"100" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9A-Z]{28,41}(\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127})?$" doc:"The first staker of the page."`
}

// Dependencies replaces those of param.PrincipalInput by the tips of all that is read.
func (in *signerStakersInput) Dependencies() engine.Dependencies { return engine.Dependencies{} }

// signerStaker is a staker of a signer manager.
type signerStaker struct {
	Staker string   `json:"staker"`
	Types  []string `json:"types" nullable:"false" enum:"stx,btc" doc:"stx for STX that are staked without a bond, btc for a bond."`
}

type signerStakerRow struct {
	staker string
	types  []string
}

// signerStakerList lists the stakers whose position under the signer manager $1 has not ended at the Bitcoin height $2. A
// staker has one position at a time.
var signerStakerList = keyset{
	union: []string{
		`SELECT t.n, t.source_seq, t.staker, 'stx' AS type FROM {staking}.stake t WHERE t.signer = $1 AND t.until_n IS NULL AND t.unlock_height > $2`,
		`SELECT t.n, t.source_seq, t.staker, 'btc' FROM {staking}.registration t
		WHERE t.signer = $1 AND t.until_n IS NULL AND t.status <> 3 AND t.unlock_height > $2`,
	},
	sources: `{staking.event p}`, columns: `p.staker, ARRAY[p.type]`, key: []string{"staker"}, text: `p.staker`,
}

func (a *api) registerSignerStakers() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-signer-stakers", Path: prefix + "/signers/{principal}/stakers", Tag: tag, Summary: "The stakers of a signer manager, by name",
		Description: "Lists the stakers whose position has not ended, also those whose position has not begun.",
		Statuses:    []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, in *signerStakersInput) (*page.KeysetPage[signerStaker], error) {
		tip, ok := tipHeight(s)
		if !ok {
			return emptyPage[signerStaker](in.Limit), nil
		}
		signer := string(in.Principal)
		b := s.Batch()
		total := queueCount(b, `coalesce(sum(stakes + members), 0)::bigint FROM {staking}.holding WHERE signer = $1 AND unlock_height > $2`, signer, tip)
		bound, args := textBound(in.Cursor, "$3")
		p := queue(b, &signerStakerList, func(r *signerStakerRow) []any { return []any{&r.staker, &r.types} }, in.Limit, bound, append([]any{signer, tip}, args...)...)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		return pageOf(p, total(), func(r *signerStakerRow) signerStaker { return signerStaker{r.staker, r.types} }), nil
	})
}
