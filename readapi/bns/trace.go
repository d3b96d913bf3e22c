package bns

import (
	"strata/readapi/internal/engine"
)

// fromPointer are the sources of tables whose rows have a pointer.
var fromPointer = []engine.TraceSource{{Column: "source_seq", Pointers: `ARRAY[t.pointer]`}}

var (
	tracedName = &engine.TraceTable{
		Projection: projection, Name: "name", Key: "full_name height",
		Values: "until_height id owner registered_at:text imported_at:text renewal_height:text expires_at stx_burn:text preordered_by preorder:hex airdropped revoked " +
			"listed_price:text commission events tx_index",
		Sources: fromPointer,
	}
	tracedNamespace = &engine.TraceTable{
		Projection: projection, Name: "namespace", Key: "namespace height",
		Values: "until_height launched_at:text revealed_at:text lifetime:text import_address manager manager_transferable manager_frozen can_update_price price_base:text " +
			"price_coeff:text nonalpha_discount:text no_vowel_discount:text tx_index",
		Sources: fromPointer,
	}
	tracedPrimary = &engine.TraceTable{
		Projection: projection, Name: "primary_name", Key: "principal height", Values: "until_height full_name id tx_index", Sources: fromPointer,
	}
	tracedZonefile = &engine.TraceTable{
		Projection: projection, Name: "zonefile", Key: "full_name height", Values: "until_height owner revoked content:hex tx_index", Sources: fromPointer,
	}
	tracedEvent = &engine.TraceTable{
		Projection: projection, Name: "event", Key: "n", Sources: fromPointer,
		Values: "height burn_height kind full_name namespace id sender recipient amount:text renewal_height:text tx_index event_index txid:hex",
	}
	tracedPreorder = &engine.TraceTable{
		Projection: projection, Name: "preorder", Key: "principal hash:hex height tx_index", Values: "used_height kind amount:text burn_height", Sources: fromPointer,
	}
)

// namesLookup returns the look-up of the present state of names.
func namesLookup(names []string) []engine.Lookup {
	if len(names) == 0 {
		return nil
	}
	return []engine.Lookup{{
		Name: "name", Table: tracedName, Where: `t.full_name = ANY ($1::text[]) AND t.until_height IS NULL`, Args: []any{names}, Order: `t.full_name`,
	}}
}

func nameLookups(rows []nameRow) []engine.Lookup {
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].FullName
	}
	return namesLookup(names)
}

// ownedLookups returns the look-up of names after the block at a height; nil for the newest one.
func ownedLookups(rows []ownedRow, height *int64) []engine.Lookup {
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].FullName
	}
	if height == nil || len(names) == 0 {
		return namesLookup(names)
	}
	return []engine.Lookup{{
		Name: "name", Table: tracedName, Where: `t.full_name = ANY ($1::text[]) AND ` + inForce("t", "$2", true), Args: []any{names, *height}, Order: `t.full_name`,
	}}
}

// primaryLookup returns the look-up of primary names after the block at a height; nil for the newest one.
func primaryLookup(principals []string, height *int64) engine.Lookup {
	l := engine.Lookup{
		Name: "primary_name", Table: tracedPrimary, Where: `t.principal = ANY ($1::text[]) AND t.until_height IS NULL`, Args: []any{principals}, Order: `t.principal`,
	}
	if height != nil {
		l.Where, l.Args = `t.principal = ANY ($1::text[]) AND `+inForce("t", "$2", true), append(l.Args, *height)
	}
	return l
}

func namespaceLookups(rows []namespaceRow) []engine.Lookup {
	if len(rows) == 0 {
		return nil
	}
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Name
	}
	return []engine.Lookup{{
		Name: "namespace", Table: tracedNamespace, Where: `t.namespace = ANY ($1::text[]) AND t.until_height IS NULL`, Args: []any{names}, Order: `t.namespace`,
	}}
}

func zonefileLookups(fullName string) []engine.Lookup {
	return []engine.Lookup{{
		Name: "zonefile", Table: tracedZonefile, Where: `t.full_name = $1 AND t.until_height IS NULL`, Args: []any{fullName}, Order: `t.height`,
	}}
}

func eventLookups(rows []eventRow) []engine.Lookup {
	if len(rows) == 0 {
		return nil
	}
	numbers := make([]int64, len(rows))
	for i := range rows {
		numbers[i] = rows[i].n
	}
	return []engine.Lookup{{Name: "event", Table: tracedEvent, Where: `t.n = ANY ($1::bigint[])`, Args: []any{numbers}, NewestFirst: []string{"t.n"}}}
}

func preorderLookups(principal string) []engine.Lookup {
	return []engine.Lookup{{
		Name: "preorder", Table: tracedPreorder, Where: `t.principal = $1 AND t.used_height IS NULL`, Args: []any{principal}, Order: `t.height DESC, t.tx_index DESC`,
	}}
}
