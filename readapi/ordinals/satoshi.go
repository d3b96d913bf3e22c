package ordinals

import (
	"context"
	"net/http"
	"reflect"

	"strata/domain/ordinals"
	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/page"
)

// SatoshiInput names a satoshi.
type SatoshiInput struct {
	Ordinal satParameter `path:"ordinal"`
}

// satoshi describes a satoshi: the properties that follow from its number, and the inscription on it.
type satoshi struct {
	CoinbaseHeight uint64  `json:"coinbase_height" doc:"Height of the block that mined it."`
	Cycle          uint64  `json:"cycle"`
	Decimal        string  `json:"decimal"`
	Degree         string  `json:"degree"`
	InscriptionID  *string `json:"inscription_id,omitempty" doc:"The inscription with the highest number on this satoshi; absent for none."`
	Epoch          uint64  `json:"epoch"`
	Name           string  `json:"name"`
	Offset         uint64  `json:"offset" doc:"Position among the satoshis that its block mined."`
	Percentile     string  `json:"percentile"`
	Period         uint64  `json:"period"`
	Rarity         string  `json:"rarity" enum:"common,uncommon,rare,epic,legendary,mythic"`
}

func (a *api) registerSatoshis() {
	r := ordinal.OrdinalsResource(engine.Operation{
		ID: "getSatoshi", Path: "/sats/{ordinal}", Tag: "Satoshis", Summary: "A satoshi", PointRead: true,
		Description: "The properties that follow from its number, whether or not anything is inscribed on it.",
		Refuse:      ordinal.RefuseSatoshi, RefusalBody: reflect.TypeFor[ordinal.OrdinalsErrorBody](), Statuses: []int{http.StatusBadRequest},
	})
	engine.Get(a.Engine, r, a.satoshi)
	for _, path := range append([]string{r.Path}, r.Aliases...) {
		// An empty number ("/sats/") is an invalid number, not an unknown route; "/sats" is an unknown route.
		path = path[:len(path)-len("/{ordinal}")]
		a.Plain("GET "+path, "unknown", engine.RouteNotFound)
		a.Plain("GET "+path+"/{$}", r.ID, func(w http.ResponseWriter, r *http.Request) {
			engine.ClientErrorAnswer(ordinal.ErrSatoshi).Serve(w, r, answer.Moment{})
		})
	}
	engine.Get(a.Engine, ordinal.OrdinalsResource(engine.Operation{
		ID: "getSatoshiInscriptions", Path: "/sats/{ordinal}/inscriptions", Tag: "Satoshis", Summary: "The inscriptions on a satoshi",
		Description: "By number, the highest first. Unbound inscriptions are on no satoshi, not on satoshi 0.",
		Refuse:      ordinal.RefuseSatoshi, RefusalBody: reflect.TypeFor[ordinal.OrdinalsErrorBody](), Statuses: []int{http.StatusBadRequest},
	}), a.satoshiInscriptions)
}

func (a *api) satoshi(ctx context.Context, s *engine.Snapshot, in *SatoshiInput) (*satoshi, error) {
	sat, ok := in.Ordinal.sat()
	if !ok {
		return nil, ordinal.ErrSatoshi
	}
	body := &satoshi{
		CoinbaseHeight: sat.CoinbaseHeight(), Cycle: sat.Cycle(), Decimal: sat.Decimal(), Degree: sat.Degree(), Epoch: sat.Epoch(),
		Name: sat.Name(), Offset: sat.Offset(), Percentile: sat.Percentile(), Period: sat.Period(), Rarity: sat.Rarity().String(),
	}
	if s.Active(ordinal.Inscribed) == nil {
		return body, nil
	}
	type top struct {
		id *string
	}
	b := s.Batch()
	highest := engine.Query(b, func(t *top) []any { return []any{&t.id} }, `
		SELECT {inscriptions.inscription i}, i.id
		FROM (VALUES (1)) AS always
		LEFT JOIN LATERAL (
			SELECT source_seq, id FROM {inscriptions}.inscription WHERE sat = $1 ORDER BY number DESC LIMIT 1
		) i ON true`, int64(sat))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	if row, ok := highest.First(); ok {
		body.InscriptionID = row.id
	}
	return body, nil
}

func (a *api) satoshiInscriptions(ctx context.Context, s *engine.Snapshot, in *struct {
	SatoshiInput
	ordinal.OrdinalsPageInput
}) (*ordinal.OrdinalsPage[inscription], error) {
	sat, ok := in.Ordinal.sat()
	if !ok {
		return nil, ordinal.ErrSatoshi
	}
	list := ordinal.NewOrdinalsPage[inscription](in.OrdinalsPageInput)
	if s.Active(ordinal.Inscribed) == nil {
		return list, nil
	}
	b := s.Batch()
	total := querySat(b, sat)
	rows, err := page.ReadWindows(ctx, b, []page.Window{{OrderedList: onSat(sat), Offset: in.Offset, Limit: in.Limit}}, inscriptionColumns, inscriptionSQL)
	if err != nil {
		return nil, err
	}
	list.Total, _ = total.First()
	list.Results = a.showInscriptions(rows)
	return list, nil
}

// onSat returns the list of the inscriptions on a sat. The tables store no list for a sat with one inscription, which
// has no deep pages.
func onSat(sat ordinals.Sat) page.OrderedList {
	return page.OrderedList{RankedList: page.RankedList{
		Projection: ordinal.Inscribed, Name: "sat:" + sat.String(), Rows: `{inscriptions}.inscription c WHERE c.sat = $1`, Args: []any{int64(sat)},
		Key: []string{"c.number"}, Columns: "c.id",
	}, Descending: true}
}

// querySat adds to a batch the query for the number of inscriptions on a sat.
func querySat(b *engine.Batch, sat ordinals.Sat) *engine.Result[int64] {
	return engine.Query(b, func(n *int64) []any { return []any{n} }, `
		SELECT {}, coalesce((SELECT inscriptions FROM {inscriptions}.satoshi WHERE sat = $1), 0)`, int64(sat))
}
