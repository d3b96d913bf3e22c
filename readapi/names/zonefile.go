package names

import (
	"context"
	"encoding/hex"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"strata/domain/lossy"
	"strata/domain/shard"
	"strata/readapi/internal/engine"
)

// nameOnlyInput names a name or subdomain in an operation whose answer does not depend on the clock.
type nameOnlyInput struct{ NameInput }

// Dependencies returns what answers about the name depend on.
func (in *nameOnlyInput) Dependencies() engine.Dependencies { return dependenciesOf(in.Name) }

// dependenciesOf returns what answers about a name depend on, or about a subdomain of it.
func dependenciesOf(name string) engine.Dependencies {
	if strings.Count(name, ".") == 2 {
		_, name, _ = strings.Cut(name, ".")
	}
	return engine.On("names", shard.Name(name), shard.Zonefiles)
}

type zonefileInput struct {
	Name string `path:"name" doc:"A name with its namespace, or a subdomain."`
	Hash string `path:"zoneFileHash" doc:"The hash of a zonefile that the name has had, in hex with or without 0x: 20 bytes for a name, 16 for a subdomain."`
	UnanchoredInput
}

// Dependencies returns what answers about the name depend on.
func (in *zonefileInput) Dependencies() engine.Dependencies { return dependenciesOf(in.Name) }

// bnsV1Zonefile is a zonefile.
type bnsV1Zonefile struct {
	Zonefile string                `json:"zonefile" doc:"Empty while no node has found it."`
	Missing  *bnsV1MissingZonefile `json:"zonefile_missing,omitempty" doc:"Why the zonefile is empty although the chain has its hash. Absent for a zonefile that is there, and for a subdomain."`
}

func (a *api) registerZonefiles() {
	describe := func(id, path, summary, about string, statuses ...int) engine.Operation {
		return engine.Operation{
			ID: id, Path: "/v1/names/{name}" + path, Tag: tag, Summary: summary, Description: about, FailureBody: reflect.TypeFor[bnsV1Failure](), Statuses: statuses,
		}
	}
	engine.Get(a.Engine, describe("list-bns-v1-subdomains", "/subdomains", "Subdomains of a name of the first registry", "Sorted. Empty for an unknown or revoked name."), listSubdomains)
	engine.Get(a.Engine, describe("get-bns-v1-zonefile", "/zonefile", "The zonefile of a name of the first registry", "", http.StatusNotFound), getZonefile)
	engine.Get(a.Engine, describe("get-bns-v1-zonefile-by-hash", "/zonefile/{zoneFileHash}", "A zonefile that a name of the first registry has or had", "", http.StatusNotFound), getPastZonefile)
}

func listSubdomains(ctx context.Context, s *engine.Snapshot, in *nameOnlyInput) ([]string, error) {
	list := []string{}
	if s.Active("names") == nil {
		return list, nil
	}
	b := s.Batch()
	found := engine.Query(b, func(label *string) []any { return []any{label} }, `
		SELECT {names.subdomain d}, d.label FROM {names}.subdomain d
		WHERE d.name = $1 AND EXISTS (SELECT FROM {names}.name w WHERE w.name = $1 AND w.listed)`, in.Name)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	for _, label := range found.Rows {
		list = append(list, label+"."+in.Name)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

func getZonefile(ctx context.Context, s *engine.Snapshot, in *nameOnlyInput) (*bnsV1Zonefile, error) {
	missing := notFound("No such name or zonefile does not exist")
	if s.Active("names") == nil {
		return nil, missing
	}
	if strings.Count(in.Name, ".") == 2 {
		return readSubdomainZonefile(ctx, s, in.Name, nil, missing)
	}
	row, err := readName(ctx, s, in.Name)
	if err != nil {
		return nil, err
	}
	if row == nil || len(row.zonefileHash) == 0 {
		return nil, missing
	}
	return &bnsV1Zonefile{lossy.String(row.zonefile), row.missing.shape()}, nil
}

// pastZonefile is a zonefile that a name has or had; its content is nil while no node has found it.
type pastZonefile struct {
	content []byte
	missing missingRow
}

func getPastZonefile(ctx context.Context, s *engine.Snapshot, in *zonefileInput) (*bnsV1Zonefile, error) {
	missing := notFound("No such name or zonefile")
	hash, err := hex.DecodeString(strings.TrimPrefix(in.Hash, "0x"))
	if err != nil || len(hash) == 0 || s.Active("names") == nil {
		return nil, missing
	}
	if strings.Count(in.Name, ".") == 2 {
		return readSubdomainZonefile(ctx, s, in.Name, hash, missing)
	}
	b := s.Batch()
	found := engine.Query(b, func(r *pastZonefile) []any { return append([]any{&r.content}, r.missing.columns()...) }, `
		SELECT {o.source_seq, names.zonefile z}, z.content, m.attempts, m.waits, m.reason, m.due_at
		FROM (SELECT * FROM {names}.operation o WHERE o.name = $1 AND o.zonefile_hash = $2 LIMIT 1) o
		LEFT JOIN LATERAL (SELECT * FROM {names}.zonefile z WHERE z.zonefile_hash = o.zonefile_hash LIMIT 1) z ON true
		LEFT JOIN LATERAL (SELECT * FROM {names}.want m WHERE m.zonefile_hash = o.zonefile_hash LIMIT 1) m ON true
		WHERE EXISTS (SELECT FROM {names}.name w WHERE w.name = $1 AND w.listed)`, in.Name, hash)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, missing
	}
	s.TraceRows(func() []engine.Lookup {
		return []engine.Lookup{{
			Name: "operation", Table: tracedOperation, Where: `t.name = $1 AND t.zonefile_hash = $2`, Args: []any{in.Name, hash}, NewestFirst: []string{"t.n"},
		}}
	})
	return &bnsV1Zonefile{lossy.String(row.content), row.missing.shape()}, nil
}

// readSubdomainZonefile reads the zonefile of a subdomain: the current one, or one that it has had with a hash.
func readSubdomainZonefile(ctx context.Context, s *engine.Snapshot, full string, hash []byte, missing error) (*bnsV1Zonefile, error) {
	label, parent, _ := strings.Cut(full, ".")
	b := s.Batch()
	found := engine.Query(b, func(r *subdomainRow) []any { return []any{&r.content, &r.name, &r.label} }, `
		SELECT {d.source_seq, d.operation_seq, names.zonefile own}, coalesce(own.content, r.content), d.name, d.label
		FROM {names}.subdomain d`+ownZonefile+`
		WHERE d.name = $1 AND d.label = $2 AND ($3::bytea IS NULL OR coalesce(d.content_hash, r.content_hash) = $3) AND EXISTS (SELECT FROM {names}.name w WHERE w.name = d.name AND w.listed)
		ORDER BY d.sequence DESC, d.n DESC, d.place DESC LIMIT 1`, parent, label, hash)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := found.First()
	if !ok {
		return nil, missing
	}
	s.TraceRows(row.lookups)
	return &bnsV1Zonefile{Zonefile: lossy.String(row.content)}, nil
}
