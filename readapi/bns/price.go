package bns

import (
	"context"
	"math/big"

	"strata/domain/bns"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// bnsPriceAnswer is a price.
type bnsPriceAnswer struct {
	Marked
	Units  string        `json:"units" enum:"uSTX"`
	Amount schema.Amount `json:"amount" doc:"µSTX that a registration or a renewal burns; 0 in a namespace whose manager registers names for free."`
}

func (a *api) registerPrice() {
	get(a, engine.Operation{
		ID: "get-bns-name-price", Path: "/prices/names/{name}", Summary: "Price of a name", PointRead: true,
		Description: "Computed from the price function of the namespace, whether the name is taken or not. 400 where the contract's computation fails, so that no one can buy it.",
	}, a.namePrice)
	get(a, engine.Operation{
		ID: "get-bns-namespace-price", Path: "/prices/namespaces/{namespace}", Summary: "Price of a namespace", PointRead: true,
		Description: "It depends on the length of the namespace alone.", Untraced: "it depends on the length of the namespace alone",
	}, func(_ context.Context, _ *engine.Snapshot, in *NamespaceInput) (*bnsPriceAnswer, error) {
		price, ok := bns.NamespacePrice(in.Namespace)
		if !ok {
			return nil, badRequest("Invalid namespace")
		}
		return &bnsPriceAnswer{in.marked(), "uSTX", schema.Amount(price.String())}, nil
	})
}

func (a *api) namePrice(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsPriceAnswer, error) {
	name, ok := bns.ParseName(clean(in.Name))
	if !ok || !bns.ValidLabel(name.Label) {
		return nil, badRequest("Invalid name")
	}
	b := s.Batch()
	rows := queryNamespace(b, name.Namespace)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := rows.First()
	if !ok {
		return nil, errNamespace
	}
	if row.Manager != nil {
		return &bnsPriceAnswer{in.marked(), "uSTX", "0"}, nil
	}
	function := row.priceFunction()
	price, err := function.NamePrice(name.Label)
	if err != nil {
		return nil, badRequest("The price of this name can't be computed")
	}
	return &bnsPriceAnswer{in.marked(), "uSTX", schema.Amount(price.String())}, nil
}

// priceFunction returns the price function of a namespace.
func (r *namespaceRow) priceFunction() bns.PriceFunction {
	number := func(n schema.Integer) *big.Int { return schema.WholeNumber(string(n)) }
	f := bns.PriceFunction{
		Base: number(r.PriceBase), Coefficient: number(r.PriceCoefficient), NonAlphaDiscount: number(r.NonAlphaDiscount), NoVowelDiscount: number(r.NoVowelDiscount),
	}
	for i := range f.Buckets {
		f.Buckets[i] = new(big.Int)
		if i < len(r.buckets) {
			f.Buckets[i] = schema.WholeNumber(r.buckets[i])
		}
	}
	return f
}
