package readapi

import (
	"context"
	"net/http"
	"reflect"

	"strata/domain/ordinals"
	"strata/readapi/internal/answer"
)

// SatoshiInput names a satoshi.
type SatoshiInput struct {
	Ordinal satParameter `path:"ordinal"`
}

// satoshi is what follows from the number of a satoshi, and what is inscribed on it.
type satoshi struct {
	CoinbaseHeight uint64  `json:"coinbase_height" doc:"Of the block that mined it."`
	Cycle          uint64  `json:"cycle"`
	Decimal        string  `json:"decimal"`
	Degree         string  `json:"degree"`
	InscriptionID  *string `json:"inscription_id,omitempty" doc:"The one with the highest number; absent for none."`
	Epoch          uint64  `json:"epoch"`
	Name           string  `json:"name"`
	Offset         uint64  `json:"offset" doc:"Among the new satoshis of its block."`
	Percentile     string  `json:"percentile"`
	Period         uint64  `json:"period"`
	Rarity         string  `json:"rarity" enum:"common,uncommon,rare,epic,legendary,mythic"`
}

func (a *API) registerSatoshis() {
	r := ordinalsResource(resource{
		id: "getSatoshi", path: "/sats/{ordinal}", tag: "Satoshis", summary: "A satoshi", brief: true,
		about:  "What follows from its number, whether or not anything is inscribed on it.",
		of:     onTip(inscribed),
		refuse: refuseSatoshi, refusal: reflect.TypeFor[ordinalsErrorBody](), statuses: []int{http.StatusBadRequest},
	})
	get(a.Engine, r, a.satoshi)
	for _, path := range append([]string{r.path}, r.aliases...) {
		// Without a number it is no number, rather than another route; without the slash it is one.
		path = path[:len(path)-len("/{ordinal}")]
		a.plain("GET "+path, "unknown", routeNotFound)
		a.plain("GET "+path+"/{$}", r.id, func(w http.ResponseWriter, r *http.Request) {
			failureAnswer(errSatoshi).Serve(w, r, answer.Moment{})
		})
	}
	get(a.Engine, ordinalsResource(resource{
		id: "getSatoshiInscriptions", path: "/sats/{ordinal}/inscriptions", tag: "Satoshis", summary: "The inscriptions on a satoshi",
		about:  "By number, the highest first. Satoshi 0 also has those that are on no satoshi at all.",
		of:     onTip(inscribed),
		refuse: refuseSatoshi, refusal: reflect.TypeFor[ordinalsErrorBody](), statuses: []int{http.StatusBadRequest},
	}), a.satoshiInscriptions)
}

func (a *API) satoshi(ctx context.Context, s *snapshot, in *SatoshiInput) (*satoshi, error) {
	sat, ok := in.Ordinal.sat()
	if !ok {
		return nil, errSatoshi
	}
	found := &satoshi{
		CoinbaseHeight: sat.CoinbaseHeight(), Cycle: sat.Cycle(), Decimal: sat.Decimal(), Degree: sat.Degree(), Epoch: sat.Epoch(),
		Name: sat.Name(), Offset: sat.Offset(), Percentile: sat.Percentile(), Period: sat.Period(), Rarity: sat.Rarity().String(),
	}
	if s.active(inscribed) == nil {
		return found, nil
	}
	type top struct {
		id *string
	}
	b := s.batch()
	highest := query(b, func(t *top) []any { return []any{&t.id} }, `
		SELECT array_remove(ARRAY[i.source_seq], NULL), i.id
		FROM (VALUES (1)) AS always
		LEFT JOIN LATERAL (
			SELECT source_seq, id FROM {inscriptions}.inscription WHERE sat = $1 ORDER BY number DESC LIMIT 1
		) i ON true`, int64(sat))
	if err := b.runLast(ctx); err != nil {
		return nil, err
	}
	if row, ok := highest.first(); ok {
		found.InscriptionID = row.id
	}
	return found, nil
}

func (a *API) satoshiInscriptions(ctx context.Context, s *snapshot, in *struct {
	SatoshiInput
	OrdinalsPageInput
}) (*ordinalsPage[inscription], error) {
	sat, ok := in.Ordinal.sat()
	if !ok {
		return nil, errSatoshi
	}
	page := newOrdinalsPage[inscription](in.OrdinalsPageInput)
	if s.active(inscribed) == nil {
		return page, nil
	}
	b := s.batch()
	total := querySat(b, sat)
	rows, err := readWindows(ctx, b, []window{{onSat(sat), in.Offset, in.Limit}}, inscriptionColumns, inscriptionSQL)
	if err != nil {
		return nil, err
	}
	page.Total, _ = total.first()
	page.Results = shapeInscriptions(rows, a.bareTxID)
	return page, nil
}

// onSat is the list of the inscriptions on a sat. A sat with one has no list: its pages are near.
func onSat(sat ordinals.Sat) ordered {
	return ordered{rankedList{
		projection: inscribed, name: "sat:" + sat.String(), rows: `{inscriptions}.inscription c WHERE c.sat = $1`, args: []any{int64(sat)},
		key: []string{"c.number"}, columns: "c.id",
	}, true}
}

// querySat adds a query for how many inscriptions are on a sat.
func querySat(b *batch, sat ordinals.Sat) *result[int64] {
	return query(b, func(n *int64) []any { return []any{n} }, `
		SELECT ARRAY[]::bigint[], coalesce((SELECT inscriptions FROM {inscriptions}.satoshi WHERE sat = $1), 0)`, int64(sat))
}
