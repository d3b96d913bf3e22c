package token

import (
	"fmt"
	"math/big"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/domain/token"
)

// How often what is dynamic is fetched again.
const (
	dynamicDefault = 24 * time.Hour
	dynamicLeast   = time.Minute // whatever a contract asks for
)

// effectiveSQL is the notification that counts for the token k: the first that froze it, or else the last.
// Those for all tokens of the contract count as well.
const effectiveSQL = `
	SELECT mode, ttl::bigint FROM {schema}.notification
	WHERE contract_id = k.contract AND (token_id = k.id OR token_id IS NULL)
	ORDER BY mode = 'frozen' DESC, height DESC, tx_index DESC, event_index DESC LIMIT 1`

// notify takes in a notification: unless its tokens are frozen, they are fetched once more. As long as the contract is not
// recognised, there is nothing to fetch; its notifications count when it is.
func (b *batch) notify(f notice, want raisedWant, recognised bool) error {
	ids := []*big.Int{nil} // nil for all
	if len(f.TokenIDs) > 0 {
		ids = f.TokenIDs
	}
	counts := false
	var concerned []string
	for _, id := range ids {
		frozen, err := b.frozen(f.Contract, id)
		if err != nil {
			return err
		}
		if frozen {
			continue
		}
		counts = true
		text := decimal(id)
		_, err = b.tx.Exec(b.ctx, b.sql(`
			INSERT INTO {schema}.notification (height, source_seq, ttl, tx_index, event_index, token_id, contract_id, mode, pointer)
			VALUES ($1, $2, $3, $4, $5, $6::numeric, $7, $8, $9)`),
			*want.height, want.seq, f.TTL, f.txIndex, f.eventIndex, text, f.Contract, string(f.Mode), f.pointer)
		if err != nil {
			return fmt.Errorf("write a notification: %w", err)
		}
		if id == nil {
			b.touch(f.Contract)
		} else {
			concerned = append(concerned, *text)
		}
	}
	if !recognised || !counts {
		return nil
	}
	want.anew = true
	return b.fetchAgain(f.Contract, concerned, want)
}

// frozen says whether a notification for a token, or with nil for all, comes too late.
func (b *batch) frozen(contract string, id *big.Int) (frozen bool, err error) {
	err = b.tx.QueryRow(b.ctx, b.sql(`
		SELECT EXISTS (SELECT FROM {schema}.notification
			WHERE contract_id = $1 AND (token_id = $2::numeric OR token_id IS NULL) AND mode = 'frozen')`), contract, decimal(id)).Scan(&frozen)
	if err != nil {
		return false, fmt.Errorf("read the notifications of %s: %w", contract, err)
	}
	return frozen, nil
}

// dynamic are the intervals at which tokens are fetched again by the clock; others are not in it.
func (b *batch) dynamic(keys []tokenKey) (map[tokenKey]time.Duration, error) {
	found := map[tokenKey]time.Duration{}
	if len(keys) == 0 {
		return found, nil
	}
	contracts, ids := columnsOf(keys)
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT k.contract, k.id::text, n.mode, n.ttl::bigint
		FROM unnest($1::text[], $2::numeric[]) AS k (contract, id)
		CROSS JOIN LATERAL (`+effectiveSQL+`) n`), contracts, ids)
	if err != nil {
		return nil, fmt.Errorf("read the notifications for %d tokens: %w", len(keys), err)
	}
	var key tokenKey
	var mode token.UpdateMode
	var ttl *int64
	if _, err := pgx.ForEachRow(rows, []any{&key.contract, &key.id, &mode, &ttl}, func() error {
		switch {
		case mode != token.Dynamic:
		case ttl == nil:
			found[key] = dynamicDefault
		default:
			found[key] = max(time.Duration(*ttl)*time.Second, dynamicLeast)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the notifications for %d tokens: %w", len(keys), err)
	}
	return found, nil
}

// fetchAgain raises wants for tokens of a contract, all of them when ids is empty, and for the documents and images that
// they refer to. Tokens that are frozen are left out, but by what froze them, and when a person asks.
func (b *batch) fetchAgain(contract string, ids []string, want raisedWant) error {
	var err error
	if ids == nil {
		ids, err = b.tokensOf(contract, want.priority == priorityPerson)
	} else {
		ids, err = b.known(contract, ids)
	}
	if err != nil {
		return err
	}
	return b.fetchTokens(contract, ids, want)
}

// fetchTokens is fetchAgain for tokens that are known to be there.
func (b *batch) fetchTokens(contract string, ids []string, want raisedWant) error {
	wants := make([]raisedWant, 0, len(ids))
	for _, id := range ids {
		b.touchToken(tokenKey{contract, id})
		want.want = b.readWant(contract, bigOf(id))
		wants = append(wants, want)
	}
	resources, err := b.resourcesAgain(contract, ids, want)
	if err != nil {
		return err
	}
	return b.raise(append(wants, resources...))
}

// tokensOf are the ids of a contract's tokens, with or without those that are frozen one by one.
func (b *batch) tokensOf(contract string, frozenToo bool) ([]string, error) {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT token_id::text FROM {schema}.token t
		WHERE contract_id = $1 AND ($2 OR NOT EXISTS (
			SELECT FROM {schema}.notification n WHERE n.contract_id = $1 AND n.token_id = t.token_id AND n.mode = 'frozen'))
		ORDER BY token_id`), contract, frozenToo)
	if err != nil {
		return nil, fmt.Errorf("find the tokens of %s: %w", contract, err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find the tokens of %s: %w", contract, err)
	}
	return ids, nil
}

// known are those of the ids that are tokens of the contract.
func (b *batch) known(contract string, ids []string) ([]string, error) {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT token_id::text FROM {schema}.token WHERE contract_id = $1 AND token_id = ANY ($2::numeric[]) ORDER BY token_id`), contract, ids)
	if err != nil {
		return nil, fmt.Errorf("look up %d tokens of %s: %w", len(ids), contract, err)
	}
	known, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look up %d tokens of %s: %w", len(ids), contract, err)
	}
	return known, nil
}

// resourcesAgain wants the documents and images that tokens refer to once more. What never changes is not among them,
// once it is here; a document that is in its URI never is.
func (b *batch) resourcesAgain(contract string, ids []string, want raisedWant) ([]raisedWant, error) {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT DISTINCT r.role, coalesce(d.uri, i.uri) AS uri
		FROM {schema}.reference r
		LEFT JOIN {schema}.document d ON r.role = 'document' AND d.uri_hash = r.uri_hash
		LEFT JOIN {schema}.image i ON r.role = 'image' AND i.uri_hash = r.uri_hash
		WHERE r.contract_id = $1 AND r.token_id = ANY ($2::numeric[])
		  AND (coalesce(d.source_seq, i.source_seq) IS NULL OR coalesce(d.uri, i.uri) !~* '^(ipfs|ar|data):')
		  AND (r.role <> 'document' OR d.uri !~* '^data:')
		ORDER BY 1, 2`), contract, ids)
	if err != nil {
		return nil, fmt.Errorf("find what %d tokens of %s refer to: %w", len(ids), contract, err)
	}
	var wants []raisedWant
	var role, uri string
	if _, err := pgx.ForEachRow(rows, []any{&role, &uri}, func() error {
		want.want, want.height = fetch.Want{Kind: fetch.Kind(role), URI: uri}, nil
		wants = append(wants, want)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("find what %d tokens of %s refer to: %w", len(ids), contract, err)
	}
	if b.touched == nil {
		return wants, nil
	}
	resources := make([]resourceKey, len(wants))
	for i, w := range wants {
		resources[i] = resourceKey{string(w.want.Kind), uriHash(w.want.URI)}
	}
	referrals, err := b.referrals(resources)
	if err != nil {
		return nil, err
	}
	for _, all := range referrals { // tokens of other contracts may refer to them as well
		for _, r := range all {
			b.touchToken(r.tokenKey)
		}
	}
	return wants, nil
}

// decimal is a number in digits; nil is null.
func decimal(id *big.Int) *string {
	if id == nil {
		return nil
	}
	s := id.String()
	return &s
}
