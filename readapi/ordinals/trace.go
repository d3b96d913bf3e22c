package ordinals

import (
	"context"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
)

// ordinalOperation returns the SQL expression for the JSON pointer of an operation in its event of the feed. b is the
// block of the operation; l is the alias of the row that has its transaction and operation indexes.
func ordinalOperation(l string) string {
	return `ARRAY['/apply/' || b.block_index || '/transactions/' || ` + l + `."transaction" || '/metadata/ordinal_operations/' || ` + l + `.operation]`
}

var (
	tracedInscribedBlock = &engine.TraceTable{
		Projection: ordinal.Inscribed, Name: "block", Key: "height", Values: "block_hash:hex time reveals moves",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY['/apply/' || t.block_index]`}},
	}
	tracedInscription = &engine.TraceTable{
		Projection: ordinal.Inscribed, Name: "inscription", Key: "id", Join: `JOIN {inscriptions}.block b ON b.height = t.height`,
		Values:  "number classic_number sat height tx_index content_type content_length fee genesis_address delegate",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: ordinalOperation("t")}},
	}
	tracedLocation = &engine.TraceTable{
		Projection: ordinal.Inscribed, Name: "location", Key: "sat height tx_index", Join: `JOIN {inscriptions}.block b ON b.height = t.height`,
		Values:  "txid:hex output_txid:hex vout sat_offset value address",
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: ordinalOperation("t")}},
	}
	// The current place of a satoshi is its last location.
	tracedSatoshi = &engine.TraceTable{
		Projection: ordinal.Inscribed, Name: "satoshi", Key: "sat", Values: "height tx_index inscriptions output_txid:hex vout",
		Join: `JOIN {inscriptions}.location l ON l.sat = t.sat AND l.height = t.height AND l.tx_index = t.tx_index
			JOIN {inscriptions}.block b ON b.height = t.height`,
		Sources: []engine.TraceSource{{Column: "source_seq", Pointers: ordinalOperation("l")}},
	}
)

func (a *api) traceInscriptions() {
	page := func(_ context.Context, _ *engine.Snapshot, _ any, page *ordinal.OrdinalsPage[inscription]) ([]engine.Lookup, error) {
		if page == nil {
			return nil, nil
		}
		return inscriptionLookups(page.Results...), nil
	}
	engine.Trace(a.Engine, "getInscriptions", page)
	engine.Trace(a.Engine, "getSatoshiInscriptions", page)
	engine.Trace(a.Engine, "getInscription", func(_ context.Context, _ *engine.Snapshot, _ *InscriptionInput, i *inscription) ([]engine.Lookup, error) {
		if i == nil {
			return nil, nil
		}
		return inscriptionLookups(*i), nil
	})
	engine.Trace(a.Engine, "getSatoshi", func(_ context.Context, _ *engine.Snapshot, _ *SatoshiInput, sat *satoshi) ([]engine.Lookup, error) {
		if sat == nil || sat.InscriptionID == nil {
			return nil, nil
		}
		return []engine.Lookup{{Name: "inscription", Table: tracedInscription, Where: `t.id = $1`, Args: []any{*sat.InscriptionID}, Order: `t.id`}}, nil
	})
	engine.Trace(a.Engine, "getInscriptionContent", contentLookups)
	engine.Trace(a.Engine, "getInscriptionTransfers", placeLookups)
	engine.Trace(a.Engine, "getTransfersPerBlock", transferLookups)
	engine.Trace(a.Engine, "getStatsInscriptionCount", func(_ context.Context, _ *engine.Snapshot, _ *ordinalsStatsInput, counts *inscriptionCounts) ([]engine.Lookup, error) {
		if counts == nil || len(counts.Results) == 0 {
			return nil, nil
		}
		heights := make([]string, len(counts.Results))
		for i, c := range counts.Results {
			heights[i] = c.BlockHeight
		}
		return []engine.Lookup{{
			Name: "block", Table: tracedInscribedBlock, Where: `t.height = ANY ($1::text[]::bigint[])`, Args: []any{heights}, Order: `t.height DESC`,
		}}, nil
	})
}

// inscriptionLookups returns the lookups of inscriptions, in their order, and of the current locations of their
// satoshis.
func inscriptionLookups(inscriptions ...inscription) []engine.Lookup {
	if len(inscriptions) == 0 {
		return nil
	}
	ids := make([]string, len(inscriptions))
	for i := range inscriptions {
		ids[i] = inscriptions[i].ID
	}
	args := []any{ids}
	const satoshis = `
		SELECT s.sat, s.height, s.tx_index, i.height AS genesis_height
		FROM {inscriptions}.inscription i JOIN {inscriptions}.satoshi s ON s.sat = i.sat WHERE i.id = ANY ($1)`
	return []engine.Lookup{
		{Name: "inscription", Table: tracedInscription, Where: `t.id = ANY ($1)`, Args: args, Order: `array_position($1::text[], t.id::text)`},
		{Name: "satoshi", Table: tracedSatoshi, Where: `t.sat IN (SELECT sat FROM (` + satoshis + `) s)`, Args: args, Order: `t.sat`},
		{
			Name: "location", Table: tracedLocation, Args: args, Order: `t.sat, t.height, t.tx_index`,
			Where: `(t.sat, t.height, t.tx_index) IN (SELECT sat, height, tx_index FROM (` + satoshis + `) s)`,
		},
		{
			Name: "block", Table: tracedInscribedBlock, Args: args, Order: `t.height DESC`,
			Where: `t.height IN (SELECT unnest(ARRAY[height, genesis_height]) FROM (` + satoshis + `) s)`,
		},
	}
}

// contentLookups returns the lookup of an inscription and its delegate.
func contentLookups(_ context.Context, s *engine.Snapshot, in *InscriptionInput, f *engine.File) ([]engine.Lookup, error) {
	if f == nil {
		return nil, nil
	}
	named, name := in.selectID()
	return []engine.Lookup{{
		Name: "inscription", Table: tracedInscription, Args: []any{name}, Order: `t.height, t.id`,
		Where: `t.id IN (
			SELECT unnest(ARRAY[i.id, i.delegate]) FROM (` + named + `) p JOIN {inscriptions}.inscription i ON i.id = p.id)`,
	}}, nil
}

// placeLookups returns the lookups of an inscription and of the locations of a page.
func placeLookups(_ context.Context, s *engine.Snapshot, in *inscriptionTransfersInput, page *ordinal.OrdinalsPage[satLocation]) ([]engine.Lookup, error) {
	if page == nil || len(page.Results) == 0 {
		return nil, nil
	}
	named, name := in.selectID()
	return append([]engine.Lookup{{
		Name: "inscription", Table: tracedInscription, Where: `t.id IN (SELECT id FROM (` + named + `) p)`, Args: []any{name}, Order: `t.id`,
	}}, locationLookups(`SELECT i.sat FROM (`+named+`) p JOIN {inscriptions}.inscription i ON i.id = p.id`, name, page.Results)...), nil
}

// transferLookups returns the lookups of the inscriptions of a page, and of the locations before and after each move.
func transferLookups(_ context.Context, s *engine.Snapshot, _ *blockTransfersInput, page *ordinal.OrdinalsPage[blockTransfer]) ([]engine.Lookup, error) {
	if page == nil || len(page.Results) == 0 {
		return nil, nil
	}
	var ids []string
	var places []satLocation
	for _, m := range page.Results {
		ids, places = append(ids, m.ID), append(places, m.From, m.To)
	}
	return append([]engine.Lookup{{
		Name: "inscription", Table: tracedInscription, Where: `t.id = ANY ($1)`, Args: []any{ids}, Order: `array_position($1::text[], t.id::text)`,
	}}, locationLookups(`SELECT sat FROM {inscriptions}.inscription WHERE id = ($1::text[])[(place.n + 1) / 2]`, ids, places)...), nil
}

// locationLookups returns the lookups of locations of satoshis, and of their blocks. satoshi is a query with one
// argument ($1) that selects the satoshi of the place place.n, counted from 1.
func locationLookups(satoshi string, argument any, places []satLocation) []engine.Lookup {
	heights, transactions := make([]int64, len(places)), make([]hash.Hash32, len(places))
	for i, place := range places {
		heights[i] = place.BlockHeight
		// shape has written the id, so that it always parses; a zero hash would match nothing.
		transactions[i], _ = hash.Parse32("0x" + place.TxID)
	}
	return []engine.Lookup{
		{
			Name: "location", Table: tracedLocation, Args: []any{argument, heights, transactions}, Order: `t.height DESC, t.tx_index DESC, t.sat`,
			Where: `(t.sat, t.height, t.txid) IN (
				SELECT (` + satoshi + `), place.height, place.txid
				FROM unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS place (height, txid, n))`,
		},
		{Name: "block", Table: tracedInscribedBlock, Where: `t.height = ANY ($1)`, Args: []any{heights}, Order: `t.height DESC`},
	}
}
