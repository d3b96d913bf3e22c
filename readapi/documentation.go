package readapi

import (
	"cmp"
	"encoding/json"
	"io"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/engine"
)

// about is the description of the API in the OpenAPI document (Markdown).
const about = `Strata stores what a Stacks node emits in an append-only log, folds it into tables, and answers from these tables.

**Where an answer comes from.** Two headers tell: ` + "`Strata-Position`" + ` is the position in the log and the tip that the answer reflects, and ` +
	"`Strata-Source`" + ` names the events behind its rows, whose exact bytes are at ` + "`/audit/v1/events/{seq}/body`" + `. ` +
	"Send a position back, in the same header or as `min_position`" + `, and the answer is no older than the one that it came with, whichever process or replica serves it.

**Revalidation.** An answer that is read from the tables has a strong ` + "`ETag`" + `, which changes when the answer changes. Send it as ` + "`If-None-Match`" + `, and the answer is 304 as long as nothing has changed. A new block changes only the answers that it affects.

**Conventions.** Amounts are decimal integers in JSON strings, in base units. Hashes are lower-case hex with 0x in answers; in requests 0x and case don't matter. A limit of 0 means the default. Unknown query parameters are ignored. Paths under ` + "`/extended`" + ` are those of stacks-blockchain-api, those under ` + "`/metadata`" + ` of token-metadata-api, those under ` + "`/ordinals`" + ` of ordinals-api; the latter two are also served without ` + "`/v1`" + `.`

// description returns huma's starting point. Huma's own documentation pages are off, because they load scripts from other
// servers.
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
				{Name: "Transactions", Description: "Mined transactions and their events."},
				{Name: "Contracts", Description: "Deployed smart contracts."},
				{Name: "Accounts", Description: "Balances, transactions and assets of addresses and contracts."},
				{Name: "Mempool", Description: "Transactions that wait to be mined."},
				{Name: "Tokens", Description: "Token metadata: names, images, and what else contracts and metadata documents say about tokens."},
				{Name: "Faucets", Description: "Coins of test networks. There are none on mainnet."},
				{Name: "Names", Description: "Names of the first registry, BNS v1, with their zonefiles, subdomains and prices."},
				{Name: "Names (BNS-V2)", Description: "Names of the second registry of the Bitcoin Name System, under the paths of its public service."},
				{Name: "Stacking", Description: "Bitcoin rewards for locked STX, the signers of blocks, and calls of the stacking contracts."},
				{Name: "Staking", Description: "Bonds, stakes and signer managers of pox-5, and what stakers earn."},
				{Name: "Inscriptions", Description: "Inscriptions on satoshis and their locations. See docs/ordinals.md."},
				{Name: "Satoshis", Description: "Properties that follow from a satoshi's number, and the inscriptions on it."},
				{Name: "BRC-20", Description: "BRC-20 tokens, their operations and their holders. Amounts have the decimals of the token."},
				{Name: "Statistics", Description: "Counts of inscriptions."},
				{
					Name: "Nodes",
					Description: "The RPC of Stacks nodes, forwarded to a pool of them. All of `/v2` and `/v3` is forwarded; " +
						"the operations described here are those that clients use most. Answers and their conventions are the nodes' own.",
				},
				{Name: "Rosetta", Description: "The open standard for blockchain integration (Rosetta, now Mesh), in the dialects of stacks-mesh-api (`/mesh`) and of stacks-blockchain-api (`/rosetta/v1`)."},
				{Name: "Streams", Description: "Changes, pushed as they happen. See docs/live.md."},
				{Name: "Audit", Description: "From any row to the bytes that caused it."},
				{Name: "Health", Description: "Health and readiness, for operators."},
			},
		},
		Formats: map[string]huma.Format{"application/json": {
			Marshal:   func(w io.Writer, v any) error { return json.NewEncoder(w).Encode(v) },
			Unmarshal: json.Unmarshal,
		}},
		DefaultFormat: "application/json",
	}
	config.AllowAdditionalPropertiesByDefault = true // later versions may add fields to answers
	return config
}
