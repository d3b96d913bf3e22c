package ordinals

import (
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

// inscriptionLookups returns the lookups of inscriptions, in their order, and of the current locations of their
// satoshis.
func inscriptionLookups(shown []inscriptionRow) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	ids := make([]string, len(shown))
	for i := range shown {
		ids[i] = shown[i].id
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

// highestLookups returns the lookup of the highest inscription on a satoshi; of nothing for a nil id.
func highestLookups(id *string) []engine.Lookup {
	if id == nil {
		return nil
	}
	return []engine.Lookup{{Name: "inscription", Table: tracedInscription, Where: `t.id = $1`, Args: []any{*id}, Order: `t.id`}}
}

// countedLookups returns the lookup of the blocks whose inscriptions were counted.
func countedLookups(shown []countedBlock) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	heights := make([]int64, len(shown))
	for i := range shown {
		heights[i] = shown[i].height
	}
	return []engine.Lookup{{Name: "block", Table: tracedInscribedBlock, Where: `t.height = ANY ($1)`, Args: []any{heights}, Order: `t.height DESC`}}
}

// contentLookups returns the lookup of an inscription and its delegate.
func contentLookups(in *InscriptionInput) []engine.Lookup {
	named, name := in.selectID()
	return []engine.Lookup{{
		Name: "inscription", Table: tracedInscription, Args: []any{name}, Order: `t.height, t.id`,
		Where: `t.id IN (
			SELECT unnest(ARRAY[i.id, i.delegate]) FROM (` + named + `) p JOIN {inscriptions}.inscription i ON i.id = p.id)`,
	}}
}

// transferLookups returns the lookups of an inscription and of the locations of a page.
func transferLookups(in *InscriptionInput, shown []locationRow) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	named, name := in.selectID()
	return append([]engine.Lookup{{
		Name: "inscription", Table: tracedInscription, Where: `t.id IN (SELECT id FROM (` + named + `) p)`, Args: []any{name}, Order: `t.id`,
	}}, locationLookups(`SELECT i.sat FROM (`+named+`) p JOIN {inscriptions}.inscription i ON i.id = p.id`, name, shown)...)
}

// blockTransferLookups returns the lookups of the inscriptions of a page, and of the locations before and after each
// move.
func blockTransferLookups(shown []blockTransferRow) []engine.Lookup {
	if len(shown) == 0 {
		return nil
	}
	var ids []string
	var places []locationRow
	for i := range shown {
		m := &shown[i]
		ids, places = append(ids, m.id), append(places, m.from, m.to)
	}
	return append([]engine.Lookup{{
		Name: "inscription", Table: tracedInscription, Where: `t.id = ANY ($1)`, Args: []any{ids}, Order: `array_position($1::text[], t.id::text)`,
	}}, locationLookups(`SELECT sat FROM {inscriptions}.inscription WHERE id = ($1::text[])[(place.n + 1) / 2]`, ids, places)...)
}

// locationLookups returns the lookups of locations of satoshis, and of their blocks. satoshi is a query with one
// argument ($1) that selects the satoshi of the place place.n, counted from 1.
func locationLookups(satoshi string, argument any, places []locationRow) []engine.Lookup {
	heights, transactions := make([]int64, len(places)), make([]hash.Hash32, len(places))
	for i := range places {
		heights[i], transactions[i] = places[i].height, places[i].tx
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
