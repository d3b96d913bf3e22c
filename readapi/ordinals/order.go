package ordinals

import (
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/ordinals"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
	"strata/readapi/internal/param"
)

// orderParameter is the sort key in a request; empty for the default.
type orderParameter inscriptionOrder

// Schema implements huma.SchemaProvider.
func (orderParameter) Schema(huma.Registry) *huma.Schema {
	return param.Constants(string(byGenesis), string(byNumber), string(byGenesis), string(bySat), string(byRarity))
}

// sortDirection is the sort direction in a request, asc or desc; empty for desc.
type sortDirection param.Direction

// Schema implements huma.SchemaProvider.
func (sortDirection) Schema(huma.Registry) *huma.Schema {
	return param.Constants(param.Descending, "asc", param.Descending)
}

// sorting is the order of a list of inscriptions.
type sorting struct {
	by         inscriptionOrder
	descending bool
}

func (in *inscriptionsInput) sorting() sorting {
	s := sorting{inscriptionOrder(in.OrderBy), in.Order != "asc"}
	if s.by == "" {
		s.by = byGenesis
	}
	return s
}

// sql returns the ORDER BY columns for inscriptions c. Of those with the same sat or rarity the highest number comes
// first, in either direction.
func (s sorting) sql() string {
	columns := map[inscriptionOrder]string{
		byGenesis: "c.height {d}, c.tx_index {d}, c.number {d}", byNumber: "c.number {d}", bySat: "c.sat {d}, c.number DESC", byRarity: "c.rarity {d}, c.number DESC",
	}[s.by]
	if s.descending {
		return strings.ReplaceAll(columns, "{d}", "DESC")
	}
	return strings.ReplaceAll(columns, "{d}", "ASC")
}

// inscriptionList returns the list of the inscriptions that meet a condition.
func inscriptionList(name, condition string, args []any, key ...string) page.RankedList {
	return page.RankedList{
		Projection: ordinal.Inscribed, Name: name, Rows: `{inscriptions}.inscription c WHERE ` + condition, Args: args, Key: key, Columns: "c.id",
	}
}

// genesisList returns the list of the inscriptions that meet a condition, in the order of their reveals.
func genesisList(name, condition string, args ...any) *page.RankedList {
	l := inscriptionList(name, condition, args, "c.height", "c.tx_index", "c.number")
	return &l
}

// numberList returns the list of all inscriptions in the order of numbers.
func numberList() page.RankedList { return inscriptionList("number", "true", nil, "c.number") }

// satList returns the list of all inscriptions in the order of sats.
func satList() page.RankedList {
	l := inscriptionList("ordinal", "true", nil, "c.sat")
	l.Tie = "c.number"
	return l
}

// rarityList returns the list of the inscriptions of a rarity in the order of numbers. The rarity is a literal in the
// SQL, not an argument, so that Postgres can use the partial index.
func rarityList(rarity int16) page.RankedList {
	text := strconv.Itoa(int(rarity))
	return inscriptionList("rarity_number:"+text, "c.rarity = "+text, nil, "c.number")
}

// list returns the stored list that holds exactly the inscriptions that pass a filter, in the given order; nil when
// there is none.
func (f *filter) list(s sorting) *page.OrderedList {
	var match *page.RankedList
	filters := f.count()
	all := filters == 0
	switch s.by {
	case byGenesis:
		switch {
		case all:
			match = genesisList("all", "true")
		case filters > 1:
		case len(f.addresses) == 1:
			match = genesisList("address:"+f.addresses[0], "", f.addresses[0])
			match.Rows = `{inscriptions}.owner c WHERE c.address = $1`
		case len(f.genesisAddresses) == 1:
			match = genesisList("genesis_address:"+f.genesisAddresses[0], "c.genesis_address = $1", f.genesisAddresses[0])
		case len(f.mimeTypes) == 1:
			match = genesisList("mime:"+f.mimeTypes[0], "c.mime_type = $1", f.mimeTypes[0])
		case len(f.rarities) == 1:
			text := strconv.Itoa(int(f.rarities[0]))
			match = genesisList("rarity:"+text, "c.rarity = "+text)
		case f.recursive != nil && *f.recursive:
			match = genesisList("recursive", "c.recursive")
		case f.recursive != nil:
			match = genesisList("not_recursive", "NOT c.recursive")
		case f.cursed != nil && *f.cursed:
			match = genesisList("cursed", "c.number < 0")
		case f.cursed != nil:
			match = genesisList("not_cursed", "c.number >= 0")
		}
	case byNumber:
		switch {
		case all:
			l := numberList()
			match = &l
		case filters == 1 && len(f.rarities) == 1:
			l := rarityList(f.rarities[0])
			match = &l
		}
	case bySat:
		if all && s.descending { // readSats reads two lists for the ascending order
			l := satList()
			match = &l
		}
	}
	if match == nil {
		return nil
	}
	return &page.OrderedList{RankedList: *match, Descending: s.descending}
}

// noRarity is the rarity of unbound inscriptions in the tables, which is below all others.
const noRarity = -1

// rarityLists returns the lists of some rarities in the order of rarities, each with the highest number first. nil means all
// rarities, and unbound inscriptions.
func rarityLists(some []int16, descending bool) (lists []page.OrderedList) {
	for i := int16(noRarity); i <= int16(ordinals.Mythic); i++ {
		rarity := i
		if descending {
			rarity = int16(ordinals.Mythic) + noRarity - i
		}
		if some != nil && !contains(some, rarity) {
			continue
		}
		lists = append(lists, page.OrderedList{RankedList: rarityList(rarity), Descending: true})
	}
	return lists
}
