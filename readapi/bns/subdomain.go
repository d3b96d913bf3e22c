package bns

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"strata/readapi/internal/engine"
)

// SubdomainInput names a subdomain.
type SubdomainInput struct {
	NetworkInput
	Name string `path:"name" doc:"The label of the subdomain, a dot, and the full name." example:"pay.muneeb.btc"`
}

// bnsSubdomainsAnswer are the subdomains of a name.
type bnsSubdomainsAnswer struct {
	Subdomains subdomainMap `json:"subdomains"`
	External   string       `json:"externalSubdomainFile,omitempty" doc:"Address of a file with further subdomains. The server does not fetch it."`
}

// bnsSubdomainAnswer is a subdomain.
type bnsSubdomainAnswer struct {
	Marked
	Subdomain string  `json:"subdomain"`
	Data      anyJSON `json:"data"`
}

// bnsSubdomainOwner is the owner of a subdomain.
type bnsSubdomainOwner struct {
	Marked
	Subdomain string `json:"subdomain"`
	Owner     string `json:"owner"`
}

func (a *api) registerSubdomain() {
	get(a, engine.Operation{ID: "list-bns-subdomains", Path: "/subdomains/{name}", Summary: "Subdomains in the zonefile of a name", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsSubdomainsAnswer, error) {
			z, err := resolve(ctx, s, in.Name)
			switch {
			case err != nil:
				return nil, err
			case z.Subdomains == nil && z.External == "":
				return nil, errNoSubdomain
			case z.Subdomains == nil:
				z.Subdomains = map[string]json.RawMessage{}
			}
			return &bnsSubdomainsAnswer{z.Subdomains, z.External}, nil
		})
	get(a, engine.Operation{ID: "get-bns-subdomain", Path: "/subdomain/{name}", Summary: "A subdomain", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *SubdomainInput) (*bnsSubdomainAnswer, error) {
			data, err := findSubdomain(ctx, s, in.Name)
			if err != nil {
				return nil, err
			}
			return &bnsSubdomainAnswer{in.marked(), in.Name, anyJSON(data)}, nil
		})
	get(a, engine.Operation{ID: "get-bns-subdomain-owner", Path: "/subdomain/{name}/owner", Summary: "Owner of a subdomain", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *SubdomainInput) (*bnsSubdomainOwner, error) {
			data, err := findSubdomain(ctx, s, in.Name)
			if err != nil {
				return nil, err
			}
			var members struct {
				Owner json.RawMessage `json:"owner"`
			}
			var owner string
			if json.Unmarshal(data, &members) != nil || json.Unmarshal(members.Owner, &owner) != nil || owner == "" {
				return nil, errSubdomain
			}
			return &bnsSubdomainOwner{in.marked(), in.Name, owner}, nil
		})
}

// findSubdomain reads what the zonefile of a name says of a subdomain.
func findSubdomain(ctx context.Context, s *engine.Snapshot, text string) (json.RawMessage, error) {
	label, name, ok := strings.Cut(text, ".")
	if !ok {
		return nil, errSubdomain
	}
	z, err := resolve(ctx, s, name)
	if err != nil {
		return nil, err
	}
	data, ok := z.Subdomains[label]
	switch {
	case ok:
		return data, nil
	case z.External != "":
		return nil, &failure{http.StatusNotFound, bnsFailureBody{
			Error: "Subdomain not found", Details: "the zonefile leaves subdomains to " + z.External + ", which the server does not fetch",
		}}
	case z.Subdomains == nil:
		return nil, errNoSubdomain
	}
	return nil, errSubdomain
}
