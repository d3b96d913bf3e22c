package token

import (
	"fmt"
	"math/big"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/fetch"
	"strata/domain/token"
	"strata/projections/internal/token/internal/fact"
)

// Intervals at which dynamic tokens are fetched again.
const (
	dynamicDefault = 24 * time.Hour // of a notification without a ttl
	dynamicLeast   = time.Minute    // whatever shorter ttl a contract sets
)

// quiet is the time after a fetch in which a notification does not lead to another one: it is put off until the time is
// over, so that one fetch serves all notifications in quick succession. With each fetch in a row that found nothing new, the
// time doubles, up to quietMost: a contract that announces news in each block, and has none, is asked once a day.
const (
	quiet     = 5 * time.Minute
	quietMost = 24 * time.Hour
)

// fetched says when something was fetched last, and how many fetches in a row found nothing new.
type fetched struct {
	at     time.Time // zero for never
	inVain int16
}

// quietUntil returns the time before which no notification leads to another fetch.
func (f fetched) quietUntil() time.Time {
	pause := quiet
	for range f.inVain {
		if pause *= 2; pause >= quietMost {
			return f.at.Add(quietMost)
		}
	}
	return f.at.Add(pause)
}

// effectiveSQL selects the notification that is in effect for the token k: one that froze it, or else the latest one.
// Notifications for all tokens of the contract count as well.
const effectiveSQL = `
	SELECT mode, ttl::bigint FROM {schema}.notification
	WHERE contract_id = k.contract AND (token_id = k.id OR token_id IS NULL)
	ORDER BY mode = 'frozen' DESC, height DESC, tx_index DESC, event_index DESC LIMIT 1`

// notify stores a notification and wants its tokens fetched again, except for those that are frozen. As long as the
// contract is not recognised there is nothing to fetch; its notifications take effect once it is.
func (b *batch) notify(f fact.Notice, want raisedWant, recognised bool) error {
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
			*want.height, want.seq, f.TTL, f.TxIndex, f.EventIndex, text, f.Contract, string(f.Mode), f.Pointer)
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
	want.anew, want.notice = true, true
	return b.fetchAgain(f.Contract, concerned, want)
}

// frozen says whether an earlier notification has frozen a token, or the whole contract if id is nil.
func (b *batch) frozen(contract string, id *big.Int) (frozen bool, err error) {
	err = b.tx.QueryRow(b.ctx, b.sql(`
		SELECT EXISTS (SELECT FROM {schema}.notification
			WHERE contract_id = $1 AND (token_id = $2::numeric OR token_id IS NULL) AND mode = 'frozen')`), contract, decimal(id)).Scan(&frozen)
	if err != nil {
		return false, fmt.Errorf("read the notifications of %s: %w", contract, err)
	}
	return frozen, nil
}

// dynamic returns the intervals at which dynamic tokens are fetched again. Other tokens are not in the map.
func (b *batch) dynamic(keys []tokenKey) (map[tokenKey]time.Duration, error) {
	intervals := map[tokenKey]time.Duration{}
	if len(keys) == 0 {
		return intervals, nil
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
			intervals[key] = dynamicDefault
		default:
			intervals[key] = max(time.Duration(*ttl)*time.Second, dynamicLeast)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the notifications for %d tokens: %w", len(keys), err)
	}
	return intervals, nil
}

// fetchAgain raises wants for tokens of a contract, and for the documents and images that they refer to. If ids is nil
// it takes all tokens of the contract; of these it leaves out the ones that were frozen one by one, unless a person
// asks.
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

// fetchTokens is fetchAgain for tokens that are known to have rows.
func (b *batch) fetchTokens(contract string, ids []string, want raisedWant) error {
	wants := make([]raisedWant, 0, len(ids))
	fresh, err := b.freshReads(contract, ids, want)
	if err != nil {
		return err
	}
	for _, id := range ids {
		b.touchToken(tokenKey{contract, id})
		raised := want
		raised.want = b.readWant(contract, bigOf(id))
		raised.due = want.notWithin(fresh[id])
		wants = append(wants, raised)
	}
	resources, err := b.resourcesAgain(contract, ids, want)
	if err != nil {
		return err
	}
	return b.raise(append(wants, resources...))
}

// notWithin returns when a want is due if the same was fetched before.
func (r raisedWant) notWithin(before fetched) time.Time {
	if again := before.quietUntil(); r.notice && !before.at.IsZero() && again.After(r.due) {
		return again
	}
	return r.due
}

// freshReads returns when those of the tokens were read that were read lately, by their ids. A token whose document
// changes is not read in vain.
func (b *batch) freshReads(contract string, ids []string, want raisedWant) (map[string]fetched, error) {
	fresh := map[string]fetched{}
	if !want.notice {
		return fresh, nil
	}
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT t.token_id::text, t.read_at, least(t.in_vain, d.in_vain)
		FROM {schema}.token t
		LEFT JOIN {schema}.reference r ON r.contract_id = t.contract_id AND r.token_id = t.token_id AND r.role = 'document' AND r.locale = ''
		LEFT JOIN {schema}.document d ON d.uri_hash = r.uri_hash
		WHERE t.contract_id = $1 AND t.token_id = ANY ($2::numeric[]) AND t.read_at > $3`),
		contract, ids, want.due.Add(-quietMost))
	if err != nil {
		return nil, fmt.Errorf("find when %d tokens of %s were read: %w", len(ids), contract, err)
	}
	var id string
	var f fetched
	if _, err := pgx.ForEachRow(rows, []any{&id, &f.at, &f.inVain}, func() error {
		fresh[id] = f
		return nil
	}); err != nil {
		return nil, fmt.Errorf("find when %d tokens of %s were read: %w", len(ids), contract, err)
	}
	return fresh, nil
}

// tokensOf returns the ids of a contract's tokens, with or without those that were frozen one by one.
func (b *batch) tokensOf(contract string, withFrozen bool) ([]string, error) {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT token_id::text FROM {schema}.token t
		WHERE contract_id = $1 AND ($2 OR NOT EXISTS (
			SELECT FROM {schema}.notification n WHERE n.contract_id = $1 AND n.token_id = t.token_id AND n.mode = 'frozen'))
		ORDER BY token_id`), contract, withFrozen)
	if err != nil {
		return nil, fmt.Errorf("find the tokens of %s: %w", contract, err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find the tokens of %s: %w", contract, err)
	}
	return ids, nil
}

// known returns those of the ids that are tokens of the contract.
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

// resourcesAgain returns wants for the documents and images that tokens refer to, to fetch them once more. It leaves
// out what never changes (ipfs, ar and data URIs) once its content is known, and data documents always. For a notification,
// it also leaves out images whose failure was final.
func (b *batch) resourcesAgain(contract string, ids []string, want raisedWant) ([]raisedWant, error) {
	rows, err := b.tx.Query(b.ctx, b.sql(`
		SELECT DISTINCT r.role, coalesce(d.uri, i.uri) AS uri, coalesce(d.fetched_at, i.fetched_at), coalesce(d.in_vain, i.in_vain)
		FROM {schema}.reference r
		LEFT JOIN {schema}.document d ON r.role = 'document' AND d.uri_hash = r.uri_hash
		LEFT JOIN {schema}.image i ON r.role = 'image' AND i.uri_hash = r.uri_hash
		WHERE r.contract_id = $1 AND r.token_id = ANY ($2::numeric[])
		  AND (coalesce(d.source_seq, i.source_seq) IS NULL OR coalesce(d.uri, i.uri) !~* '^(ipfs|ar|data):')
		  AND (r.role <> 'document' OR d.uri !~* '^data:')
		  AND NOT ($3 AND r.role = 'image' AND i.failed_seq IS NOT NULL AND (i.uri ~* '^\s*data:' OR i.uri ~* '^\s*(ipfs|ar):' AND i.reason = $4))
		ORDER BY 1, 2`), contract, ids, want.notice, int16(fetch.ReasonImageUnsupported))
	if err != nil {
		return nil, fmt.Errorf("find what %d tokens of %s refer to: %w", len(ids), contract, err)
	}
	var wants []raisedWant
	var role, uri string
	var at pgtype.Timestamptz
	var inVain int16
	if _, err := pgx.ForEachRow(rows, []any{&role, &uri, &at, &inVain}, func() error {
		raised := want
		raised.want, raised.contract, raised.height = fetch.Want{Kind: fetch.Kind(role), URI: uri}, contract, nil
		raised.due = want.notWithin(fetched{at.Time, inVain})
		wants = append(wants, raised)
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
	for _, all := range referrals { // tokens of other contracts may refer to the same documents and images
		for _, r := range all {
			b.touchToken(r.tokenKey)
		}
	}
	return wants, nil
}

// decimal returns a number in decimal digits; nil, which is NULL to the database, for nil.
func decimal(id *big.Int) *string {
	if id == nil {
		return nil
	}
	s := id.String()
	return &s
}
