package readapi

import (
	"cmp"
	"encoding/json"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
)

const about = `Strata keeps what a Stacks node emits in an append-only log, folds it into tables, and answers from them.

**Where an answer comes from.** Two headers say it: ` + "`Strata-Position`" + ` is the position in the log and the tip that the answer reflects, ` +
	"`Strata-Source`" + ` names the events behind its rows, whose exact bytes are at ` + "`/audit/v1/events/{seq}/body`" + `. ` +
	"Send the position back, in the same header or as `min_position`" + `, and the answer is no older than the one that it is from, whichever process or replica gives it.

**Asking again.** What is read from the tables has a strong ` + "`ETag`" + `, which changes when the answer does: send it as ` + "`If-None-Match`" + `, and the answer is 304 while nothing has changed. A new block changes the answers that it touches, and no others.

**Conventions.** Amounts are decimal integers in JSON strings, in base units. Hashes are lower-case hex with 0x in answers; in requests 0x and case don't matter. A limit of 0 means the default. Unknown query parameters are ignored. Paths under ` + "`/extended`" + ` are those of stacks-blockchain-api, those under ` + "`/metadata`" + ` of token-metadata-api, those under ` + "`/ordinals`" + ` of ordinals-api; these two are also there without ` + "`/v1`" + `.`

// description is what huma starts from. Its own pages are off: they load scripts from elsewhere.
func description(version engine.Version) huma.Config {
	config := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Strata API", Version: cmp.Or(version.Tag, "dev"), Description: about,
				License: &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
			},
			Components: &huma.Components{Schemas: engine.NewSchemas()},
			Tags: []*huma.Tag{
				{Name: "Status", Description: "The server and its archive."},
				{Name: "Blocks", Description: "Blocks of the canonical chain."},
				{Name: "Transactions", Description: "What was mined: transactions and their events."},
				{Name: "Contracts", Description: "What was deployed."},
				{Name: "Accounts", Description: "What addresses and contracts have."},
				{Name: "Mempool", Description: "What waits to be mined."},
				{Name: "Tokens", Description: "What tokens are called, how they look, and what else their contracts and documents say of them."},
				{Name: "Stacking", Description: "What Bitcoin blocks pay for STX that are locked, who signs blocks in return, and what was done with the contracts."},
				{Name: "Inscriptions", Description: "What is inscribed on satoshis, and where they are. See docs/ordinals.md."},
				{Name: "Satoshis", Description: "What follows from the number of a satoshi, and what is inscribed on it."},
				{Name: "BRC-20", Description: "Tokens that are inscribed, what was done with them, and who has them. Amounts have the decimals of the token."},
				{Name: "Statistics", Description: "Inscriptions, counted."},
				{Name: "Nodes", Description: "The RPC of Stacks nodes, forwarded to a pool of them. All of `/v2` and `/v3` is; what is described here is what clients use most. Answers are the nodes' own, and so are their conventions."},
				{Name: "Streams", Description: "What happens, as it happens. See docs/live.md."},
				{Name: "Audit", Description: "From any row to the bytes that caused it."},
				{Name: "Health", Description: "For those who run the server."},
			},
		},
		Formats: map[string]huma.Format{"application/json": {
			Marshal:   func(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) },
			Unmarshal: json.Unmarshal,
		}},
		DefaultFormat: "application/json",
	}
	config.AllowAdditionalPropertiesByDefault = true // answers may get more fields
	return config
}
