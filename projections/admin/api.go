package admin

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/hash"
	"strata/projections"
)

// Config of an API. Pool and Lines are required; the zero value of any other field means its default.
type Config struct {
	// Pool is the database, which is written.
	Pool *pgxpool.Pool
	// Lines are the projections that this program has code for.
	Lines projections.Lines
	// DataDir is the data directory of the database when that is on this machine, to find out its free space; default
	// unknown.
	DataDir string
	// Token that requests must have (Authorization: Bearer …); default none.
	Token string
	// Loopback says that only this machine can reach the API, so that a request with any other name in Host is refused.
	Loopback bool
	// Tokens writes wishes about token metadata into the log; default none, and then there are no such operations.
	Tokens Tokens
	// Operations add what others have to administer; default none.
	Operations []func(huma.API)
	// Reads answers requests for all paths that are not under /admin, such as the read API; default 404.
	Reads http.Handler
	// Profiles answers requests for paths under /debug/pprof/; default none.
	Profiles http.Handler
	// Version of the program, for the description.
	Version string
	// Logger for operations that change something; default none.
	Logger *slog.Logger
}

// API is an http.Handler, safe for concurrent use.
type API struct {
	config  Config
	huma    huma.API
	handler http.Handler
}

const about = `Versions of the read tables: build one beside the active one, verify and compare it, switch, switch back. And what is fetched of tokens: have it fetched again.

Names and numbers are those of ` + "`strata projections status`" + `. The read API is here too: a request with the header ` + "`Strata-Projection: ft=2`" +
	` (several with commas between them) is answered from that version instead of the active one. See docs/rebuilding.md.`

// New makes the API. It does not touch the database.
func New(config Config) *API {
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Version == "" {
		config.Version = "dev"
	}
	mux := http.NewServeMux()
	a := &API{config: config, huma: humago.New(mux, description(config))}
	a.registerStatus()
	a.registerRebuild()
	a.registerVersions()
	a.registerDiff()
	if config.Tokens != nil {
		a.registerTokens()
		a.registerPeerTokens(mux)
	}
	for _, add := range config.Operations {
		add(a.huma)
	}
	unknown := func(w http.ResponseWriter, r *http.Request) {
		writeFailure(w, &failureError{StatusCode: http.StatusNotFound, Message: fmt.Sprintf("There is no %s %s: /openapi.json lists the operations", r.Method, r.URL.Path)})
	}
	mux.HandleFunc("/admin/", unknown)
	if config.Profiles != nil {
		mux.Handle("/debug/pprof/", config.Profiles)
	}
	if config.Reads != nil {
		mux.Handle("/", config.Reads)
	} else {
		mux.HandleFunc("/", unknown)
	}
	a.handler = a.guard(mux)
	return a
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// OpenAPI returns the description of all operations (OpenAPI 3.1), which must not be modified.
func (a *API) OpenAPI() *huma.OpenAPI { return a.huma.OpenAPI() }

// description returns the configuration of huma, which serves /openapi.json and /openapi.yaml but no documentation
// page.
func description(config Config) huma.Config {
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[hash.Hash32](), reflect.TypeFor[hashText]())
	d := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Strata administration", Version: config.Version, Description: about,
				License: &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
			},
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"token": {Type: "http", Scheme: "bearer", Description: "The value of --admin-token, if it is set."},
				},
			},
			Security: []map[string][]string{{"token": {}}, {}},
			Tags: []*huma.Tag{{Name: "Projections", Description: "The read tables and their versions."}, {Name: "Tokens", Description: "What is fetched of tokens."},
				{Name: "Subscriptions", Description: "What is brought to people: see docs/subscriptions.md."}},
		},
		OpenAPIPath: "/openapi",
		Formats: map[string]huma.Format{"application/json": {
			Marshal: func(w io.Writer, v any) error {
				encoder := json.NewEncoder(w)
				encoder.SetEscapeHTML(false)
				return encoder.Encode(v)
			},
			Unmarshal: json.Unmarshal,
		}},
		DefaultFormat: "application/json",
	}
	d.AllowAdditionalPropertiesByDefault = true // later versions of this API may add fields
	return d
}

// hashText documents hash.Hash32.
type hashText string

// Schema implements huma.SchemaProvider.
func (hashText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: `^0x[0-9a-f]{64}$`}
}
