package param

import (
	"context"

	"strata/readapi/internal/engine"
)

// AccountInput names an account, and the block at which to look at it.
type AccountInput struct {
	Principal PrincipalParameter `path:"principal"`
	AsOf
}

// Dependencies returns the state of the account at the block.
func (in *AccountInput) Dependencies() engine.Dependencies {
	return in.DependenciesOf(string(in.Principal))
}

// Resolve returns the account and the block that the request names.
func (in *AccountInput) Resolve(ctx context.Context, s *engine.Snapshot) (account string, at Moment, err error) {
	if account, err = in.Principal.Account(); err != nil {
		return "", at, err
	}
	at, err = in.moment(ctx, s)
	return account, at, err
}
