package names

import (
	"context"
	"net/http"
	"slices"

	"strata/domain/shard"
	"strata/readapi/internal/engine"
)

type ownerInput struct {
	Blockchain string `path:"blockchain" doc:"Always stacks."`
	Address    string `path:"address" doc:"An address, or the principal of a contract. A subdomain's owner may also be a Bitcoin address."`
	UnanchoredInput
}

// bnsV1OwnedNames are the names of an address.
type bnsV1OwnedNames struct {
	Names []string `json:"names" nullable:"false"`
}

func (a *api) registerOwner() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-bns-v1-names-of-address", Path: "/v1/addresses/{blockchain}/{address}", Tag: tag, Summary: "Names and subdomains of the first registry that an address owns",
		Description: "Sorted, expired names included. The owner of a name is whoever holds its token, and that of a subdomain whom its last record names.",
		Statuses:    []int{http.StatusBadRequest}, Dependencies: engine.On("names", shard.Names),
	}, listOwned)
}

func listOwned(ctx context.Context, s *engine.Snapshot, in *ownerInput) (*bnsV1OwnedNames, error) {
	if in.Blockchain != blockchain {
		return nil, engine.BadRequest("Unsupported blockchain")
	}
	list := &bnsV1OwnedNames{Names: []string{}}
	if s.Active("names") == nil {
		return list, nil
	}
	b := s.Batch()
	text := func(name *string) []any { return []any{name} }
	held := engine.Query(b, text, `
		SELECT {names.name w}, w.name FROM {names}.name w WHERE w.holder = $1 AND w.listed`, in.Address)
	// Of each subdomain that the address ever had, the row that counts must still be the address's.
	subdomains := engine.Query(b, text, `
		SELECT ARRAY[last.source_seq, last.operation_seq], had.label || '.' || had.name
		FROM (SELECT DISTINCT d.name, d.label FROM {names}.subdomain d WHERE d.owner = $1) had
		CROSS JOIN LATERAL (
			SELECT * FROM {names}.subdomain d WHERE d.name = had.name AND d.label = had.label ORDER BY d.sequence DESC, d.n DESC, d.place DESC LIMIT 1
		) last
		CROSS JOIN LATERAL (SELECT w.listed FROM {names}.name w WHERE w.name = had.name LIMIT 1) w
		WHERE last.owner = $1 AND w.listed`, in.Address)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Names = append(append(list.Names, held.Rows...), subdomains.Rows...)
	slices.Sort(list.Names)
	s.TraceRows(func() []engine.Lookup {
		return []engine.Lookup{{
			Name: "subdomain", Table: tracedSubdomain, Where: `t.owner = $1`, Args: []any{in.Address}, Order: `t.name, t.label, t.sequence, t.n, t.place`,
		}}
	})
	return list, nil
}
