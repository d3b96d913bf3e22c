package inscriptions

import (
	"fmt"
	"strconv"
	"strings"

	"strata/projections/internal/ranked"
)

// Names of lists. Those that end with a colon are prefixes; the name of a list goes on with its subject.
const (
	listAll          = "all"
	listRecursive    = "recursive"
	listNotRecursive = "not_recursive"
	listCursed       = "cursed"
	listNotCursed    = "not_cursed"
	listNumber       = "number"
	listOrdinal      = "ordinal"

	listMimeType       = "mime:"
	listRarity         = "rarity:"
	listRarityNumber   = "rarity_number:"
	listAddress        = "address:"
	listGenesisAddress = "genesis_address:"
	listSat            = "sat:"
)

// source returns the query of a list's rows. It spells out the conditions of partial indexes, so that the planner uses
// these.
func source(list string) (query string, args []any) {
	const (
		byGenesis = `SELECT height AS a, tx_index AS b, number AS c FROM {schema}.inscription`
		byNumber  = `SELECT number AS a, 0::bigint AS b, 0::bigint AS c FROM {schema}.inscription`
		bySat     = `SELECT sat AS a, 0::bigint AS b, 0::bigint AS c FROM {schema}.inscription`
	)
	switch list {
	case listAll:
		return byGenesis, nil
	case listRecursive:
		return byGenesis + ` WHERE recursive`, nil
	case listNotRecursive:
		return byGenesis + ` WHERE NOT recursive`, nil
	case listCursed:
		return byGenesis + ` WHERE number < 0`, nil
	case listNotCursed:
		return byGenesis + ` WHERE number >= 0`, nil
	case listNumber:
		return byNumber, nil
	case listOrdinal:
		return bySat, nil
	}
	prefix, of, _ := strings.Cut(list, ":")
	switch prefix + ":" {
	case listMimeType:
		return byGenesis + ` WHERE mime_type = $1`, []any{of}
	case listAddress:
		return `SELECT height AS a, tx_index AS b, number AS c FROM {schema}.owner WHERE address = $1`, []any{of}
	case listGenesisAddress:
		return byGenesis + ` WHERE genesis_address = $1`, []any{of}
	case listRarity:
		return byGenesis + ` WHERE rarity = ` + of, nil
	case listRarityNumber:
		return byNumber + ` WHERE rarity = ` + of, nil
	case listSat:
		return byNumber + ` WHERE sat = ` + of, nil
	}
	panic(fmt.Sprintf("inscriptions: unknown list %q", list))
}

// listKeys holds the properties of an inscription that decide which lists it is in, and where.
type listKeys struct {
	number, sat int64
	key         key   // of the reveal
	rarity      int16 // ordinals.Rarity, or noRarity
	recursive   bool
	mimeType    string
	genesis     *string // address of the inscriber; nil for none
	address     *string // of the owner; nil for none
}

// genesisKey returns the key of an inscription in lists that are in the order of reveals.
func (i *listKeys) genesisKey() ranked.Key { return ranked.Key{i.key.height, i.key.tx, i.number} }

// eachList calls change for each list that an inscription is in, except for the list of its sat: whether a sat has a
// list depends on how many inscriptions are on it.
func (i *listKeys) eachList(change func(list string, key ranked.Key)) {
	genesis := i.genesisKey()
	change(listAll, genesis)
	if i.recursive {
		change(listRecursive, genesis)
	} else {
		change(listNotRecursive, genesis)
	}
	if i.number < 0 {
		change(listCursed, genesis)
	} else {
		change(listNotCursed, genesis)
	}
	change(listMimeType+i.mimeType, genesis)
	rarity := strconv.Itoa(int(i.rarity))
	change(listRarity+rarity, genesis)
	change(listRarityNumber+rarity, ranked.Key{i.number})
	if i.address != nil {
		change(listAddress+*i.address, genesis)
	}
	if i.genesis != nil && *i.genesis != "" {
		change(listGenesisAddress+*i.genesis, genesis)
	}
	change(listNumber, ranked.Key{i.number})
	change(listOrdinal, ranked.Key{i.sat})
}
