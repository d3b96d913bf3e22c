package staking

import (
	"context"
	"encoding/hex"
	"math/big"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/page"
	"strata/readapi/internal/schema"
	"strata/readapi/internal/view"
)

type cycleSignersInput struct {
	CycleInput
	Limit  int    `query:"limit" minimum:"1" maximum:"250" default:"100" doc:"Rows of a page."`
	Cursor string `query:"cursor" pattern:"^(0x)?[a-fA-F0-9]{66}$" doc:"The key of the first signer of the page."`
}

type signerWeight struct {
	Amount  int64   `json:"amount"`
	Percent float64 `json:"percent"`
}

type signerStake struct {
	Amount  schema.Amount `json:"amount" doc:"µSTX"`
	Percent float64       `json:"percent"`
}

// cycleSigner is a signing key of a cycle's set.
type cycleSigner struct {
	SigningKey     view.HexText    `json:"signing_key"`
	Weight         signerWeight    `json:"weight"`
	StakedSTX      signerStake     `json:"staked_stx"`
	SignerManagers []signerManager `json:"signer_managers" nullable:"false" doc:"The signer managers that had the key registered when the set was computed."`
}

type signerManager struct {
	SignerManager    string            `json:"signer_manager"`
	RegisteredAt     registeredAt      `json:"registered_at"`
	GrantedKeys      []grantedKey      `json:"granted_keys" nullable:"false" doc:"All keys that the signer manager may use now."`
	GrantActive      bool              `json:"grant_active" doc:"Whether signing_key is among them."`
	PendingKeyUpdate *pendingKeyUpdate `json:"pending_key_update" doc:"Another key that the signer manager registered before the next cycle's set was computed; null for none."`
}

// TransformSchema implements huma.SchemaTransformer.
func (*signerManager) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return view.OrNull(s, "pending_key_update")
}

type registeredAt struct {
	BlockHeight        int64       `json:"block_height"`
	BitcoinBlockHeight int64       `json:"bitcoin_block_height"`
	TxID               hash.Hash32 `json:"tx_id"`
}

type grantedKey struct {
	SignerKey view.HexText  `json:"signer_key"`
	AuthID    schema.Amount `json:"auth_id"`
	TxID      hash.Hash32   `json:"tx_id"`
}

type pendingKeyUpdate struct {
	SignerKey      view.HexText `json:"signer_key"`
	EffectiveCycle int64        `json:"effective_cycle" doc:"The first cycle whose set is computed with this key."`
	TxID           hash.Hash32  `json:"tx_id"`
}

// memberRow is a signing key of a set as the tables store it.
type memberRow struct {
	place, weight int64
	staked        string
	key           []byte
}

type setRow struct {
	weight, firstEvent, signers int64
	nextEvent                   int64 // firstEvent of the next cycle's set, or above all events
	staked                      string
}

// managerRow is a signer manager with the key that it had registered for a set, and the one that it had for the next; nil if it
// registered none in between.
type managerRow struct {
	signer       string
	key          []byte
	at           registeredAt
	next, nextTx []byte
}

type grantRow struct {
	signer string
	key    []byte
	body   grantedKey
}

func (a *api) registerCycleSigners() {
	engine.Get(a.Engine, engine.Operation{
		ID: "list-staking-cycle-signers", Path: prefix + "/cycles/{cycle}/signers", Tag: tag, Summary: "The signers of a reward cycle with their signer managers, the heaviest first",
		Statuses: []int{http.StatusBadRequest, http.StatusNotFound},
	}, a.listCycleSigners)
}

// keyBytes decodes a key whose pattern was checked.
func keyBytes(text string) []byte {
	key, err := hex.DecodeString(strings.TrimPrefix(text, "0x"))
	if err != nil {
		return nil
	}
	return key
}

func (a *api) listCycleSigners(ctx context.Context, s *engine.Snapshot, in *cycleSignersInput) (*page.KeysetPage[cycleSigner], error) {
	_, n, _, err := a.resolve(ctx, s, in.CycleInput)
	if err != nil {
		return nil, err
	}
	b := newBatch(s)
	set := engine.Query(b, func(r *setRow) []any { return []any{&r.weight, &r.firstEvent, &r.nextEvent, &r.signers, &r.staked} }, `
		SELECT ARRAY[source_seq], weight, first_n, coalesce((SELECT x.first_n FROM {staking}.cycle_set x WHERE x.cycle = $1 + 1), 9223372036854775807),
		       signers::bigint, staked::text
		FROM {staking}.cycle_set WHERE cycle = $1`, n)
	first := engine.Query(b, page.NumberColumn, `SELECT {}, place::bigint FROM {staking}.set_member WHERE cycle = $1 AND signer_key = $2`, n, keyBytes(in.Cursor))
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	total, ok := set.First()
	if !ok {
		return nil, engine.NotFound("No reward set for this PoX cycle")
	}
	start, found := first.First()
	if in.Cursor != "" && !found {
		return nil, page.ErrNoCursor
	}
	rows, err := readMembers(ctx, s, n, max(start, 1), in.Limit)
	if err != nil {
		return nil, err
	}
	keys := make([][]byte, 0, in.Limit)
	for _, r := range rows.shown() {
		keys = append(keys, r.row.key)
	}
	managers, err := readManagers(ctx, s, n, &total, keys)
	if err != nil {
		return nil, err
	}
	allSTX := amountFloat(total.staked)
	return pageOf(rows, total.signers, func(r *memberRow) cycleSigner {
		body := cycleSigner{
			SigningKey: view.HexOf(r.key), Weight: signerWeight{r.weight, percent(float64(r.weight), float64(total.weight))},
			StakedSTX: signerStake{schema.Amount(r.staked), percent(amountFloat(r.staked), allSTX)}, SignerManagers: managers[string(r.key)],
		}
		if body.SignerManagers == nil {
			body.SignerManagers = []signerManager{}
		}
		return body
	}), nil
}

// percent returns the share of a part in a whole, with the operations of floats in the order in which clients expect them.
func percent(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole * 100
}

// amountFloat returns an amount as the nearest float, for shares only.
func amountFloat(text string) float64 {
	f, _ := new(big.Float).SetInt(schema.WholeNumber(text)).Float64()
	return f
}
