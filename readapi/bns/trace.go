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
