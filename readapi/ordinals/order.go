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

// orderParameter is what inscriptions are to be sorted by; empty for the default.
type orderParameter inscriptionOrder

// Schema implements huma.SchemaProvider.
func (orderParameter) Schema(huma.Registry) *huma.Schema {
	return param.Constants(string(byGenesis), string(byNumber), string(byGenesis), string(bySat), string(byRarity))
}

// sortDirection is asc or desc; empty for desc.
type sortDirection param.Direction

// Schema implements huma.SchemaProvider.
func (sortDirection) Schema(huma.Registry) *huma.Schema {
	return param.Constants(param.Descending, "asc", param.Descending)
}

// sorting is the order of a list.
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

// sql is the order of inscriptions c. Those with the same sat or rarity have the highest number first, either way.
func (s sorting) sql() string {
	columns := map[inscriptionOrder]string{
		byGenesis: "c.height {d}, c.tx_index {d}, c.number {d}", byNumber: "c.number {d}", bySat: "c.sat {d}, c.number DESC", byRarity: "c.rarity {d}, c.number DESC",
	}[s.by]
	if s.descending {
		return strings.ReplaceAll(columns, "{d}", "DESC")
	}
	return strings.ReplaceAll(columns, "{d}", "ASC")
}

// inscriptionList is a list whose entries meet a condition.
func inscriptionList(name, condition string, args []any, key ...string) page.RankedList {
	return page.RankedList{
		Projection: ordinal.Inscribed, Name: name, Rows: `{inscriptions}.inscription c WHERE ` + condition, Args: args, Key: key, Columns: "c.id",
	}
}

// genesisList is a list in the order of reveals.
func genesisList(name, condition string, args ...any) *page.RankedList {
	l := inscriptionList(name, condition, args, "c.height", "c.tx_index", "c.number")
	return &l
}

// numberList has all inscriptions in the order of numbers.
func numberList() page.RankedList { return inscriptionList("number", "true", nil, "c.number") }

// satList has all inscriptions in the order of sats.
func satList() page.RankedList {
	l := inscriptionList("ordinal", "true", nil, "c.sat")
	l.Tie = "c.number"
	return l
}

// rarityList has the inscriptions of a rarity in the order of numbers. The rarity is part of the text, as the index is of
// some only.
func rarityList(rarity int16) page.RankedList {
	text := strconv.Itoa(int(rarity))
	return inscriptionList("rarity_number:"+text, "c.rarity = "+text, nil, "c.number")
}

// list is the list that has just what passes a filter, in its order; nil when there is none.
func (f *filter) list(s sorting) *page.OrderedList {
	var found *page.RankedList
	filters := f.count()
	all := filters == 0
	switch s.by {
	case byGenesis:
		switch {
		case all:
			found = genesisList("all", "true")
		case filters > 1:
		case len(f.addresses) == 1:
			found = genesisList("address:"+f.addresses[0], "", f.addresses[0])
			found.Rows = `{inscriptions}.owner c WHERE c.address = $1`
		case len(f.genesisAddresses) == 1:
			found = genesisList("genesis_address:"+f.genesisAddresses[0], "c.genesis_address = $1", f.genesisAddresses[0])
		case len(f.mimeTypes) == 1:
			found = genesisList("mime:"+f.mimeTypes[0], "c.mime_type = $1", f.mimeTypes[0])
		case len(f.rarities) == 1:
			text := strconv.Itoa(int(f.rarities[0]))
			found = genesisList("rarity:"+text, "c.rarity = "+text)
		case f.recursive != nil && *f.recursive:
			found = genesisList("recursive", "c.recursive")
		case f.recursive != nil:
			found = genesisList("not_recursive", "NOT c.recursive")
		case f.cursed != nil && *f.cursed:
			found = genesisList("cursed", "c.number < 0")
		case f.cursed != nil:
			found = genesisList("not_cursed", "c.number >= 0")
		}
	case byNumber:
		switch {
		case all:
			l := numberList()
			found = &l
		case filters == 1 && len(f.rarities) == 1:
			l := rarityList(f.rarities[0])
			found = &l
		}
	case bySat:
		if all && s.descending { // the other way it is two: see segments
			l := satList()
			found = &l
		}
	}
	if found == nil {
		return nil
	}
	return &page.OrderedList{RankedList: *found, Descending: s.descending}
}

// rarityLists are the lists of some rarities, or of all, one after the other, each with the highest number first.
func rarityLists(some []int16, descending bool) (lists []page.OrderedList) {
	for i := ordinals.Common; i <= ordinals.Mythic; i++ {
		rarity := int16(i)
		if descending {
			rarity = int16(ordinals.Mythic - i)
		}
		if some != nil && !contains(some, rarity) {
			continue
		}
		lists = append(lists, page.OrderedList{RankedList: rarityList(rarity), Descending: true})
	}
	return lists
}
