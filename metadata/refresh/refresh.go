// Package refresh lets people have token metadata fetched again. A wish is an event of the log, so that a rebuild wants the
// same at the same place; the projections fold it, and the role metadata fetches what they want then.
package refresh

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/schema"
	"strata/eventstore"
)

// ErrNotBuilt means that the read tables of tokens or contracts are not there yet.
var ErrNotBuilt = errors.New("the read tables of tokens and contracts are not built yet: try again when strata projections status lists them as active")

// TokensMax is the largest number of tokens that one call may name.
const TokensMax = 1000

// Refresher writes wishes into a log.
type Refresher struct {
	Log *eventstore.Log
	// Source says in the log who wished; empty for "admin".
	Source string
	// Nodes are RPC addresses of nodes. They are asked about contracts to import that the log does not have.
	Nodes []string
}

// Tokens has tokens of a contract fetched again; all of them if ids is nil. Ids that the contract does not have are ignored. It
// returns an error that wraps fetch.ErrNoContract, fetch.ErrNoTokens or fetch.ErrNoInterface if the contract has no tokens.
func (r Refresher) Tokens(ctx context.Context, contract string, ids []*big.Int) error {
	recognised, err := r.find(ctx, contract)
	switch {
	case err != nil:
		return err
	case !recognised:
		return fmt.Errorf("%s: %w", contract, fetch.ErrNoInterface)
	case len(ids) > TokensMax:
		return fmt.Errorf("%d tokens are more than %d: name fewer, or none for all of the contract", len(ids), TokensMax)
	}
	if ids == nil {
		return r.write(ctx, fetch.Refresh{Contract: contract})
	}
	wishes := make([]fetch.Refresh, len(ids))
	for i, id := range ids {
		wishes[i] = fetch.Refresh{Contract: contract, TokenID: id.String()}
	}
	return r.write(ctx, wishes...)
}

// Failed has everything tried again now whose last attempt failed; with interfaces, only interfaces of contracts that no
// node has stated yet. It returns how many wants that were at the time of the call.
func (r Refresher) Failed(ctx context.Context, interfaces bool) (wants int64, err error) {
	wish := fetch.Refresh{Failed: true}
	if interfaces {
		wish.Kind = fetch.ContractInterface
	}
	schemas, err := r.active(ctx, "chain", "ft", "sft", "nft")
	if err != nil {
		return 0, err
	}
	keys := map[string]bool{}
	for _, s := range schemas {
		var wants bool // chain of earlier rules has none
		if err := r.Log.Pool().QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL`, pgx.Identifier{s, "want"}.Sanitize()).Scan(&wants); err != nil {
			return 0, fmt.Errorf("look for the wants of %s: %w", s, err)
		}
		if !wants {
			continue
		}
		rows, err := r.Log.Pool().Query(ctx, `
			SELECT encode(key_hash, 'hex') FROM `+pgx.Identifier{s, "want"}.Sanitize()+` WHERE attempts > 0 AND ($1 = '' OR kind = $1)`, string(wish.Kind))
		if err != nil {
			return 0, fmt.Errorf("count what failed in %s: %w", s, err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return 0, fmt.Errorf("count what failed in %s: %w", s, err)
		}
		for _, key := range found { // an interface is wanted by the tables of each kind
			keys[key] = true
		}
	}
	if len(keys) == 0 {
		return 0, nil
	}
	return int64(len(keys)), r.write(ctx, wish)
}

// Import has a contract of the log recognised and its tokens fetched, whatever failed before. If its interface is not known
// yet, recognised is false, and the interface is asked for now. It returns an error that wraps fetch.ErrNoContract,
// fetch.ErrNoDeploy or fetch.ErrNoTokens if there is nothing to fetch.
func (r Refresher) Import(ctx context.Context, contract string) (recognised bool, err error) {
	recognised, err = r.find(ctx, contract)
	if errors.Is(err, fetch.ErrNoContract) {
		err = fmt.Errorf("%s: %w", contract, r.askNodes(ctx, contract))
	}
	if err != nil {
		return false, err
	}
	return recognised, r.write(ctx, fetch.Refresh{Contract: contract})
}

// find looks for a contract in the active read tables, and returns whether its interface follows a standard.
func (r Refresher) find(ctx context.Context, contract string) (recognised bool, err error) {
	kinds, err := r.active(ctx, "ft", "sft", "nft")
	if err != nil {
		return false, err
	}
	chain, err := r.active(ctx, "chain")
	if err != nil {
		return false, err
	}
	for _, table := range []string{"contract", "unrecognised"} {
		for _, s := range kinds {
			if found, err := r.has(ctx, s, table, contract); err != nil || found {
				return table == "contract", err
			}
		}
	}
	switch deployed, err := r.has(ctx, chain[0], "contract", contract); {
	case err != nil:
		return false, err
	case deployed:
		return false, fmt.Errorf("%s: %w", contract, fetch.ErrNoTokens)
	}
	return false, fmt.Errorf("%s: %w", contract, fetch.ErrNoContract)
}

func (r Refresher) has(ctx context.Context, schema, table, contract string) (found bool, err error) {
	err = r.Log.Pool().QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+pgx.Identifier{schema, table}.Sanitize()+` WHERE contract_id = $1)`, contract).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for %s in %s.%s: %w", contract, schema, table, err)
	}
	return found, nil
}

// active returns the schemas with the active versions of projections, or ErrNotBuilt.
func (r Refresher) active(ctx context.Context, names ...string) ([]string, error) {
	rows, err := r.Log.Pool().Query(ctx, `SELECT name, version FROM strata.active WHERE name = ANY ($1) ORDER BY name`, names)
	if err != nil {
		return nil, fmt.Errorf("read which read tables are active: %w", err)
	}
	schemas, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		var s schema.Schema
		err := row.Scan(&s.Name, &s.Version)
		return s.String(), err
	})
	if err != nil {
		return nil, fmt.Errorf("read which read tables are active: %w", err)
	}
	if len(schemas) < len(names) {
		return nil, ErrNotBuilt
	}
	return schemas, nil
}

// write appends wishes to the log, in one transaction.
func (r Refresher) write(ctx context.Context, wishes ...fetch.Refresh) error {
	source := r.Source
	if source == "" {
		source = "admin"
	}
	now := time.Now()
	batch := make([]eventstore.Incoming, 0, len(wishes))
	defer func() {
		for i := range batch {
			batch[i].Body.Close()
		}
	}()
	for _, wish := range wishes {
		wish.RequestedAt = now.UTC()
		body, err := wish.Encode()
		if err != nil {
			return err
		}
		batch = append(batch, eventstore.Incoming{
			ReceivedAt: now, Source: source, Path: fetch.PathRefresh, ContentType: fetch.ContentType, Body: eventstore.NewBody(body),
		})
	}
	if len(batch) == 0 {
		return nil
	}
	if _, err := r.Log.AppendBatch(ctx, batch, nil); err != nil {
		return fmt.Errorf("write %d wishes into the log: %w", len(batch), err)
	}
	return nil
}
