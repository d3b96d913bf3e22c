package bns

import (
	"strata/domain/bns"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// BNSRow is a name as all lists show it.
type BNSRow struct {
	FullName      string        `json:"full_name"`
	Label         string        `json:"name_string"`
	Namespace     string        `json:"namespace_string"`
	Owner         string        `json:"owner"`
	RegisteredAt  schema.Amount `json:"registered_at" doc:"Bitcoin height of the registration or, without one, of the import; the Stacks height in the first registry if the name was airdropped."`
	RenewalHeight schema.Amount `json:"renewal_height" doc:"The last Bitcoin height at which the name is active; 0 for never expiring. For an imported name that was never renewed, it follows from the launch of the namespace."`
	Burned        schema.Amount `json:"stx_burn" doc:"µSTX burned by the last registration or renewal."`
}

// nameRow is a name as the tables store it.
type nameRow struct {
	BNSRow
	id            int64
	expires       *int64 // nil for never
	importedAt    *schema.Amount
	preorderedBy  *string
	preorder      []byte
	revoked       bool
	airdropped    bool
	listedPrice   *schema.Amount
	commission    *string
	renewalHeight string // as in the contract
}

// nameSQL selects what nameColumns reads from a name n.
const nameSQL = `{bns.name n}, n.full_name, n.label, n.namespace, n.owner, coalesce(n.registered_at, n.imported_at, 0)::text, coalesce(n.expires_at, 0)::text,
	n.stx_burn::text, n.id, n.expires_at, n.imported_at::text, n.preordered_by, n.preorder, n.revoked, n.airdropped, n.listed_price::text, n.commission, n.renewal_height::text`

func nameColumns(r *nameRow) []any {
	return []any{
		&r.FullName, &r.Label, &r.Namespace, &r.Owner, &r.RegisteredAt, &r.RenewalHeight, &r.Burned, &r.id, &r.expires, &r.importedAt, &r.preorderedBy,
		&r.preorder, &r.revoked, &r.airdropped, &r.listedPrice, &r.commission, &r.renewalHeight,
	}
}

// current is the condition for the present state of a name that exists.
const current = `n.until_height IS NULL AND n.owner IS NOT NULL`

// Statuses of names.
const (
	statusActive   = "active"
	statusSoon     = "expiring-soon"
	statusGrace    = "grace-period"
	statusExpired  = "expired"
	statusRevoked  = "revoked"
	statusesOfName = statusActive + "," + statusSoon + "," + statusGrace + "," + statusExpired + "," + statusRevoked
)

// valid reports whether the name is not expired at a Bitcoin height.
func (r *nameRow) valid(height int64) bool { return r.expires == nil || height <= *r.expires }

// status returns the status of the name at a Bitcoin height.
func (r *nameRow) status(height int64) string {
	switch {
	case r.revoked:
		return statusRevoked
	case r.expires == nil:
		return statusActive
	case height-*r.expires > bns.Grace:
		return statusExpired
	case height > *r.expires:
		return statusGrace
	case height > *r.expires-bns.SoonExpiring:
		return statusSoon
	}
	return statusActive
}

// expiry returns the last height at which the name is active; 0 for never expiring.
func (r *nameRow) expiry() int64 {
	if r.expires == nil {
		return 0
	}
	return *r.expires
}

// blocksLeft returns the number of blocks up to the expiry, below zero after it; 0 for never expiring.
func (r *nameRow) blocksLeft(height int64) int64 {
	if r.expires == nil {
		return 0
	}
	return *r.expires - height
}

// queryTip adds the query for the Bitcoin height that the contract reads in the newest block. The function that it
// returns gives the height once the batch has run.
func queryTip(b *engine.Batch) func() int64 {
	tip := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, b.burn_height FROM {bns}.block b ORDER BY b.height DESC LIMIT 1`)
	return func() int64 {
		height, _ := tip.First()
		return height
	}
}

// queryName adds the query for a name to a batch.
func queryName(b *engine.Batch, fullName string) *engine.Result[nameRow] {
	return engine.Query(b, nameColumns, `SELECT `+nameSQL+` FROM {bns}.name n WHERE n.full_name = $1 AND `+current, fullName)
}
