package names

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"strata/domain/shard"
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
			Dependencies: engine.On("names", shard.Names),
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
	engine.Get(a.Engine, describe("list-bns-v1-namespaces", "/v1/namespaces", "Namespaces of the first registry", "Sorted. Namespaces that the log knows: by their launch, by names that were registered in them and are not revoked, or from the export of Stacks 1.0."), listNamespaces)
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
			return `SELECT {names.name p}, p.name FROM (` + page + `) p ORDER BY ` + order
		})
	if err != nil {
		return nil, err
	}
	return append([]string{}, found...), nil
}

// provenLaunch is the condition that a name proves that its namespace is launched, although the log may begin above the launch.
// Names are imported before it, so a name whose first operation is an import proves nothing, and neither do the other names of
// that namespace.
func provenLaunch(name string) string {
	return `2 <> (SELECT o.operation FROM {names}.operation o WHERE o.name = ` + name + ` ORDER BY o.n LIMIT 1)`
}

func listNamespaces(ctx context.Context, s *engine.Snapshot, _ *UnanchoredInput) (*bnsV1Namespaces, error) {
	list := &bnsV1Namespaces{Namespaces: []string{}}
	if s.Active("names") == nil {
		return list, nil
	}
	b := s.Batch()
	found := engine.Query(b, func(namespace *string) []any { return []any{namespace} }, `
		SELECT k.shown, k.namespace FROM (
			WITH RECURSIVE witness AS (
				(SELECT w.namespace, w.name, w.source_seq FROM {names}.name w WHERE w.listed ORDER BY w.namespace, w.a, w.b, w.c, w.name LIMIT 1)
				UNION ALL
				SELECT n.* FROM witness v CROSS JOIN LATERAL (
					SELECT w.namespace, w.name, w.source_seq FROM {names}.name w WHERE w.listed AND w.namespace > v.namespace
					ORDER BY w.namespace, w.a, w.b, w.c, w.name LIMIT 1
				) n
			)
			SELECT {names.namespace s} AS shown, s.namespace FROM {names}.namespace s WHERE s.n <= 1
			UNION ALL
			SELECT {names.name v}, v.namespace FROM witness v WHERE `+provenLaunch(`v.name`)+`
			AND NOT EXISTS (SELECT FROM {names}.namespace s WHERE s.namespace = v.namespace)
		) k ORDER BY k.namespace`)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	list.Namespaces = append(list.Namespaces, slices.Compact(found.Rows)...)
	return list, nil
}

func listNamespaceNames(ctx context.Context, s *engine.Snapshot, in *namespaceNamesInput) ([]string, error) {
	missing := badRequest("No such namespace")
	if s.Active("names") == nil {
		return nil, missing
	}
	b := s.Batch()
	known := engine.Query(b, func(*struct{}) []any { return nil }, `
		SELECT k.shown FROM (
			SELECT {s.source_seq} AS shown FROM {names}.namespace s WHERE s.namespace = $1 AND s.n <= 1
			UNION ALL
			SELECT {names.name w} FROM (SELECT * FROM {names}.name w WHERE w.listed AND w.namespace = $1 ORDER BY w.a, w.b, w.c, w.name LIMIT 1) w
			WHERE `+provenLaunch(`w.name`)+`
		) k`, in.Namespace)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if len(known.Rows) == 0 {
		return nil, missing
	}
	s.TraceRows(func() []engine.Lookup { return namespaceLookups(in.Namespace) })
	found, err := readPage(ctx, s, in.Namespace, in.Page)
	if err == nil && len(found) == 0 && in.Page != "" {
		return nil, badRequest("Invalid page")
	}
	return found, err
}
