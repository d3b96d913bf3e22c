package inscriptions

import (
	"fmt"
	"strconv"
	"strings"

	"strata/domain/ordinals"
	"strata/projections/internal/ranked"
)

// Lists of which there is one. The others have names that end with what they are about.
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

// source is the rows of a list. Conditions of partial indexes are in the text, so that these are used.
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
	panic(fmt.Sprintf("inscriptions: there is no list %q", list))
}

// listed is what the lists of an inscription hang on.
type listed struct {
	number, sat int64
	key         key // of the reveal
	rarity      ordinals.Rarity
	recursive   bool
	mimeType    string
	genesis     *string // address of the inscriber
	address     *string // of the owner
}

// genesisKey is the place of an inscription in lists in the order of reveals.
func (i *listed) genesisKey() ranked.Key { return ranked.Key{i.key.height, i.key.tx, i.number} }

// each calls change for the lists that an inscription is in, but for that of its sat, which hangs on how many are on it.
func (i *listed) each(change func(list string, key ranked.Key)) {
	at := i.genesisKey()
	change(listAll, at)
	if i.recursive {
		change(listRecursive, at)
	} else {
		change(listNotRecursive, at)
	}
	if i.number < 0 {
		change(listCursed, at)
	} else {
		change(listNotCursed, at)
	}
	change(listMimeType+i.mimeType, at)
	rarity := strconv.Itoa(int(i.rarity))
	change(listRarity+rarity, at)
	change(listRarityNumber+rarity, ranked.Key{i.number})
	if i.address != nil {
		change(listAddress+*i.address, at)
	}
	if i.genesis != nil && *i.genesis != "" {
		change(listGenesisAddress+*i.genesis, at)
	}
	change(listNumber, ranked.Key{i.number})
	change(listOrdinal, ranked.Key{i.sat})
}
