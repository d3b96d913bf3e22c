package staking

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

type bondListInput struct {
	BondInput
	BondPage
}

type bondStakerInput struct {
	BondInput
	param.PrincipalInput
}

// Dependencies replaces those of param.PrincipalInput by the tips of all that is read.
func (in *bondStakerInput) Dependencies() engine.Dependencies { return engine.Dependencies{} }

// allowlistEntry is an entry of a bond's allow-list.
type allowlistEntry struct {
	Staker  string        `json:"staker"`
	MaxSats schema.Amount `json:"max_sats"`
}

func allowedColumns(r *allowlistEntry) []any { return []any{&r.Staker, &r.MaxSats} }

const allowedSQL = `t.staker, t.max_sats::text`

var allowList = keyset{
	from:    `{staking}.allowlist t JOIN {staking}.event e ON e.n = t.n WHERE t.bond_index = $1 AND t.until_n IS NULL`,
	sources: `{staking.event t}`, columns: allowedSQL, key: []string{"t.n"}, text: eventText, descending: true,
}

func (a *api) registerAllowlists() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-bond-allowlist", Path: prefix + "/bonds/{bond_index}/allowlist", Tag: tag, Summary: "The allow-list of a bond, last entry first",
		Statuses: []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, in *bondListInput) (*page.KeysetPage[allowlistEntry], error) {
		if _, ok := tipHeight(s); !ok {
			return emptyPage[allowlistEntry](in.Limit), nil
		}
		b := s.Batch()
		total := queueCount(b, `coalesce((SELECT allowed FROM {staking}.bond WHERE bond_index = $1), 0)`, in.Bond)
		bound, args, err := in.Cursor.bound(2)
		if err != nil {
			return nil, err
		}
		p := queue(b, &allowList, allowedColumns, in.Limit, bound, append([]any{in.Bond}, args...)...)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		return pageOf(p, total(), func(r *allowlistEntry) allowlistEntry { return *r }), nil
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "get-staking-bond-allowlist-entry", Path: prefix + "/bonds/{bond_index}/allowlist/{principal}", Tag: tag, Summary: "The entry of a staker in the allow-list of a bond",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, s *engine.Snapshot, in *bondStakerInput) (*allowlistEntry, error) {
		missing := engine.NotFound("Bond allowlist entry not found")
		if _, ok := tipHeight(s); !ok {
			return nil, missing
		}
		row, ok, err := find(ctx, s, allowedColumns, `
			SELECT {staking.event t}, `+allowedSQL+` FROM {staking}.allowlist t WHERE t.bond_index = $1 AND t.staker = $2 AND t.until_n IS NULL`, in.Bond, string(in.Principal))
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, missing
		}
		return &row, nil
	})
}
