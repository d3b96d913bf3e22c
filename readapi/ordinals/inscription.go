package ordinals

import (
	"encoding/json"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/domain/hash"
	"strata/domain/ordinals"
	"strata/readapi/internal/ordinal"
	"strata/readapi/internal/schema"
)

// inscription is the full description of an inscription. The fields are in the order of ordinals-api; those after
// metadata are additions.
type inscription struct {
	ID                 string   `json:"id"`
	Number             int64    `json:"number" doc:"Negative for one that was cursed before the jubilee."`
	Address            *string  `json:"address" nullable:"true" doc:"Address of the owner; null if it has no owner."`
	GenesisAddress     *string  `json:"genesis_address" nullable:"true" doc:"Address of the inscriber."`
	GenesisBlockHeight int64    `json:"genesis_block_height"`
	GenesisBlockHash   string   `json:"genesis_block_hash"`
	GenesisTxID        string   `json:"genesis_tx_id"`
	GenesisFee         string   `json:"genesis_fee" doc:"Fee of the whole transaction, in sats."`
	GenesisTimestamp   int64    `json:"genesis_timestamp" doc:"Milliseconds since 1970."`
	TxID               string   `json:"tx_id" doc:"Id of the transaction that moved it to its current location."`
	Location           string   `json:"location" doc:"Transaction, output and offset."`
	Output             string   `json:"output" doc:"Transaction and output."`
	Value              *string  `json:"value" nullable:"true" doc:"Value of the output, in sats; null when it is not known."`
	Offset             *string  `json:"offset" nullable:"true" doc:"Offset of the satoshi in the output; null when it is not known."`
	SatOrdinal         *string  `json:"sat_ordinal" nullable:"true" doc:"Null if the inscription is unbound: on no satoshi."`
	SatRarity          *string  `json:"sat_rarity" nullable:"true" enum:"common,uncommon,rare,epic,legendary,mythic" doc:"Null if the inscription is unbound."`
	SatCoinbaseHeight  *int64   `json:"sat_coinbase_height" nullable:"true" doc:"Null if the inscription is unbound."`
	MimeType           string   `json:"mime_type"`
	ContentType        string   `json:"content_type"`
	ContentLength      int64    `json:"content_length" doc:"In bytes."`
	Timestamp          int64    `json:"timestamp" doc:"Time of the block that moved it to its current location, in milliseconds since 1970."`
	CurseType          *string  `json:"curse_type" nullable:"true"`
	Recursive          bool     `json:"recursive" doc:"Whether its content refers to other inscriptions."`
	RecursionRefs      []string `json:"recursion_refs" nullable:"false" doc:"The inscriptions that its content refers to."`
	Parent             *string  `json:"parent" nullable:"true" doc:"The first of its parents."`
	Metadata           anyJSON  `json:"metadata"`
	ParentRefs         []string `json:"parent_refs" nullable:"false"`
	Delegate           *string  `json:"delegate" nullable:"true" doc:"The inscription whose content it shows."`
	MetaProtocol       *string  `json:"meta_protocol" nullable:"true"`
	Charms             []string `json:"charms" nullable:"false"`
	Incomplete         bool     `json:"incomplete,omitempty" doc:"True if the feed has operations on it or its satoshi that could not be read, so that its owner, location and transfers may be wrong: /audit/v1/quarantine has them. Absent otherwise."`
}

// anyJSON is JSON text, exactly as it was inscribed.
type anyJSON json.RawMessage

// MarshalJSON implements json.Marshaler.
func (j anyJSON) MarshalJSON() ([]byte, error) { return j, nil }

// Schema implements huma.SchemaProvider.
func (anyJSON) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Description: "Any JSON, as it was inscribed; null for none."}
}

// newAnyJSON returns the JSON of a column; null when the column is null or not valid JSON.
func newAnyJSON(text *string) anyJSON {
	if text == nil || !json.Valid([]byte(*text)) {
		return anyJSON("null")
	}
	return anyJSON(*text)
}

// inscriptionRow is an inscription as the tables store it.
type inscriptionRow struct {
	id                      string
	number, sat, height     int64
	contentLength, fee      int64
	charms, rarity          int32
	recursive               bool
	contentType             string
	genesisAddress, address *string
	curse, metaprotocol     *string
	delegate, metadata      *string
	parents, refs           []string
	genesisHash             hash.Hash32
	genesisTime, time       int64
	tx, outputTx            hash.Hash32
	vout                    string
	value, offset           *int64
	incomplete              bool
}

func inscriptionColumns(r *inscriptionRow) []any {
	return []any{
		&r.id, &r.number, &r.sat, &r.height, &r.contentLength, &r.fee, &r.charms, &r.rarity, &r.recursive, &r.contentType,
		&r.genesisAddress, &r.address, &r.curse, &r.metaprotocol, &r.delegate, &r.metadata, &r.parents, &r.refs,
		&r.genesisHash, &r.genesisTime, &r.time, &r.tx, &r.outputTx, &r.vout, &r.value, &r.offset, &r.incomplete,
	}
}

// burnt is the case of a CASE for a sat that was burnt, at the reveal or later: type 3 of table location.
var burnt = "3 THEN " + strconv.Itoa(int(ordinals.CharmBurned))

// lacks is the condition that the feed has something about an inscription i that could not be read. A move whose satoshi can't be
// read is known by the place that it began at, which may be an earlier one.
var lacks = ordinal.LacksSQL(`ARRAY['inscription:' || i.id, 'sat:' || i.sat] || ARRAY(
			SELECT 'satpoint:' || encode(m.output_txid, 'hex') || ':' || m.vout || coalesce(':' || m.sat_offset, '')
			FROM {inscriptions}.location m WHERE m.sat = i.sat AND (m.height, m.tx_index) >= (i.height, i.tx_index))`, "")

// inscriptionSQL returns the query that adds the shown columns of each inscription to a page query, which selects ids.
// LIMIT 1 does not change the result: it keeps Postgres from reading all inscriptions at once.
func inscriptionSQL(page, order string) string {
	return `
SELECT r.* FROM (` + page + `) p
CROSS JOIN LATERAL (
	SELECT {inscriptions.inscription i, inscriptions.satoshi s, inscriptions.location l, inscriptions.block b, inscriptions.block g},
	       i.id, i.number, i.sat, i.height, i.content_length, i.fee, i.charms | CASE l.type WHEN ` + burnt + ` ELSE 0 END, i.rarity::int, i.recursive, i.content_type,
	       i.genesis_address, l.address, i.curse_type, i.metaprotocol, i.delegate, i.metadata, i.parents, i.recursion_refs,
	       g.block_hash, g.time AS genesis_time, b.time, l.txid, l.output_txid, l.vout, l.value, l.sat_offset,
	       ` + lacks + `
	FROM {inscriptions}.inscription i
	JOIN {inscriptions}.block g ON g.height = i.height
	JOIN {inscriptions}.satoshi s ON s.sat = i.sat
	JOIN {inscriptions}.location l ON l.sat = s.sat AND l.height = s.height AND l.tx_index = s.tx_index
	JOIN {inscriptions}.block b ON b.height = l.height
	WHERE i.id = p.id LIMIT 1
) r
ORDER BY ` + order
}

// shape returns the inscription as clients see it. All transaction ids have the same form, so that clients can compare
// them; bareTxID omits their 0x.
func (r *inscriptionRow) shape(bareTxID bool) inscription {
	i := inscription{
		ID: r.id, Number: r.number, Address: r.address, GenesisAddress: r.genesisAddress,
		GenesisBlockHeight: r.height, GenesisBlockHash: ordinal.Bare(r.genesisHash), GenesisTxID: ordinals.InscriptionID(r.id).TxID().String(),
		GenesisFee: ordinal.Decimal(r.fee), GenesisTimestamp: ordinal.Milliseconds(r.genesisTime),
		TxID: r.tx.String(), Output: r.outputTx.String() + ":" + r.vout, Value: ordinal.DecimalOrNull(r.value), Offset: ordinal.DecimalOrNull(r.offset),
		MimeType: ordinals.MimeType(r.contentType), ContentType: r.contentType, ContentLength: r.contentLength,
		Timestamp: ordinal.Milliseconds(r.time), CurseType: r.curse, Recursive: r.recursive, RecursionRefs: schema.NonNil(r.refs),
		Metadata: newAnyJSON(r.metadata), ParentRefs: schema.NonNil(r.parents), Delegate: r.delegate, MetaProtocol: r.metaprotocol,
		Charms: ordinals.Charms(r.charms).Names(), Incomplete: r.incomplete,
	}
	if r.sat >= 0 { // otherwise it is unbound
		number, rarity, height := ordinal.Decimal(r.sat), ordinals.Rarity(r.rarity).String(), int64(ordinals.Sat(r.sat).CoinbaseHeight())
		i.SatOrdinal, i.SatRarity, i.SatCoinbaseHeight = &number, &rarity, &height
	}
	if bareTxID {
		i.TxID, i.GenesisTxID, i.Output = bareID(i.TxID), bareID(i.GenesisTxID), bareID(i.Output)
	}
	i.Location = location(i.Output, i.Offset)
	if len(r.parents) > 0 {
		i.Parent = &r.parents[0]
	}
	return i
}

// showInscriptions returns inscriptions as clients see them.
func (a *api) showInscriptions(rows []inscriptionRow) []inscription {
	shaped := make([]inscription, len(rows))
	for i := range rows {
		shaped[i] = rows[i].shape(a.bareTxID)
	}
	return shaped
}

func output(tx hash.Hash32, vout string) string { return ordinal.Bare(tx) + ":" + vout }

// location returns an output with the offset in it, or without one when it is not known. (ordinals-api appends :null
// then.)
func location(output string, offset *string) string {
	if offset == nil {
		return output
	}
	return output + ":" + *offset
}
