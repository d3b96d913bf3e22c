package names

import (
	"context"
	"encoding/hex"
	"math/big"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/hash"
	"strata/domain/lossy"
	"strata/domain/names"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

// blockchain is that of the names: the API knows no other.
const blockchain = "stacks"

// NameInput names a name or a subdomain.
type NameInput struct {
	Name string `path:"name" doc:"A name with its namespace, such as muneeb.id, or a subdomain, such as alice.muneeb.id."`
	UnanchoredInput
}

// bnsV1Name is a name or a subdomain. Heights are in the contract's clock: of Stacks blocks before epoch 3.0, of tenures
// since.
type bnsV1Name struct {
	Address      string          `json:"address" doc:"The owner."`
	Blockchain   string          `json:"blockchain" enum:"stacks"`
	ExpireBlock  *schema.Integer `json:"expire_block,omitempty" doc:"The last height at which the lease of the name holds, in the clock of the contract: Stacks blocks before epoch 3.0, tenures since. Absent for a name that never expires, and for a subdomain."`
	LastTxID     string          `json:"last_txid" doc:"The transaction of the last operation, in hex with 0x. Empty for what Stacks 1.0 had."`
	Resolver     *string         `json:"resolver,omitempty" doc:"The resolver in the zonefile that defines a subdomain; empty for none. Absent for a name."`
	Status       string          `json:"status" doc:"The last operation, such as name-register; registered_subdomain for a subdomain."`
	Zonefile     string          `json:"zonefile" doc:"Empty while no node has found it: zonefile_hash is what the chain says."`
	ZonefileHash string          `json:"zonefile_hash" doc:"Hex without 0x; empty for none."`

	Missing *bnsV1MissingZonefile `json:"zonefile_missing,omitempty" doc:"Why the zonefile is empty although the chain has its hash. Absent for a zonefile that is there, for Stacks 1.0, and for a subdomain."`

	ExpireTenureHeight *schema.Integer `json:"expire_tenure_height,omitempty" doc:"As expire_block, by its right name."`
	Expired            *bool           `json:"expired,omitempty" doc:"Whether the lease is over, so that the name does not resolve. Absent for a subdomain."`
	InGrace            *bool           `json:"in_grace,omitempty" doc:"Whether the lease ended within the last 5000 heights, so that the owner may renew it. Absent for a subdomain."`
	Source             string          `json:"source" enum:"bns-v1" doc:"The registry that the answer is from."`
	// Wallets resolve names in the second registry first.
	Second *view.RegisteredName `json:"bns_v2,omitempty" doc:"The name in the second registry, BNS-V2. Absent if it is not there, and for a subdomain."`
}

// source names the registry in answers.
const source = "bns-v1"

func (a *api) registerNames() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-bns-v1-name", Path: "/v1/names/{name}", Tag: tag, Summary: "A name or a subdomain of the first registry",
		Description: "The name as its last operation left it, even if it has expired. A revoked name does not exist. For a subdomain that is not on the chain, " +
			"the error names the resolver that may know it.",
		FailureBody: reflect.TypeFor[bnsV1Failure](), Statuses: []int{http.StatusNotFound},
	}, getName)
}

func getName(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsV1Name, error) {
	if strings.Count(in.Name, ".") == 2 {
		return getSubdomain(ctx, s, in.Name)
	}
	missing := notFound("cannot find name %s", in.Name)
	if !engine.Ready(s, "names") {
		return nil, missing
	}
	b := s.Batch()
	found, second := engine.Query(b, nameColumns, nameSQL, in.Name), view.QueueSecondName(b, in.Name)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, missing
	}
	s.TraceRows(row.lookups)
	shown := row.shape()
	if other, ok := second.First(); ok {
		shown.Second = &other
	}
	return shown, nil
}

// nameRow is the last operation of a name that is not revoked.
type nameRow struct {
	operation                    names.Operation
	owner                        string
	txid                         hash.Hash32
	zonefileHash, zonefile       []byte
	lease                        names.Lease
	revealed, launched, lifetime pgtype.Numeric
	n, clock                     int64
	name                         string
	missing                      missingRow
}

// nameSQL selects the last operation of a name, with its zonefile, the term of its namespace, and the clock.
const nameSQL = `
	SELECT {o.source_seq, names.zonefile z, s.source_seq}, o.operation, o.owner, o.txid, o.zonefile_hash, z.content, o.registered_at, o.imported_at,
	       s.revealed_at, s.launched_at, s.lifetime, o.n::bigint, tip.clock, o.name, m.attempts, m.waits, m.reason, m.due_at
	FROM (SELECT * FROM {names}.operation o WHERE o.name = $1 ORDER BY o.n DESC LIMIT 1) o
	CROSS JOIN LATERAL (SELECT clock FROM {names}.block ORDER BY height DESC LIMIT 1) tip
	LEFT JOIN LATERAL (SELECT * FROM {names}.zonefile z WHERE z.zonefile_hash = o.zonefile_hash LIMIT 1) z ON true
	LEFT JOIN LATERAL (SELECT * FROM {names}.want m WHERE m.zonefile_hash = o.zonefile_hash LIMIT 1) m ON true
	LEFT JOIN LATERAL (SELECT * FROM {names}.namespace s WHERE s.namespace = split_part(o.name, '.', 2) COLLATE "C" ORDER BY s.n DESC LIMIT 1) s ON true
	WHERE o.operation <> 6`

func nameColumns(r *nameRow) []any {
	return append([]any{
		&r.operation, &r.owner, &r.txid, &r.zonefileHash, &r.zonefile, &r.lease.RegisteredAt, &r.lease.ImportedAt,
		&r.revealed, &r.launched, &r.lifetime, &r.n, &r.clock, &r.name,
	}, r.missing.columns()...)
}

// readName reads a name; nil if there is none, or if it is revoked.
func readName(ctx context.Context, s *engine.Snapshot, name string) (*nameRow, error) {
	b := s.Batch()
	found := engine.Query(b, nameColumns, nameSQL, name)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, nil
	}
	s.TraceRows(row.lookups)
	return &row, nil
}

func (r *nameRow) shape() *bnsV1Name {
	expires := r.lease.Expires(&names.Term{RevealedAt: wholeNumber(r.revealed), LaunchedAt: wholeNumber(r.launched), Lifetime: wholeNumber(r.lifetime)})
	phase := names.PhaseAt(r.clock, expires)
	expired, inGrace := phase != names.Alive, phase == names.InGrace
	info := &bnsV1Name{
		Address: r.owner, Blockchain: blockchain, LastTxID: txidText(r.txid), Status: r.operation.String(), Zonefile: lossy.String(r.zonefile),
		ZonefileHash: hex.EncodeToString(r.zonefileHash), Expired: &expired, InGrace: &inGrace, Source: source,
		Missing: r.missing.shape(),
	}
	if expires != nil {
		height := schema.Integer(expires.String())
		info.ExpireBlock, info.ExpireTenureHeight = &height, &height
	}
	return info
}

// txidText returns a txid in hex; empty for what Stacks 1.0 had, which is in no transaction.
func txidText(txid hash.Hash32) string {
	if txid.IsZero() {
		return ""
	}
	return txid.String()
}

// wholeNumber returns the value of a numeric column that holds whole numbers; nil for null.
func wholeNumber(n pgtype.Numeric) *big.Int {
	if !n.Valid {
		return nil
	}
	return new(big.Int).Mul(n.Int, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.Exp)), nil))
}

type subdomainRow struct {
	owner, resolver      string
	txid                 hash.Hash32
	contentHash, content []byte
	name, label          string
}

// ownZonefile joins subdomain d with its zonefile record, or with its Stacks 1.0 zonefile.
const ownZonefile = `
	LEFT JOIN LATERAL (SELECT * FROM {names}.zonefile_record r WHERE d.n > 0 AND r.zonefile_hash = d.zonefile_hash AND r.place = d.place LIMIT 1) r ON true
	LEFT JOIN LATERAL (SELECT * FROM {names}.zonefile own WHERE own.zonefile_hash = d.content_hash LIMIT 1) own ON true`

// subdomainSQL selects the current row of a subdomain, with its own zonefile. A name that is revoked has no
// subdomains.
const subdomainSQL = `
	SELECT {d.source_seq, d.operation_seq, names.zonefile own}, d.owner, coalesce(d.resolver, z.resolver, ''), d.txid,
	       coalesce(d.content_hash, r.content_hash), coalesce(own.content, r.content), d.name, d.label
	FROM (
		SELECT * FROM {names}.subdomain d WHERE d.name = $1 AND d.label = $2 ORDER BY d.sequence DESC, d.n DESC, d.place DESC LIMIT 1
	) d` + ownZonefile + `
	LEFT JOIN LATERAL (SELECT * FROM {names}.zonefile z WHERE z.zonefile_hash = d.zonefile_hash LIMIT 1) z ON true
	WHERE EXISTS (SELECT FROM {names}.name w WHERE w.name = d.name AND w.listed)`

func subdomainColumns(r *subdomainRow) []any {
	return []any{&r.owner, &r.resolver, &r.txid, &r.contentHash, &r.content, &r.name, &r.label}
}

// getSubdomain answers a name with three labels. The reference redirects requests for unknown subdomains to the
// resolver, whose address a stranger wrote into a zonefile; here the error names it.
func getSubdomain(ctx context.Context, s *engine.Snapshot, full string) (*bnsV1Name, error) {
	missing := notFound("cannot find subdomain %s", full)
	if !engine.Ready(s, "names") {
		return nil, missing
	}
	label, parent, _ := strings.Cut(full, ".")
	b := s.Batch()
	found := engine.Query(b, subdomainColumns, subdomainSQL, parent, label)
	resolvers := engine.Query(b, func(resolver *string) []any { return []any{resolver} }, `
		SELECT ARRAY[d.source_seq], coalesce(d.resolver, z.resolver, '')
		FROM (SELECT * FROM {names}.subdomain d WHERE d.name = $1 ORDER BY d.n DESC LIMIT 1) d
		LEFT JOIN LATERAL (SELECT * FROM {names}.zonefile z WHERE z.zonefile_hash = d.zonefile_hash LIMIT 1) z ON true
		WHERE EXISTS (SELECT FROM {names}.name w WHERE w.name = d.name AND w.listed)
		AND NOT EXISTS (SELECT FROM {names}.subdomain d WHERE d.name = $1 AND d.label = $2)`, parent, label)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if row, ok := found.First(); ok {
		s.TraceRows(row.lookups)
		return row.shape(), nil
	}
	resolver, ok := resolvers.First()
	if !ok {
		return nil, missing
	}
	s.TraceRows(func() []engine.Lookup {
		return []engine.Lookup{{Name: "subdomain", Table: tracedSubdomain, Where: `t.name = $1`, Args: []any{parent}, Order: `t.label, t.sequence, t.n, t.place`}}
	})
	if !isWeb(resolver) {
		return nil, notFound("missing resolver from a malformed zonefile")
	}
	return nil, &failure{http.StatusNotFound, bnsV1Failure{Error: missing.Error(), Resolver: resolver}}
}

// isWeb reports whether a text is the URL of a web server.
func isWeb(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (r *subdomainRow) shape() *bnsV1Name {
	return &bnsV1Name{
		Address: r.owner, Blockchain: blockchain, LastTxID: txidText(r.txid), Resolver: &r.resolver, Status: "registered_subdomain",
		Zonefile: lossy.String(r.content), ZonefileHash: hex.EncodeToString(r.contentHash), Source: source,
	}
}
