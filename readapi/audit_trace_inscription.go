package readapi

import (
	"context"

	"strata/domain/hash"
)

// ordinalOperation is where in an event of the feed an operation of block b is, which l names.
func ordinalOperation(l string) string {
	return `ARRAY['/apply/' || b.block_index || '/transactions/' || ` + l + `."transaction" || '/metadata/ordinal_operations/' || ` + l + `.operation]`
}

var (
	tracedInscribedBlock = &tracedTable{
		projection: inscribed, name: "block", key: "height", values: "block_hash:hex time reveals moves",
		sources: []tracedSource{{column: "source_seq", pointers: `ARRAY['/apply/' || t.block_index]`}},
	}
	tracedInscription = &tracedTable{
		projection: inscribed, name: "inscription", key: "id", join: `JOIN {inscriptions}.block b ON b.height = t.height`,
		values:  "number classic_number sat height tx_index content_type content_length fee genesis_address delegate",
		sources: []tracedSource{{column: "source_seq", pointers: ordinalOperation("t")}},
	}
	tracedLocation = &tracedTable{
		projection: inscribed, name: "location", key: "sat height tx_index", join: `JOIN {inscriptions}.block b ON b.height = t.height`,
		values:  "txid:hex output_txid:hex vout sat_offset value address",
		sources: []tracedSource{{column: "source_seq", pointers: ordinalOperation("t")}},
	}
	// Where a satoshi is, is its last location.
	tracedSatoshi = &tracedTable{
		projection: inscribed, name: "satoshi", key: "sat", values: "height tx_index inscriptions output_txid:hex vout",
		join: `JOIN {inscriptions}.location l ON l.sat = t.sat AND l.height = t.height AND l.tx_index = t.tx_index
			JOIN {inscriptions}.block b ON b.height = t.height`,
		sources: []tracedSource{{column: "source_seq", pointers: ordinalOperation("l")}},
	}
)

func (a *API) traceInscriptions() {
	page := func(_ context.Context, _ *snapshot, _ any, page *ordinalsPage[inscription]) ([]lookup, error) {
		if page == nil {
			return nil, nil
		}
		return inscriptionLookups(page.Results...), nil
	}
	traced(a.Engine, "getInscriptions", page)
	traced(a.Engine, "getSatoshiInscriptions", page)
	traced(a.Engine, "getInscription", func(_ context.Context, _ *snapshot, _ *InscriptionInput, i *inscription) ([]lookup, error) {
		if i == nil {
			return nil, nil
		}
		return inscriptionLookups(*i), nil
	})
	traced(a.Engine, "getSatoshi", func(_ context.Context, _ *snapshot, _ *SatoshiInput, sat *satoshi) ([]lookup, error) {
		if sat == nil || sat.InscriptionID == nil {
			return nil, nil
		}
		return []lookup{{name: "inscription", table: tracedInscription, where: `t.id = $1`, args: []any{*sat.InscriptionID}, order: `t.id`}}, nil
	})
	traced(a.Engine, "getInscriptionContent", contentLookups)
	traced(a.Engine, "getInscriptionTransfers", placeLookups)
	traced(a.Engine, "getTransfersPerBlock", transferLookups)
	traced(a.Engine, "getStatsInscriptionCount", func(_ context.Context, _ *snapshot, _ *ordinalsStatsInput, counts *inscriptionCounts) ([]lookup, error) {
		if counts == nil || len(counts.Results) == 0 {
			return nil, nil
		}
		heights := make([]string, len(counts.Results))
		for i, c := range counts.Results {
			heights[i] = c.BlockHeight
		}
		return []lookup{{
			name: "block", table: tracedInscribedBlock, where: `t.height = ANY ($1::text[]::bigint[])`, args: []any{heights}, order: `t.height DESC`,
		}}, nil
	})
}

// inscriptionLookups find inscriptions, in their order, and where their satoshis are.
func inscriptionLookups(inscriptions ...inscription) []lookup {
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
	return []lookup{
		{name: "inscription", table: tracedInscription, where: `t.id = ANY ($1)`, args: args, order: `array_position($1::text[], t.id::text)`},
		{name: "satoshi", table: tracedSatoshi, where: `t.sat IN (SELECT sat FROM (` + satoshis + `) s)`, args: args, order: `t.sat`},
		{
			name: "location", table: tracedLocation, args: args, order: `t.sat, t.height, t.tx_index`,
			where: `(t.sat, t.height, t.tx_index) IN (SELECT sat, height, tx_index FROM (` + satoshis + `) s)`,
		},
		{
			name: "block", table: tracedInscribedBlock, args: args, order: `t.height DESC`,
			where: `t.height IN (SELECT unnest(ARRAY[height, genesis_height]) FROM (` + satoshis + `) s)`,
		},
	}
}

// contentLookups find the inscription, and the one that it names to be shown in its place.
func contentLookups(_ context.Context, s *snapshot, in *InscriptionInput, f *file) ([]lookup, error) {
	if f == nil {
		return nil, nil
	}
	named, name := in.selectID()
	return []lookup{{
		name: "inscription", table: tracedInscription, args: []any{name}, order: `t.height, t.id`,
		where: `t.id IN (
			SELECT unnest(ARRAY[i.id, i.delegate]) FROM (` + named + `) p JOIN {inscriptions}.inscription i ON i.id = p.id)`,
	}}, nil
}

// placeLookups find an inscription and the places of a page.
func placeLookups(_ context.Context, s *snapshot, in *inscriptionTransfersInput, page *ordinalsPage[satLocation]) ([]lookup, error) {
	if page == nil || len(page.Results) == 0 {
		return nil, nil
	}
	named, name := in.selectID()
	return append([]lookup{{
		name: "inscription", table: tracedInscription, where: `t.id IN (SELECT id FROM (` + named + `) p)`, args: []any{name}, order: `t.id`,
	}}, locationLookups(`SELECT i.sat FROM (`+named+`) p JOIN {inscriptions}.inscription i ON i.id = p.id`, name, page.Results)...), nil
}

// transferLookups find the inscriptions of a page, and from where to where they went.
func transferLookups(_ context.Context, s *snapshot, _ *blockTransfersInput, page *ordinalsPage[blockTransfer]) ([]lookup, error) {
	if page == nil || len(page.Results) == 0 {
		return nil, nil
	}
	var ids []string
	var places []satLocation
	for _, m := range page.Results {
		ids, places = append(ids, m.ID), append(places, m.From, m.To)
	}
	return append([]lookup{{
		name: "inscription", table: tracedInscription, where: `t.id = ANY ($1)`, args: []any{ids}, order: `array_position($1::text[], t.id::text)`,
	}}, locationLookups(`SELECT sat FROM {inscriptions}.inscription WHERE id = ($1::text[])[(place.n + 1) / 2]`, ids, places)...), nil
}

// locationLookups find places of satoshis, and their blocks. A query with an argument selects the satoshi of the place n,
// from 1 on.
func locationLookups(satoshi string, argument any, places []satLocation) []lookup {
	heights, transactions := make([]int64, len(places)), make([]hash.Hash32, len(places))
	for i, place := range places {
		heights[i] = place.BlockHeight
		// It is written by us. What it isn't, would find nothing.
		transactions[i], _ = hash.Parse32("0x" + place.TxID)
	}
	return []lookup{
		{
			name: "location", table: tracedLocation, args: []any{argument, heights, transactions}, order: `t.height DESC, t.tx_index DESC, t.sat`,
			where: `(t.sat, t.height, t.txid) IN (
				SELECT (` + satoshi + `), place.height, place.txid
				FROM unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS place (height, txid, n))`,
		},
		{name: "block", table: tracedInscribedBlock, where: `t.height = ANY ($1)`, args: []any{heights}, order: `t.height DESC`},
	}
}
