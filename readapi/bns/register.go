package bns

import (
	"context"
	"net/http"

	"strata/domain/bns"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// LabelInput names a label of a namespace.
type LabelInput struct {
	NetworkInput
	Namespace string `path:"namespace" example:"btc"`
	Label     string `path:"label" example:"muneeb"`
}

// Reasons why a name can or can't be registered.
const (
	reasonAvailable   = "NAME_AVAILABLE"
	reasonTaken       = "NAME_TAKEN"
	reasonImported    = "NAME_IMPORTED"
	reasonExpired     = "NAME_EXPIRED"
	reasonNotLaunched = "NAMESPACE_NOT_LAUNCHED"
	reasonUnknown     = "NAMESPACE_NOT_FOUND"
)

// bnsRegistrableAnswer says whether a name can be registered.
type bnsRegistrableAnswer struct {
	Marked
	CanRegister   bool   `json:"can_register"`
	Reason        string `json:"reason" enum:"NAME_AVAILABLE,NAME_TAKEN,NAME_IMPORTED,NAME_EXPIRED,NAMESPACE_NOT_LAUNCHED"`
	CurrentOwner  string `json:"current_owner,omitempty"`
	PreviousOwner string `json:"previous_owner,omitempty" doc:"Owner of a lapsed name, which anyone can get by renewing it."`
	ExpiredAt     *int64 `json:"expired_at,omitempty" doc:"Bitcoin height at which the lapsed name expired."`
	IsManaged     bool   `json:"is_managed" doc:"Only the manager of the namespace can register names in it."`
}

func (a *api) registerCanRegister() {
	get(a, engine.Operation{
		ID: "get-bns-name-can-register", Path: "/names/{namespace}/{label}/can-register", Summary: "Whether a name can be registered", PointRead: true,
		Description: "A lapsed name can't: it can only be renewed, which makes whoever does so its owner.",
	}, a.canRegister)
}

func (a *api) canRegister(ctx context.Context, s *engine.Snapshot, in *LabelInput) (*bnsRegistrableAnswer, error) {
	name := bns.Name{Label: clean(in.Label), Namespace: clean(in.Namespace)}
	b := s.Batch()
	tip, names, namespaces := queryTip(b), queryName(b, name.String()), queryNamespace(b, name.Namespace)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	namespace, known := namespaces.First()
	row, exists := names.First()
	out := &bnsRegistrableAnswer{Marked: in.marked(), Reason: reasonAvailable, IsManaged: known && namespace.Manager != nil}
	switch {
	case !known && !exists:
		return nil, &failure{http.StatusNotFound, bnsFailureBody{Error: "Namespace not found", CanRegister: schema.Ptr(false), Reason: reasonUnknown}}
	case !known || namespace.LaunchedAt == nil:
		out.Reason = reasonNotLaunched
	case exists && row.expires != nil && bns.PhaseAt(tip(), *row.expires) == bns.Lapsed:
		out.Reason, out.PreviousOwner, out.ExpiredAt = reasonExpired, row.Owner, row.expires
	case exists && row.importedAt != nil:
		out.Reason, out.CurrentOwner = reasonImported, row.Owner
	case exists:
		out.Reason, out.CurrentOwner = reasonTaken, row.Owner
	case !bns.ValidLabel(name.Label):
		return nil, badRequest("Invalid name: a label has 1 to 48 of the characters a-z, 0-9, - and _")
	default:
		out.CanRegister = true
	}
	return out, nil
}
