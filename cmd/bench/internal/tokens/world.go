package tokens

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/bench/internal/bench"
	"strata/projections"
)

// coinShare is n if one of n tokens is fungible.
const coinShare = 5

// knownTokens are the tokens of one kind whose metadata is known.
type knownTokens struct {
	kind      projections.Spec
	contracts []string
	ids       []int64 // of the same tokens
}

// readKnown returns the tokens in the tables of a kind.
func readKnown(ctx context.Context, pool *pgxpool.Pool, kind projections.Spec) (k knownTokens) {
	k.kind = kind
	rows := bench.Must(pool.Query(ctx, kind.SQL(`SELECT contract_id, token_id::bigint FROM {schema}.token WHERE read_seq IS NOT NULL ORDER BY contract_id, token_id`)))
	var contract string
	var id int64
	bench.Must(pgx.ForEachRow(rows, []any{&contract, &id}, func() error {
		k.contracts, k.ids = append(k.contracts, contract), append(k.ids, id)
		return nil
	}))
	return k
}

// target returns the request target of a token.
func (k *knownTokens) target(i int) string {
	target := "/metadata/v1/" + k.kind.Name + "/" + k.contracts[i]
	if k.kind.Name == "nft" {
		target += "/" + strconv.FormatInt(k.ids[i], 10)
	}
	return target
}
