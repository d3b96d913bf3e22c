package bns

import (
	"context"
	"encoding/hex"
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/bns"
	"strata/readapi/internal/engine"
)

// zonefileRow is an entry of the resolver as the tables store it.
type zonefileRow struct {
	owner   *string
	content []byte
	revoked bool
}

// queryZonefile adds the query for the zonefile of a name to a batch.
func queryZonefile(b *engine.Batch, fullName string) *engine.Result[zonefileRow] {
	return engine.Query(b, func(r *zonefileRow) []any { return []any{&r.owner, &r.content, &r.revoked} }, `
		SELECT {bns.zonefile z}, z.owner, z.content, z.revoked FROM {bns}.zonefile z WHERE z.full_name = $1 AND z.until_height IS NULL`, fullName)
}

// Errors of the public service about zonefiles.
var (
	errUnresolved  = notFound("Name not found, expired or revoked")
	errNoZonefile  = notFound("No zonefile found or unable to decode")
	errFormat      = badRequest("Invalid zonefile format")
	errStale       = badRequest("Zonefile needs to be updated (owner mismatch)")
	errNoBTC       = notFound("No BTC address set in zonefile")
	errNoneOfName  = notFound("No zonefile found for this name")
	errOther       = badRequest("Zonefile owner does not match name owner")
	errSubdomain   = notFound("Subdomain not found")
	errNoSubdomain = badRequest("No subdomains or external link found")
)

// findZonefile reads a name and the entry of the resolver that counts. none is the error for a name without content, and
// stale the one for an entry that an earlier owner wrote.
func findZonefile(ctx context.Context, s *engine.Snapshot, fullName string, none, stale error) (*match, []byte, error) {
	var entries *engine.Result[zonefileRow]
	f, err := find(ctx, s, fullName, func(b *engine.Batch) { entries = queryZonefile(b, clean(fullName)) })
	if err != nil {
		return nil, nil, err
	}
	entry, ok := entries.First()
	switch {
	case !ok || entry.revoked || entry.content == nil:
		return f, nil, none
	case entry.owner == nil || *entry.owner != f.name.Owner:
		return f, nil, stale
	}
	return f, entry.content, nil
}

// resolve reads the zonefile of a name that is neither expired nor revoked.
func resolve(ctx context.Context, s *engine.Snapshot, fullName string) (z bns.Zonefile, err error) {
	f, content, err := findZonefile(ctx, s, fullName, errNoZonefile, errStale)
	switch {
	case f == nil && isNotFound(err):
		return z, errUnresolved
	case f == nil:
		return z, err
	case f.name.revoked || !f.name.valid(f.burnHeight):
		return z, errUnresolved
	case err != nil:
		return z, err
	}
	switch z = bns.ParseZonefile(content); z.Format {
	case bns.FormatFields, bns.FormatProfile:
		return z, nil
	case bns.FormatJSON:
		return z, errFormat
	}
	return z, errNoZonefile
}

// isNotFound reports whether an error says that a name or its namespace does not exist.
func isNotFound(err error) bool { return err == errName || err == errNamespace } //nolint:errorlint // find returns them as they are

// anyJSON is JSON of any shape.
type anyJSON json.RawMessage

// Schema implements huma.SchemaProvider.
func (anyJSON) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Description: "Any JSON."} }

// MarshalJSON implements json.Marshaler.
func (j anyJSON) MarshalJSON() ([]byte, error) { return j, nil }

// subdomainMap maps labels to what a zonefile says of them.
type subdomainMap map[string]json.RawMessage

// Schema implements huma.SchemaProvider.
func (subdomainMap) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Description: "What the zonefile says of each subdomain.", AdditionalProperties: true}
}

// bnsResolvedZonefile is a zonefile in the form of the public service.
type bnsResolvedZonefile struct {
	Owner      string       `json:"owner"`
	General    string       `json:"general"`
	Twitter    string       `json:"twitter"`
	URL        string       `json:"url"`
	Nostr      string       `json:"nostr"`
	Lightning  string       `json:"lightning"`
	BTC        string       `json:"btc"`
	Subdomains subdomainMap `json:"subdomains,omitempty"`
	External   string       `json:"externalSubdomainFile,omitempty" doc:"Address of a file with subdomains. The server does not fetch it."`
}

// bnsResolvedAnswer is the zonefile of a name.
type bnsResolvedAnswer struct {
	Marked
	Zonefile bnsResolvedZonefile `json:"zonefile"`
}

// bnsBtcAnswer is the Bitcoin address of a name.
type bnsBtcAnswer struct {
	Marked
	BTC string `json:"btc"`
}

// bnsRawAnswer is a zonefile as it is.
type bnsRawAnswer struct {
	Marked
	FullName string  `json:"full_name"`
	Zonefile anyJSON `json:"zonefile" doc:"JSON if the zonefile is JSON, else its text; bytes that are not UTF-8 as 0x and hex."`
}

// bnsProfileAnswer is a zonefile as a profile.
type bnsProfileAnswer struct {
	Marked
	FullName   string        `json:"full_name"`
	Profile    anyJSON       `json:"profile"`
	Validation bnsValidation `json:"validation"`
}

// bnsValidation says which form a zonefile has.
type bnsValidation struct {
	Valid  bool   `json:"valid"`
	Format string `json:"format" enum:"fields,profile"`
}

func (a *api) registerZonefile() {
	get(a, engine.Operation{
		ID: "resolve-bns-name", Path: "/resolve-name/{name}", Summary: "Zonefile of a name", PointRead: true,
		Description: "The name must be neither expired nor revoked, and its present owner must have written the zonefile. Texts of a profile are put under the members of the older form.",
	}, func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsResolvedAnswer, error) {
		z, err := resolve(ctx, s, in.Name)
		if err != nil {
			return nil, err
		}
		f := z.Fields
		return &bnsResolvedAnswer{in.marked(), bnsResolvedZonefile{
			f.Owner, f.General, f.Twitter, f.URL, f.Nostr, f.Lightning, f.BTC, z.Subdomains, z.External,
		}}, nil
	})
	get(a, engine.Operation{ID: "get-bns-btc-address", Path: "/btc-address/{name}", Summary: "Bitcoin address of a name", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsBtcAnswer, error) {
			z, err := resolve(ctx, s, in.Name)
			if err == nil && z.Fields.BTC == "" {
				err = errNoBTC
			}
			if err != nil {
				return nil, err
			}
			return &bnsBtcAnswer{in.marked(), z.Fields.BTC}, nil
		})
	get(a, engine.Operation{ID: "get-bns-raw-zonefile", Path: "/zonefile/{name}/raw", Summary: "Zonefile of a name as it is", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsRawAnswer, error) {
			f, content, err := findZonefile(ctx, s, in.Name, errNoneOfName, errOther)
			if err != nil {
				return nil, err
			}
			return &bnsRawAnswer{in.marked(), f.name.FullName, rawZonefile(content)}, nil
		})
	get(a, engine.Operation{ID: "get-bns-profile", Path: "/zonefile/{name}/profile", Summary: "Profile in the zonefile of a name", PointRead: true},
		func(ctx context.Context, s *engine.Snapshot, in *NameInput) (*bnsProfileAnswer, error) {
			f, content, err := findZonefile(ctx, s, in.Name, errNoneOfName, errOther)
			if err != nil {
				return nil, err
			}
			z := bns.ParseZonefile(content)
			if z.Format != bns.FormatFields && z.Format != bns.FormatProfile {
				return nil, &failure{errFormatStatus, bnsFailureBody{Error: "Invalid zonefile format", Details: "want a JSON object with the text owner, have " + string(z.Format)}}
			}
			return &bnsProfileAnswer{in.marked(), f.name.FullName, anyJSON(z.JSON), bnsValidation{true, string(z.Format)}}, nil
		})
}

// errFormatStatus is the status for a zonefile that is no profile.
const errFormatStatus = 400

// rawZonefile returns a zonefile as JSON.
func rawZonefile(content []byte) anyJSON {
	switch z := bns.ParseZonefile(content); z.Format {
	case bns.FormatText:
		return quoted(string(content))
	case bns.FormatBytes:
		return quoted("0x" + hex.EncodeToString(content))
	default:
		return anyJSON(z.JSON)
	}
}

func quoted(text string) anyJSON {
	encoded, err := engine.Encode(text)
	if err != nil {
		return anyJSON(`""`) // a string always encodes
	}
	return encoded
}
