package bns

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

// Limits of lists.
const (
	limitDefault = 50
	limitNames   = 100  // of /names
	limitOthers  = 1000 // of the other lists; the public service has none
)

// PageInput holds the page parameters of a list. Greater limits than the greatest are lowered.
type PageInput struct {
	Limit  int64 `query:"limit" minimum:"0" default:"50" doc:"Rows of a page; 0 means the default. Greater numbers than 100 (for /names) or 1000 (for others) mean that."`
	Offset int64 `query:"offset" minimum:"0" default:"0" doc:"Rows before the page."`
}

func (in PageInput) limit(most int64) int {
	if in.Limit <= 0 {
		return limitDefault
	}
	return int(min(in.Limit, most))
}

// BNSHead is the beginning of every list.
type BNSHead struct {
	Marked
	Total            int64 `json:"total" doc:"Length of the whole list, whatever the page."`
	CurrentBurnBlock int64 `json:"current_burn_block" doc:"The Bitcoin height that decides what is expired."`
	Limit            int   `json:"limit"`
	Offset           int64 `json:"offset"`
}

// bnsNameList is a page of names.
type bnsNameList[T any] struct {
	BNSHead
	Names []T `json:"names" nullable:"false"`
}

// bnsCheckedRow is a name with its validity.
type bnsCheckedRow struct {
	BNSRow
	IsValid bool `json:"is_valid" doc:"Whether the name is neither expired nor revoked."`
}

// bnsRevocableRow is a name with its revocation.
type bnsRevocableRow struct {
	BNSRow
	Revoked bool `json:"revoked" doc:"Whether the zonefile resolver has revoked the name."`
}

func plainRow(r *nameRow, _ int64) BNSRow { return r.BNSRow }

func checkedRow(r *nameRow, height int64) bnsCheckedRow {
	return bnsCheckedRow{r.BNSRow, r.valid(height) && !r.revoked}
}

func revocableRow(r *nameRow, _ int64) bnsRevocableRow { return bnsRevocableRow{r.BNSRow, r.revoked} }

// fullNameOrder is the order of lists of names: their keys in tables, and the name among equal keys.
var fullNameOrder = []string{"c.key_a", "c.key_b", "c.key_c"}

// nameList returns the list of names with a name in the tables list and part. condition selects its rows among those of
// current names c; its arguments begin at $1.
func nameList(list, condition string, args ...any) page.OrderedList {
	return page.OrderedList{RankedList: page.RankedList{
		Projection: projection, Name: list, Args: args, Key: fullNameOrder, Tie: "c.full_name", TieAscends: true, Sectioned: true,
		Columns: "1 AS entry", // a column of the table would have to be read for each row that is skipped
		Rows:    `{bns}.name c WHERE c.until_height IS NULL AND c.owner IS NOT NULL` + condition,
	}}
}

// fillNames completes the query for a page of names.
func fillNames(page, order string) string {
	return `
SELECT r.* FROM (` + page + `) p
CROSS JOIN LATERAL (
	SELECT ` + nameSQL + ` FROM {bns}.name n WHERE n.full_name = p.tie AND n.until_height IS NULL LIMIT 1
) r ORDER BY ` + order
}

// listNames reads a page of a list of names. The functions in also add queries to its batch.
func listNames[T any](ctx context.Context, s *engine.Snapshot, network NetworkInput, in PageInput, most int64, list page.OrderedList, shape func(*nameRow, int64) T, also ...func(*engine.Batch)) (*bnsNameList[T], error) {
	limit := in.limit(most)
	b := s.Batch()
	for _, queue := range also {
		queue(b)
	}
	tip, lengths := queryTip(b), page.QueryLengths(b, projection, list.Name)
	rows, err := page.ReadWindows(ctx, b, []page.Window{{OrderedList: list, Offset: min(in.Offset, page.RankedOffsetMax), Limit: limit}}, nameColumns, fillNames)
	if err != nil {
		return nil, err
	}
	out := &bnsNameList[T]{BNSHead: BNSHead{network.marked(), lengths()[0], tip(), limit, in.Offset}, Names: []T{}}
	for i := range rows {
		out.Names = append(out.Names, shape(&rows[i], out.CurrentBurnBlock))
	}
	return out, nil
}

// NamesInput are the parameters of a list of all names.
type NamesInput struct {
	NetworkInput
	PageInput
}

// NamespaceNamesInput are the parameters of the list of a namespace's names.
type NamespaceNamesInput struct {
	NetworkInput
	Namespace string `path:"namespace" example:"btc"`
	PageInput
}

func (a *api) registerLists() {
	get(a, engine.Operation{ID: "list-bns-names", Path: "/names", Summary: "All names, in alphabetical order"},
		func(ctx context.Context, s *engine.Snapshot, in *NamesInput) (*bnsNameList[bnsCheckedRow], error) {
			return listNames(ctx, s, in.NetworkInput, in.PageInput, limitNames, nameList("names", ""), checkedRow)
		})
	get(a, engine.Operation{ID: "list-bns-valid-names", Path: "/names/valid", Summary: "Names that are not expired, in alphabetical order"},
		func(ctx context.Context, s *engine.Snapshot, in *NamesInput) (*bnsNameList[bnsRevocableRow], error) {
			return listNames(ctx, s, in.NetworkInput, in.PageInput, limitOthers, nameList("valid", " AND c.valid"), revocableRow)
		})
	get(a, engine.Operation{
		ID: "list-bns-expired-names", Path: "/names/expired", Summary: "Expired names, in alphabetical order",
		Description: "A name is expired from the block after its renewal height on. During the grace period that follows, its owner can renew it; after that, anyone can.",
	}, func(ctx context.Context, s *engine.Snapshot, in *NamesInput) (*bnsNameList[BNSRow], error) {
		return listNames(ctx, s, in.NetworkInput, in.PageInput, limitOthers, nameList("expired", " AND NOT c.valid"), plainRow)
	})
	get(a, engine.Operation{ID: "list-bns-revoked-names", Path: "/names/revoked", Summary: "Names that the zonefile resolver has revoked, in alphabetical order"},
		func(ctx context.Context, s *engine.Snapshot, in *NamesInput) (*bnsNameList[BNSRow], error) {
			return listNames(ctx, s, in.NetworkInput, in.PageInput, limitOthers, nameList("revoked", " AND c.revoked"), plainRow)
		})
	get(a, engine.Operation{ID: "list-bns-namespace-names", Path: "/names/namespace/{namespace}", Summary: "Names of a namespace, in alphabetical order"},
		a.listNamespaceNames)
}

func (a *api) listNamespaceNames(ctx context.Context, s *engine.Snapshot, in *NamespaceNamesInput) (*bnsNameList[BNSRow], error) {
	of := clean(in.Namespace)
	var known *engine.Result[namespaceRow]
	out, err := listNames(ctx, s, in.NetworkInput, in.PageInput, limitOthers, nameList("namespace:"+of, " AND c.namespace = $1", of), plainRow,
		func(b *engine.Batch) { known = queryNamespace(b, of) })
	if err == nil && out.Total == 0 && len(known.Rows) == 0 {
		return nil, errNamespace
	}
	return out, err
}
