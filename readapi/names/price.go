package names

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf16"

	"github.com/jackc/pgx/v5/pgtype"

	"strata/domain/c32"
	"strata/domain/clarity"
	"strata/domain/names"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

type namespacePriceInput struct {
	Namespace string `path:"tld" doc:"A namespace, such as id."`
}

type namePriceInput struct {
	Name string `path:"name" doc:"A name with its namespace, such as muneeb.id."`
}

// bnsV1Price is what a name or a namespace costs.
type bnsV1Price struct {
	Units  string        `json:"units" enum:"STX" doc:"Always STX, although the amount is in µSTX."`
	Amount schema.Amount `json:"amount" doc:"µSTX"`
}

func newBnsV1Price(amount *big.Int) *bnsV1Price {
	return &bnsV1Price{"STX", schema.Amount(amount.String())}
}

func (a *api) registerPrices() {
	engine.Get(a.Engine, engine.Operation{
		ID: "get-bns-v1-namespace-price", Path: "/v2/prices/namespaces/{tld}", Tag: tag, Summary: "The price of a namespace of the first registry",
		Description: "It depends on the length of the namespace alone.", RefusalBody: reflect.TypeFor[bnsV1Refusal](), Statuses: []int{http.StatusBadRequest},
		Untraced: "the price is a constant of the contract", Dependencies: engine.Dependencies{Log: true}, // for a position
	}, func(_ context.Context, _ *engine.Snapshot, in *namespacePriceInput) (*bnsV1Price, error) {
		amount, err := names.NamespacePrice(in.Namespace)
		if err != nil || len(utf16.Encode([]rune(in.Namespace))) > names.NamespaceMax {
			return nil, badRequest("Invalid namespace")
		}
		return newBnsV1Price(amount), nil
	})
	engine.Get(a.Engine, engine.Operation{
		ID: "get-bns-v1-name-price", Path: "/v2/prices/names/{name}", Tag: tag, Summary: "The price of a name of the first registry",
		Description: "Computed by the price function of the namespace; a node is asked about a namespace whose properties are not in the log, and about one that Stacks 1.0 had.",
		RefusalBody: reflect.TypeFor[bnsV1Refusal](), Statuses: []int{http.StatusBadRequest},
	}, a.getNamePrice)
}

func (a *api) getNamePrice(ctx context.Context, s *engine.Snapshot, in *namePriceInput) (*bnsV1Price, error) {
	invalid := badRequest("Invalid name")
	label, namespace, _ := strings.Cut(in.Name, ".")
	if strings.Count(in.Name, ".") != 1 {
		return nil, invalid
	}
	function, old, err := readPriceFunction(ctx, s, namespace)
	if err != nil {
		return nil, err
	}
	var amount *big.Int
	if function == nil || old {
		amount, err = a.askNamePrice(ctx, label, namespace)
	}
	if function != nil && (!old || errors.Is(err, errNoNode)) {
		amount, err = function.NamePrice(label)
	}
	if errors.Is(err, names.ErrPrice) {
		return nil, invalid
	}
	if err != nil {
		return nil, err
	}
	return newBnsV1Price(amount), nil
}

// readPriceFunction reads the price function of a namespace; nil if it is not in the log. old means that it is
// the one that the namespace had in Stacks 1.0: whether it was changed since, only a node knows.
func readPriceFunction(ctx context.Context, s *engine.Snapshot, namespace string) (function *names.PriceFunction, old bool, err error) {
	if s.Active("names") == nil {
		return nil, false, nil
	}
	type row struct {
		n       int64
		numbers [4 + names.BucketCount]pgtype.Numeric
	}
	b := s.Batch()
	found := engine.Query(b, func(r *row) []any {
		buckets := []any{&r.n}
		for i := range r.numbers {
			buckets = append(buckets, &r.numbers[i])
		}
		return buckets
	}, `SELECT ARRAY[s.source_seq], s.n::bigint, s.price_base, s.price_coefficient, s.nonalpha_discount, s.no_vowel_discount`+bucketColumns()+`
		FROM {names}.namespace s WHERE s.namespace = $1 ORDER BY s.n DESC LIMIT 1`, namespace)
	if err := b.Run(ctx); err != nil {
		return nil, false, err
	}
	r, ok := found.First()
	if !ok {
		return nil, false, nil
	}
	s.TraceRows(func() []engine.Lookup { return namespaceLookups(namespace) })
	p := &names.PriceFunction{
		Base: wholeNumber(r.numbers[0]), Coefficient: wholeNumber(r.numbers[1]), NonAlphaDiscount: wholeNumber(r.numbers[2]), NoVowelDiscount: wholeNumber(r.numbers[3]),
	}
	for i := range p.Buckets {
		p.Buckets[i] = wholeNumber(r.numbers[4+i])
	}
	return p, r.n == 0, nil
}

// bucketColumns selects the buckets of a price function one by one.
func bucketColumns() string {
	var b strings.Builder
	for i := range names.BucketCount {
		fmt.Fprintf(&b, ", s.price_buckets[%d]", i+1)
	}
	return b.String()
}

// errNoNode is the answer to a request for a price that only a node knows while none answers.
var errNoNode = &failure{http.StatusServiceUnavailable, bnsV1Failure{Error: "no node answers, and the price function of the namespace is not in the log"}}

// askNamePrice asks a node for the price of a name. The error is names.ErrPrice if the contract has none.
func (a *api) askNamePrice(ctx context.Context, label, namespace string) (*big.Int, error) {
	if label == "" || len(label) > names.LabelMax || namespace == "" || len(namespace) > names.NamespaceMax {
		return nil, names.ErrPrice
	}
	if a.config.CallRead == nil {
		return nil, errNoNode
	}
	contract := clarity.Principal{Address: c32.Address{Version: c32.MainnetSingle}, Contract: names.ContractName}
	if a.Config.Network != engine.NetworkDefault {
		contract.Address.Version = c32.TestnetSingle
	}
	arguments := make([]clarity.Value, 2)
	for i, text := range []string{namespace, label} {
		var err error
		if arguments[i], err = clarity.NewBuffer([]byte(text)); err != nil {
			return nil, names.ErrPrice
		}
	}
	result, err := a.config.CallRead(ctx, contract, "get-name-price", arguments...)
	if err != nil {
		a.Config.Logger.LogAttrs(ctx, slog.LevelWarn, "a node did not tell the price of a name", slog.String("name", label+"."+namespace), slog.String("error", err.Error()))
		return nil, errNoNode
	}
	inner, ok := result.Inner()
	if amount, isNumber := inner.Int(); ok && isNumber && result.Type() == clarity.TypeOk {
		return amount, nil
	}
	return nil, names.ErrPrice
}
