package staking

import (
	"context"
	"net/http"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
)

type signersInput struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"250" default:"100" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^[0-9A-Z]{28,41}(\\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127})?$" doc:"The first signer manager of the page."`
}

type signerInput struct{ param.PrincipalInput }

// Dependencies replaces those of param.PrincipalInput by the tips of all that is read.
func (in *signerInput) Dependencies() engine.Dependencies { return engine.Dependencies{} }

// StakingSigner is a signer manager with its key.
type StakingSigner struct {
	Signer    string       `json:"signer" doc:"The signer manager, a contract."`
	SignerKey view.HexText `json:"signer_key" doc:"The key that it registered last, 33 bytes."`
}

type signerDetail struct {
	StakingSigner
	Transaction transactionPlace `json:"transaction" doc:"The transaction that registered the key."`
}

type signerRow struct {
	signer string
	key    []byte
}

func signerColumns(r *signerRow) []any { return []any{&r.signer, &r.key} }

func (r *signerRow) shape() StakingSigner { return StakingSigner{r.signer, view.HexOf(r.key)} }

const signerSQL = `t.signer, k.signer_key`

// signerKey joins the key k that a signer manager t has registered last.
const signerKey = ` CROSS JOIN LATERAL (SELECT * FROM {staking}.signer_key k WHERE k.signer = t.signer ORDER BY k.n DESC LIMIT 1) AS k `

var signerList = keyset{
	from: `{staking}.signer t` + signerKey + `WHERE true`, sources: `{staking.event k}`, columns: signerSQL, key: []string{"t.signer"}, text: `t.signer`,
}

// textBound returns the bound of a page that begins at a text, with its arguments, which are numbered from n on.
func textBound(cursor, argument string) (bound []string, args []any) {
	if cursor == "" {
		return nil, nil
	}
	return []string{argument + `::text`}, []any{cursor}
}

func (a *api) registerSigners() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-signers", Path: prefix + "/signers", Tag: tag, Summary: "Signer managers of pox-5 with their keys, by name",
		Statuses: []int{http.StatusBadRequest},
	}, func(ctx context.Context, s *engine.Snapshot, in *signersInput) (*page.KeysetPage[StakingSigner], error) {
		if _, ok := tipHeight(s); !ok {
			return emptyPage[StakingSigner](in.Limit), nil
		}
		b := s.Batch()
		total := queueCount(b, `coalesce((SELECT place FROM {staking}.signer ORDER BY place DESC LIMIT 1), 0)`)
		bound, args := textBound(in.Cursor, "$1")
		p := queue(b, &signerList, signerColumns, in.Limit, bound, args...)
		if err := b.Run(ctx); err != nil {
			return nil, err
		}
		return pageOf(p, total(), func(r *signerRow) StakingSigner { return r.shape() }), nil
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "get-staking-signer", Path: prefix + "/signers/{principal}", Tag: tag, Summary: "A signer manager of pox-5",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, func(ctx context.Context, s *engine.Snapshot, in *signerInput) (*signerDetail, error) {
		missing := engine.NotFound("Staking signer not found")
		if _, ok := tipHeight(s); !ok {
			return nil, missing
		}
		type placed struct {
			signerRow
			place transactionPlace
		}
		row, ok, err := find(ctx, s, func(r *placed) []any { return append(signerColumns(&r.signerRow), r.place.columns()...) }, `
			SELECT {staking.event t}, t.signer, t.signer_key, `+placeSQL+`
			FROM (SELECT * FROM {staking}.signer_key k WHERE k.signer = $1 ORDER BY k.n DESC LIMIT 1) t JOIN {staking}.event e ON e.n = t.n`+placeJoin,
			string(in.Principal))
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, missing
		}
		return &signerDetail{row.shape(), row.place.shape()}, nil
	})
}
