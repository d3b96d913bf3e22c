package names

import (
	"context"
	"net/http"
	"reflect"

	"strata/domain/shard"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
)

type namesInput struct {
	Page pageNumber `query:"page"`
	UnanchoredInput
}

type namespaceNamesInput struct {
	Namespace string     `path:"tld" doc:"A namespace, such as id."`
	Page      pageNumber `query:"page"`
	UnanchoredInput
}

// bnsV1Namespaces is the list of all namespaces.
type bnsV1Namespaces struct {
	Namespaces []string `json:"namespaces" nullable:"false"`
}

func (a *api) registerNamespaces() {
	describe := func(id, path, summary, about string, statuses ...int) engine.Operation {
		return engine.Operation{
			ID: id, Path: path, Tag: tag, Summary: summary, Description: about, RefusalBody: reflect.TypeFor[bnsV1Refusal](), Statuses: statuses,
			Class: answer.Tip, DependsOn: engine.On("names", shard.Names), TagByContent: true,
		}
	}
	engine.Get(a.Engine, describe("list-bns-v1-names", "/v1/names", "Names of the first registry, in pages of 100",
		"Sorted. Expired names are listed, revoked ones are not.", http.StatusBadRequest),
		func(ctx context.Context, s *engine.Snapshot, in *namesInput) ([]string, error) {
			found, err := readPage(ctx, s, "", in.Page)
			if err == nil && len(found) == 0 && in.Page.offset() > 0 {
				return nil, badRequest("Invalid page")
			}
			return found, err
		})
	engine.Get(a.Engine, describe("list-bns-v1-namespaces", "/v1/namespaces", "Namespaces of the first registry", "Sorted. Only namespaces whose launch, or the export of Stacks 1.0 with them, is in the log."), listNamespaces)
	engine.Get(a.Engine, describe("list-bns-v1-namespace-names", "/v1/namespaces/{tld}/names", "Names of a namespace of the first registry, in pages of 100",
		"Sorted. Expired names are listed, revoked ones are not.", http.StatusBadRequest), listNamespaceNames)
}

// nameList returns the list of all names, or of those of a namespace if it is not empty.
func nameList(namespace string) page.OrderedList {
	l := page.RankedList{
		Projection: "names", Name: "names", Rows: `{names}.name w WHERE w.listed`, Key: []string{"w.a", "w.b", "w.c"},
		Tie: "w.name", TieAscends: true, Sectioned: true, Columns: `w.name, w.source_seq`,
	}
	if namespace != "" {
		l.Name, l.Rows, l.Args = "names:"+namespace, `{names}.name w WHERE w.listed AND w.namespace = $1`, []any{namespace}
	}
	return page.OrderedList{RankedList: l}
}

// readPage reads a page of all names, or of those of a namespace if it is not empty.
func readPage(ctx context.Context, s *engine.Snapshot, namespace string, number pageNumber) ([]string, error) {
	if s.Active("names") == nil {
		return []string{}, nil
	}
	b := s.Batch()
	found, err := page.ReadWindows(ctx, b, []page.Window{{OrderedList: nameList(namespace), Offset: number.offset(), Limit: pageSize}},
		func(name *string) []any { return []any{name} },
		func(page, order string) string {
			return `SELECT ARRAY[p.source_seq], p.name FROM (` + page + `) p ORDER BY ` + order
		})
	if err != nil {
		return nil, err
	}
	s.Shows(func() []engine.Lookup { return listedLookups(found) })
	return append([]string{}, found...), nil
}

func listNamespaces(ctx context.Context, s *engine.Snapshot, _ *UnanchoredInput) (*bnsV1Namespaces, error) {
	list := &bnsV1Namespaces{Namespaces: []string{}}
	if s.Active("names") == nil {
		return list, nil
	}
	b := s.Batch()
	found := engine.Query(b, func(name *string) []any { return []any{name} }, `
		SELECT array_agg(s.source_seq), s.namespace FROM {names}.namespace s WHERE s.n <= 1 GROUP BY s.namespace ORDER BY s.namespace`)
	if err := b.RunLast(ctx); err != nil {
		return nil, err
	}
	s.Shows(func() []engine.Lookup {
		return []engine.Lookup{{Name: "namespace", Table: tracedNamespace, Where: `t.n <= $1`, Args: []any{1}, Order: `t.namespace, t.n`}}
	})
	list.Namespaces = append(list.Namespaces, found.Rows...)
	return list, nil
}

func listNamespaceNames(ctx context.Context, s *engine.Snapshot, in *namespaceNamesInput) ([]string, error) {
	missing := badRequest("No such namespace")
	if s.Active("names") == nil {
		return nil, missing
	}
	b := s.Batch()
	known := engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[s.source_seq], s.n::bigint FROM {names}.namespace s WHERE s.namespace = $1 AND s.n <= 1`, in.Namespace)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(known.Rows) == 0 {
		return nil, missing
	}
	s.Shows(func() []engine.Lookup { return namespaceLookups(in.Namespace) })
	found, err := readPage(ctx, s, in.Namespace, in.Page)
	if err == nil && len(found) == 0 && in.Page != "" {
		return nil, badRequest("Invalid page")
	}
	return found, err
}
