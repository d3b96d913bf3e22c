package bns

import (
	"context"

	"strata/readapi/internal/engine"
)

// TokenInput names a token.
type TokenInput struct {
	NetworkInput
	ID int64 `path:"id" minimum:"0" doc:"Id of the non-fungible token that stands for a name." example:"1"`
}

// bnsTokenOwner is the owner of a token.
type bnsTokenOwner struct {
	Marked
	Owner            string `json:"owner"`
	Name             string `json:"name"`
	Namespace        string `json:"namespace"`
	CurrentBurnBlock int64  `json:"current_burn_block"`
	RenewalHeight    *int64 `json:"renewal_height,omitempty" doc:"Absent for never expiring."`
	Status           string `json:"status" enum:"active,expiring-soon,grace-period,expired,revoked"`
}

// bnsTokenName is the name that a token stands for.
type bnsTokenName struct {
	Marked
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	FullName  string `json:"full_name"`
}

// bnsLastToken is the greatest id.
type bnsLastToken struct {
	Marked
	LastTokenID int64 `json:"last_token_id"`
}

// bnsTokenInfo is a token with all that is known of its name.
type bnsTokenInfo struct {
	Marked
	CurrentBurnBlock int64          `json:"current_burn_block"`
	Status           string         `json:"status" enum:"active,expired,revoked"`
	Data             bnsNameDetails `json:"data"`
}

func (a *api) registerToken() {
	get(a, engine.Operation{ID: "get-bns-token-owner", Path: "/tokens/{id}/owner", Summary: "Owner of a name by its token", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *TokenInput) (*bnsTokenOwner, error) {
			r, height, err := findToken(ctx, s, in.ID)
			if err != nil {
				return nil, err
			}
			return &bnsTokenOwner{in.marked(), r.Owner, r.Label, r.Namespace, height, r.expires, r.status(height)}, nil
		})
	get(a, engine.Operation{ID: "get-bns-token-name", Path: "/tokens/{id}/name", Summary: "Name that a token stands for", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *TokenInput) (*bnsTokenName, error) {
			r, _, err := findToken(ctx, s, in.ID)
			if err != nil {
				return nil, err
			}
			return &bnsTokenName{in.marked(), r.id, r.Label, r.Namespace, r.FullName}, nil
		})
	get(a, engine.Operation{ID: "get-bns-token-info", Path: "/tokens/{id}/info", Summary: "A name by its token", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *TokenInput) (*bnsTokenInfo, error) {
			r, height, err := findToken(ctx, s, in.ID)
			if err != nil {
				return nil, err
			}
			status := statusActive
			switch {
			case r.revoked:
				status = statusRevoked
			case !r.valid(height):
				status = statusExpired
			}
			return &bnsTokenInfo{in.marked(), height, status, r.details(height)}, nil
		})
	get(a, engine.Operation{ID: "get-bns-last-token-id", Path: "/token/last-id", Summary: "Greatest id of a token", PointRead: true}, a.lastToken)
}

func findToken(ctx context.Context, s *engine.Snapshot, id int64) (r nameRow, height int64, err error) {
	b := s.Batch()
	tip := queryTip(b)
	names := engine.Query(b, nameColumns, `SELECT `+nameSQL+` FROM {bns}.name n WHERE n.id = $1 AND `+current, id)
	if err := b.Run(ctx); err != nil {
		return r, 0, err
	}
	r, ok := names.First()
	if !ok {
		return r, 0, errToken
	}
	return r, tip(), nil
}

func (a *api) lastToken(ctx context.Context, s *engine.Snapshot, in *NetworkOnly) (*bnsLastToken, error) {
	b := s.Batch()
	last := engine.Query(b, func(id *int64) []any { return []any{id} }, `
		SELECT {bns.name n}, n.id FROM {bns}.name n WHERE n.until_height IS NULL ORDER BY n.id DESC LIMIT 1`)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	id, _ := last.First()
	return &bnsLastToken{in.marked(), id}, nil
}

// NetworkOnly are the parameters of an operation that has no others.
type NetworkOnly struct{ NetworkInput }
