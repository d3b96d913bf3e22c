package bns

import (
	"context"

	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
)

// NamespaceInput names a namespace.
type NamespaceInput struct {
	NetworkInput
	Namespace string `path:"namespace" example:"btc"`
}

// NamespacesInput are the parameters of the list of namespaces.
type NamespacesInput struct {
	NetworkInput
	PageInput
}

// BNSNamespace is a namespace as all answers show it.
type BNSNamespace struct {
	Name                string           `json:"namespace_string"`
	LaunchedAt          *schema.Integer  `json:"launched_at" nullable:"true" doc:"Bitcoin height; the Stacks height in the first registry if the namespace was airdropped; null until the launch."`
	Lifetime            schema.Integer   `json:"lifetime" doc:"Bitcoin blocks; 0 for names that never expire."`
	Manager             *string          `json:"namespace_manager"`
	PriceBase           schema.Integer   `json:"price_function_base"`
	PriceCoefficient    schema.Integer   `json:"price_function_coeff"`
	PriceBuckets        []schema.Integer `json:"price_function_buckets" nullable:"false" doc:"Exponents by the length of a label: 1 to 15, and 16 or more."`
	NoVowelDiscount     schema.Integer   `json:"price_function_no_vowel_discount"`
	NonAlphaDiscount    schema.Integer   `json:"price_function_nonalpha_discount"`
	ManagerTransferable bool             `json:"manager_transferable" doc:"Whether the manager transfers names, instead of their owners."`
	CanUpdatePrice      bool             `json:"can_update_price_function"`
	Import              string           `json:"namespace_import" doc:"The principal that may import names and launch the namespace."`
	RevealedAt          schema.Integer   `json:"revealed_at"`
	ManagerFrozen       bool             `json:"manager_frozen" doc:"Whether the manager can no longer be replaced."`
	TotalNames          int64            `json:"total_names"`
	ActiveNames         int64            `json:"active_names" doc:"Names that are neither expired nor revoked."`
}

// namespaceRow is a namespace as the tables store it.
type namespaceRow struct {
	BNSNamespace
	expired, revoked int64
	buckets          []string
}

// namespaceSQL selects what namespaceColumns reads from a namespace n.
const namespaceSQL = `{bns.namespace n}, n.namespace, n.launched_at::text, n.lifetime::text, n.manager, n.price_base::text, n.price_coeff::text, n.buckets::text[],
	n.no_vowel_discount::text, n.nonalpha_discount::text, n.manager_transferable, n.can_update_price, n.import_address, n.revealed_at::text, n.manager_frozen,
	coalesce((SELECT l.n FROM {bns}.list l WHERE l.name = 'namespace:' || n.namespace), 0), coalesce((SELECT l.n FROM {bns}.list l WHERE l.name = 'active:' || n.namespace), 0),
	coalesce((SELECT l.n FROM {bns}.list l WHERE l.name = 'lapsed:' || n.namespace), 0), coalesce((SELECT l.n FROM {bns}.list l WHERE l.name = 'disabled:' || n.namespace), 0)`

func namespaceColumns(r *namespaceRow) []any {
	return []any{
		&r.Name, &r.LaunchedAt, &r.Lifetime, &r.Manager, &r.PriceBase, &r.PriceCoefficient, &r.buckets, &r.NoVowelDiscount, &r.NonAlphaDiscount,
		&r.ManagerTransferable, &r.CanUpdatePrice, &r.Import, &r.RevealedAt, &r.ManagerFrozen, &r.TotalNames, &r.ActiveNames, &r.expired, &r.revoked,
	}
}

func (r *namespaceRow) shape() BNSNamespace {
	n := r.BNSNamespace
	n.PriceBuckets = make([]schema.Integer, len(r.buckets))
	for i, bucket := range r.buckets {
		n.PriceBuckets[i] = schema.Integer(bucket)
	}
	return n
}

// queryNamespace adds the query for a namespace to a batch.
func queryNamespace(b *engine.Batch, namespace string) *engine.Result[namespaceRow] {
	return engine.Query(b, namespaceColumns, `SELECT `+namespaceSQL+` FROM {bns}.namespace n WHERE n.namespace = $1 AND n.until_height IS NULL`, namespace)
}

// bnsNamespaceList is a page of namespaces.
type bnsNamespaceList struct {
	BNSHead
	Namespaces []BNSNamespace `json:"namespaces" nullable:"false"`
}

// bnsNamespaceDetails is a namespace with counts of its names.
type bnsNamespaceDetails struct {
	BNSNamespace
	ExpiredNames      int64           `json:"expired_names"`
	RevokedNames      int64           `json:"revoked_names"`
	FirstRegistration *schema.Integer `json:"first_registration" nullable:"true" doc:"The least registered_at of its names; null if none was registered."`
	LastRegistration  *schema.Integer `json:"last_registration" nullable:"true" doc:"The greatest registered_at of its names."`
}

// bnsNamespaceAnswer is a namespace.
type bnsNamespaceAnswer struct {
	Marked
	CurrentBurnBlock int64               `json:"current_burn_block"`
	Namespace        bnsNamespaceDetails `json:"namespace"`
}

func (a *api) registerNamespace() {
	get(a, engine.Operation{ID: "list-bns-namespaces", Path: "/namespaces", Summary: "Namespaces, in alphabetical order"}, a.listNamespaces)
	get(a, engine.Operation{
		ID: "get-bns-namespace", Path: "/namespaces/{namespace}", Summary: "A namespace", PointRead: true,
		Description: "A namespace that a contract has revealed is unknown until its launch, because a reveal prints nothing.",
	}, a.namespace)
}

func (a *api) listNamespaces(ctx context.Context, s *engine.Snapshot, in *NamespacesInput) (*bnsNamespaceList, error) {
	limit := in.limit(limitOthers)
	b := s.Batch()
	tip := queryTip(b)
	total := engine.Query(b, func(n *int64) []any { return []any{n} }, `SELECT {}, count(*) FROM {bns}.namespace WHERE until_height IS NULL`)
	rows := engine.Query(b, namespaceColumns, `SELECT `+namespaceSQL+` FROM (
		SELECT * FROM {bns}.namespace WHERE until_height IS NULL ORDER BY namespace OFFSET $1 LIMIT $2
	) n ORDER BY n.namespace`, min(in.Offset, page.RankedOffsetMax), int64(limit))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	n, _ := total.First()
	out := &bnsNamespaceList{BNSHead{in.marked(), n, tip(), limit, in.Offset}, []BNSNamespace{}}
	for i := range rows.Rows {
		out.Namespaces = append(out.Namespaces, rows.Rows[i].shape())
	}
	return out, nil
}

func (a *api) namespace(ctx context.Context, s *engine.Snapshot, in *NamespaceInput) (*bnsNamespaceAnswer, error) {
	of := clean(in.Namespace)
	type span struct{ first, last *schema.Integer }
	b := s.Batch()
	tip, rows := queryTip(b), queryNamespace(b, of)
	const registered = `SELECT r.registered_at::text FROM {bns}.name r
		WHERE r.namespace = $1 AND r.until_height IS NULL AND r.owner IS NOT NULL AND r.registered_at IS NOT NULL ORDER BY r.registered_at `
	spans := engine.Query(b, func(s *span) []any { return []any{&s.first, &s.last} }, `
		SELECT {}, (`+registered+`LIMIT 1), (`+registered+`DESC LIMIT 1)`, of)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	row, ok := rows.First()
	if !ok {
		return nil, errNamespace
	}
	times, _ := spans.First()
	return &bnsNamespaceAnswer{in.marked(), tip(), bnsNamespaceDetails{row.shape(), row.expired, row.revoked, times.first, times.last}}, nil
}
