package staking

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

// signingKey is a compressed public key in a request, with or without 0x.
type signingKey string

// Schema implements huma.SchemaProvider.
func (signingKey) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^(0x)?[a-fA-F0-9]{66}$`), Description: "A compressed public key, 33 bytes in hex."}
}

type keyRewardsInput struct {
	Key    signingKey `path:"signer_key"`
	Limit  int        `query:"limit" minimum:"1" maximum:"50" default:"20" doc:"Rows of a page."`
	Cursor string     `query:"cursor" pattern:"^[0-9]{1,10}$" doc:"The first cycle of the page."`
}

type keyEarned struct {
	STXOnly schema.Amount `json:"stx_only" doc:"Sats for STX that are staked without a bond."`
	Bonds   schema.Amount `json:"bonds" doc:"Sats for bonds."`
	Total   schema.Amount `json:"total"`
}

type keyEarnedBTC struct {
	BTC keyEarned `json:"btc"`
}

// keyReward is what the signer managers of a key earned for their stakers in a cycle.
type keyReward struct {
	Cycle          int64         `json:"cycle"`
	Weight         int64         `json:"weight"`
	StakedSTX      schema.Amount `json:"staked_stx" doc:"µSTX"`
	SignerManagers []string      `json:"signer_managers" nullable:"false" doc:"The signer managers that had the key registered when the set of the cycle was computed."`
	Rewards        keyEarnedBTC  `json:"rewards"`
}

type keyRewardRow struct {
	keyReward
	stx, bonds string
}

// keyRewardList lists the cycles whose set has the key $1.
var keyRewardList = keyset{
	from: `{staking}.set_member m JOIN {staking}.cycle_set s ON s.cycle = m.cycle
		CROSS JOIN LATERAL (
			SELECT coalesce(array_agg(k.signer ORDER BY k.signer), ARRAY[]::text[]) AS signers FROM {staking}.signer_key k
			WHERE k.signer_key = m.signer_key AND k.n < s.first_n AND (k.until_n IS NULL OR k.until_n >= s.first_n)
		) k
		CROSS JOIN LATERAL (
			SELECT coalesce(sum(e.amount) FILTER (WHERE e.bond_index = -1), 0) AS stx, coalesce(sum(e.amount) FILTER (WHERE e.bond_index >= 0), 0) AS bonds
			FROM {staking}.earning e WHERE e.signer = ANY (k.signers) AND e.cycle = m.cycle
		) r
		WHERE m.signer_key = $1`,
	sources: `{staking.set_member m}`, columns: `m.cycle, m.weight, m.staked::text, k.signers, r.stx::text, r.bonds::text`, key: []string{"m.cycle"}, text: `m.cycle::text`, descending: true,
}

func (a *api) registerKeyRewards() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-signer-key-rewards", Path: prefix + "/signer-keys/{signer_key}/rewards", Tag: tag,
		Summary:     "What the signer managers of a signing key earned for their stakers, by reward cycle, newest first",
		Description: "Lists the cycles whose set of signers has the key. Rewards are before any fee of a signer manager. They count as the key's if the signer manager had registered it when the set was computed.",
		Statuses:    []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, in *keyRewardsInput) (*page.KeysetPage[keyReward], error) {
		if _, ok := tipHeight(s); !ok {
			return emptyPage[keyReward](in.Limit), nil
		}
		key := keyBytes(string(in.Key))
		b := s.Batch()
		total := queueCount(b, `count(*) FROM {staking}.set_member WHERE signer_key = $1`, key)
		bound, args := []string(nil), []any{key}
		if in.Cursor != "" {
			bound, args = []string{"$2::bigint"}, append(args, number(in.Cursor))
		}
		p := queue(b, &keyRewardList, func(r *keyRewardRow) []any {
			return []any{&r.Cycle, &r.Weight, &r.StakedSTX, &r.SignerManagers, &r.stx, &r.bonds}
		}, in.Limit, bound, args...)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		return pageOf(p, total(), func(r *keyRewardRow) keyReward {
			r.Rewards.BTC = keyEarned{schema.Amount(r.stx), schema.Amount(r.bonds), schema.AddAmounts(r.stx, r.bonds)}
			return r.keyReward
		}), nil
	})
}
