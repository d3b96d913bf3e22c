package bns

import (
	"context"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"strata/domain/bns"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/schema"
)

// NameInput names a name.
type NameInput struct {
	NetworkInput
	Name string `path:"name" doc:"The full name: label, dot, namespace." example:"muneeb.btc"`
}

// clean returns a text of a request in a form that the database takes. A text that no column can hold matches none.
func clean(text string) string {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "\uFFFD"
	}
	return text
}

// match is a name that a request asks for, with what most operations on it need.
type match struct {
	name       nameRow
	namespace  *namespaceRow // nil for one that was revealed by a contract and is not launched
	burnHeight int64
}

// find reads a name with its namespace. also adds queries to the batch.
func find(ctx context.Context, s *engine.Snapshot, fullName string, also ...func(*engine.Batch)) (*match, error) {
	parsed, ok := bns.ParseName(clean(fullName))
	if !ok {
		return nil, errName
	}
	b := s.Batch()
	tip, names, namespaces := queryTip(b), queryName(b, parsed.String()), queryNamespace(b, parsed.Namespace)
	for _, queue := range also {
		queue(b)
	}
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	f := &match{burnHeight: tip()}
	if namespace, ok := namespaces.First(); ok {
		f.namespace = &namespace
	}
	if f.name, ok = names.First(); !ok {
		if f.namespace == nil {
			return nil, errNamespace
		}
		return nil, errName
	}
	return f, nil
}

func (f *match) managed() bool { return f.namespace != nil && f.namespace.Manager != nil }

func (f *match) launched() bool { return f.namespace != nil && f.namespace.LaunchedAt != nil }

func (f *match) status() string { return f.name.status(f.burnHeight) }

// bnsNameDetails is a name with all that the contract knows of it.
type bnsNameDetails struct {
	BNSRow
	Revoked      bool           `json:"revoked"`
	ImportedAt   *schema.Amount `json:"imported_at" nullable:"true" doc:"Bitcoin height of the import; null if the name was not imported."`
	PreorderedBy *string        `json:"preordered_by"`
	IsValid      bool           `json:"is_valid" doc:"Whether the name is neither expired nor revoked."`
	Preorder     *string        `json:"hashedSaltedFqnPreorder" doc:"Hash of the preorder that registered the name, in hex; null without one."`
	ID           int64          `json:"id" doc:"Id of the non-fungible token that stands for the name."`
	Airdropped   bool           `json:"airdropped" doc:"Whether the name came from the first registry."`
	Raw          schema.Amount  `json:"contract_renewal_height" doc:"The renewal height as the contract stores it: 0 where the namespace decides."`
	Listing      *BNSListing    `json:"listing" doc:"Null if the name is not for sale."`
}

// BNSListing is a price that the owner asks.
type BNSListing struct {
	Price      schema.Amount `json:"price" doc:"µSTX"`
	Commission string        `json:"commission" doc:"The contract that takes a share of the sale."`
}

func (r *nameRow) listing() *BNSListing {
	if r.listedPrice == nil {
		return nil
	}
	return &BNSListing{*r.listedPrice, schema.OrEmpty(r.commission)}
}

func (r *nameRow) details(height int64) bnsNameDetails {
	d := bnsNameDetails{
		BNSRow: r.BNSRow, Revoked: r.revoked, ImportedAt: r.importedAt, PreorderedBy: r.preorderedBy, IsValid: r.valid(height) && !r.revoked,
		ID: r.id, Airdropped: r.airdropped, Raw: schema.Amount(r.renewalHeight), Listing: r.listing(),
	}
	if r.preorder != nil {
		d.Preorder = schema.Ptr(hex.EncodeToString(r.preorder))
	}
	return d
}

// bnsNameAnswer is a name with its status.
type bnsNameAnswer struct {
	Marked
	CurrentBurnBlock int64          `json:"current_burn_block"`
	Status           string         `json:"status" enum:"active,expiring-soon,grace-period,expired,revoked"`
	IsManaged        bool           `json:"is_managed" doc:"Whether the namespace has a manager."`
	Data             bnsNameDetails `json:"data"`
}

// bnsOwnerAnswer is the owner of a name.
type bnsOwnerAnswer struct {
	Marked
	Owner            string `json:"owner"`
	CurrentBurnBlock int64  `json:"current_burn_block"`
	RenewalHeight    int64  `json:"renewal_height" doc:"0 for never expiring."`
	Status           string `json:"status" enum:"active,expiring-soon,grace-period,expired,revoked"`
}

// bnsIDAnswer is the id of a name.
type bnsIDAnswer struct {
	Marked
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	ID        int64  `json:"id"`
}

// bnsRenewalAnswer says when a name has to be renewed.
type bnsRenewalAnswer struct {
	Marked
	CurrentBurnBlock  int64  `json:"current_burn_block"`
	RenewalHeight     int64  `json:"renewal_height" doc:"0 for never expiring."`
	BlocksUntilExpiry int64  `json:"blocks_until_expiry" doc:"Below zero after the expiry; 0 for never expiring."`
	Status            string `json:"status" enum:"active,expiring-soon,grace-period,expired,revoked"`
	NeedsRenewal      bool   `json:"needs_renewal" doc:"Whether the name is expired, or expires soon."`
	IsManaged         bool   `json:"is_managed"`
}

// bnsResolvableAnswer says whether the resolver resolves a name.
type bnsResolvableAnswer struct {
	Marked
	CanResolve       bool   `json:"can_resolve"`
	RenewalHeight    int64  `json:"renewal_height" doc:"0 for never expiring."`
	Owner            string `json:"owner"`
	CurrentBurnBlock int64  `json:"current_burn_block"`
	Error            string `json:"error,omitempty" enum:"Name expired,Name is revoked"`
}

func (a *api) registerName() {
	get(a, engine.Operation{ID: "get-bns-name", Path: "/names/{name}", Summary: "A name", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsNameAnswer, error) {
			f, err := find(ctx, s, in.Name)
			if err != nil {
				return nil, err
			}
			return &bnsNameAnswer{in.marked(), f.burnHeight, f.status(), f.managed(), f.name.details(f.burnHeight)}, nil
		})
	get(a, engine.Operation{ID: "get-bns-name-owner", Path: "/names/{name}/owner", Summary: "Owner of a name", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsOwnerAnswer, error) {
			f, err := findLaunched(ctx, s, in.Name)
			if err != nil {
				return nil, err
			}
			return &bnsOwnerAnswer{in.marked(), f.name.Owner, f.burnHeight, f.name.expiry(), f.status()}, nil
		})
	get(a, engine.Operation{ID: "get-bns-name-id", Path: "/names/{name}/id", Summary: "Id of the token that stands for a name", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsIDAnswer, error) {
			f, err := find(ctx, s, in.Name)
			if err != nil {
				return nil, err
			}
			return &bnsIDAnswer{in.marked(), f.name.Label, f.name.Namespace, f.name.id}, nil
		})
	get(a, engine.Operation{ID: "get-bns-name-renewal", Path: "/names/{name}/renewal", Summary: "When a name has to be renewed", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsRenewalAnswer, error) {
			f, err := find(ctx, s, in.Name)
			if err != nil {
				return nil, err
			}
			left := f.name.blocksLeft(f.burnHeight)
			return &bnsRenewalAnswer{
				in.marked(), f.burnHeight, f.name.expiry(), left, f.status(), f.name.expires != nil && left < bns.SoonExpiring, f.managed(),
			}, nil
		})
	get(a, engine.Operation{
		ID: "get-bns-name-can-resolve", Path: "/names/{name}/can-resolve", Summary: "Whether a name resolves", PointRead: true,
		Description: "As the resolver of zonefiles decides: a name resolves until the end of the grace period, unless it is revoked.",
	}, func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsResolvableAnswer, error) {
		f, err := findLaunched(ctx, s, in.Name)
		if err != nil {
			return nil, err
		}
		out := &bnsResolvableAnswer{in.marked(), true, f.name.expiry(), f.name.Owner, f.burnHeight, ""}
		switch f.status() {
		case statusRevoked:
			out.CanResolve, out.Error = false, "Name is revoked"
		case statusExpired:
			out.CanResolve, out.Error = false, "Name expired"
		}
		return out, nil
	})
}

// findLaunched is find for a name of a launched namespace.
func findLaunched(ctx context.Context, s *engine.Snapshot, fullName string) (*match, error) {
	f, err := find(ctx, s, fullName)
	if err == nil && !f.launched() {
		err = errLaunch
	}
	return f, err
}
