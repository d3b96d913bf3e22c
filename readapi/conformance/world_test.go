package conformance

import (
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"testing"

	feed "strata/domain/ordinals"
	"strata/domain/token"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthordinals"
	"strata/internal/testkit/must"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/every"
	"strata/rig/replay"
)

// world is an API over made-up data, which are the same at each run, and the names of things in them.
type world struct {
	*apitest.Site
	names  map[string]string
	shapes shapes
}

// The numbers of posts of the two parts of the world.
const (
	chainPosts = 500
	feedPosts  = 60
)

func newWorld(t *testing.T) *world {
	t.Helper()
	config := synthchain.Everything(11, synthchain.V40)
	config.Network, config.SigningSample, config.Accounts, config.Maturity = synthchain.Mainnet, 1000, 12, 6
	config.BitcoinOpShare, config.RewardCycle = 0.3, 10
	config.Mix = synthchain.DefaultMix()
	config.Mix.Naming = 20
	chain, inscribed := synthchain.New(config), synthordinals.New(synthordinals.Everything(11, feed.Regtest))
	log := replay.NewLog(t)
	replay.Append(t, log, replay.Take(chainPosts, chain.Next)...)
	replay.Append(t, log, replay.Take(feedPosts, inscribed.Next)...)
	replay.RunLines(t, log, every.Lines()...)
	w := &world{Site: apitest.NewKeeper(t, log.Pool(), readapi.Config{}).Site, names: map[string]string{}, shapes: readShapes(t)}
	for _, kind := range apitest.Kinds {
		contract := map[token.Kind]string{token.FT: apitest.P1, token.NFT: apitest.N1, token.SFT: apitest.P2}[kind]
		w.Full(kind, contract, apitest.FullDocument(), apitest.Columns{"name": "Meme", "symbol": "MEME", "decimals": 5, "total_supply": "9999"})
	}
	w.learn()
	return w
}

// learn finds the names that rows of the table use. Each query returns one row of one or more names.
func (w *world) learn() {
	w.T.Helper()
	for names, query := range map[string]string{
		"tip tip_hash tip_index burn_height burn_hash tenure tip_time": `
			SELECT height, block_hash, index_block_hash, burn_block_height, burn_block_hash, tenure_height, coalesce(block_time, burn_block_time)
			FROM {accounts}.block ORDER BY height DESC LIMIT 1`,
		"block block_hash block_index": `
			SELECT height, block_hash, index_block_hash FROM {accounts}.block ORDER BY last_tx - first_tx DESC, height LIMIT 1`,
		"orphan_hash orphan_index orphan_height": `
			SELECT b.block_hash, b.index_block_hash, b.height FROM {chain}.block b LEFT JOIN {chain}.canonical c ON c.block_seq = b.source_seq
			WHERE b.attached AND c.height IS NULL ORDER BY b.height DESC, b.source_seq LIMIT 1`,
		"signed": `
			SELECT b.height FROM {chain}.block b JOIN {chain}.canonical c ON c.block_seq = b.source_seq WHERE b.nakamoto ORDER BY b.height LIMIT 1`,
		"call call_index called function": `
			SELECT t.txid, b.index_block_hash, t.contract_id, t.function_name FROM {chain}.transaction t JOIN {chain}.canonical c ON c.block_seq = t.source_seq JOIN {chain}.block b ON b.source_seq = c.block_seq
			WHERE t.type_id = 2 AND t.status = 'success' AND t.event_count > 0 ORDER BY c.height DESC, t.tx_index LIMIT 1`,
		"transfer": `
			SELECT t.txid FROM {chain}.transaction t JOIN {chain}.canonical c ON c.block_seq = t.source_seq
			WHERE t.type_id = 0 AND t.status = 'success' ORDER BY c.height DESC, t.tx_index LIMIT 1`,
		"deploy deployed": `
			SELECT t.txid, d.contract_id FROM {chain}.contract d JOIN {chain}.transaction t ON t.source_seq = d.source_seq AND t.tx_index = d.tx_index
			JOIN {chain}.canonical c ON c.block_seq = t.source_seq WHERE c.height > 0 AND d.interface IS NOT NULL ORDER BY c.height, t.tx_index LIMIT 1`,
		"account": `
			SELECT a.account FROM {accounts}.account a JOIN {accounts}.account_transaction l ON l.account = a.id WHERE a.account NOT LIKE '%.%'
			GROUP BY a.account ORDER BY count(*) DESC, a.account LIMIT 1`,
		"account_tx": `
			SELECT x.txid FROM {accounts}.account_transaction l JOIN {accounts}.account a ON a.id = l.account
			JOIN {accounts}.transaction t ON t.n = l.tx JOIN {chain}.transaction x ON x.source_seq = t.source_seq AND x.tx_index = t.tx_index
			WHERE a.account = (
				SELECT a.account FROM {accounts}.account a JOIN {accounts}.account_transaction l ON l.account = a.id WHERE a.account NOT LIKE '%.%'
				GROUP BY a.account ORDER BY count(*) DESC, a.account LIMIT 1
			) AND x.type_id = 0 AND x.status = 'success' ORDER BY l.n DESC LIMIT 1`,
		"printer": `
			SELECT e.contract_identifier FROM {chain}.event e JOIN {chain}.canonical c ON c.block_seq = e.source_seq
			WHERE e.type = 'contract_event' AND e.contract_identifier NOT LIKE '%.pox-_' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
		"coin holder": `
			SELECT h.asset, h.account FROM {balances}.holding h WHERE h.kind = 'ft' AND h.balance > 0 ORDER BY h.asset, h.balance DESC, h.account LIMIT 1`,
		"art item owner": `
			SELECT asset, value, owner FROM {balances}.nft_custody WHERE owner IS NOT NULL ORDER BY asset, value_hash LIMIT 1`,
		"pending pending_sender": `
			SELECT txid, sender FROM {mempool}.transaction WHERE status = 'pending' ORDER BY txid LIMIT 1`,
		"rewarded":  `SELECT recipient FROM {pox}.recipient ORDER BY rewards DESC, recipient LIMIT 1`,
		"slotted":   `SELECT address FROM {pox}.slot GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
		"paid":      `SELECT recipient FROM {pox}.payout GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`,
		"cycle key": `SELECT cycle_number, signing_key FROM {pox}.signer WHERE place = 1 ORDER BY cycle_number DESC LIMIT 1`,
		"stacker stacked_tx": `
			SELECT stacker, txid FROM {pox}.event WHERE contract = 4 ORDER BY n DESC LIMIT 1`,
		"pool": `SELECT pool FROM {pox}.delegation WHERE contract = 4 ORDER BY n DESC LIMIT 1`,
		"inscription number sat ordinals_height": `
			SELECT o.id, o.number, o.sat, i.height FROM {inscriptions}.owner o JOIN {inscriptions}.inscription i ON i.number = o.number
			WHERE i.content_length > 0 AND o.sat > 0 AND o.number >= 0 ORDER BY o.number LIMIT 1`,
		"moved": `
			SELECT l.height FROM {inscriptions}.location l WHERE l.moved > 0 ORDER BY l.height DESC LIMIT 1`,
		"name name_owner namespace": `
			SELECT n.name, n.holder, n.namespace FROM {names}.name n JOIN {names}.operation o ON o.name = n.name JOIN {names}.zonefile z ON z.zonefile_hash = o.zonefile_hash
			WHERE n.listed AND n.holder IS NOT NULL AND EXISTS (SELECT FROM {names}.namespace s WHERE s.namespace = n.namespace) ORDER BY n.name LIMIT 1`,
		"ticker": `SELECT ticker FROM {brc20}.token WHERE height IS NOT NULL ORDER BY tx_count DESC, ticker LIMIT 1`,
		"brc20_owner": `
			SELECT address FROM {brc20}.balance WHERE total > 0 GROUP BY address ORDER BY sum(transferrable) DESC, count(*) DESC, address LIMIT 1`,
	} {
		values := w.row(names, query)
		fields := strings.Fields(names)
		if len(values) != len(fields) {
			w.T.Errorf("learn %s: got %d values: the world lacks something", names, len(values))
			continue
		}
		for i, name := range fields {
			w.names[name] = values[i]
		}
	}
}

// row returns the columns of the one row of a query, bytes in hex with 0x; nil if it has none.
func (w *world) row(what, query string) (values []string) {
	w.T.Helper()
	rows, err := w.Pool.Query(w.T.Context(), w.inSchemas(query))
	if err != nil {
		w.T.Fatalf("learn %s: %v", what, err)
	}
	defer rows.Close()
	for rows.Next() {
		columns, err := rows.Values()
		if err != nil {
			w.T.Fatalf("learn %s: %v", what, err)
		}
		for _, column := range columns {
			if raw, ok := column.([]byte); ok {
				values = append(values, "0x"+hex.EncodeToString(raw))
				continue
			}
			values = append(values, fmt.Sprint(column))
		}
	}
	if err := rows.Err(); err != nil {
		w.T.Fatalf("learn %s: %v", what, err)
	}
	return values
}

// inSchemas puts the schemas of the active versions in the place of the names of projections.
func (w *world) inSchemas(sql string) string {
	w.T.Helper()
	rows := must.Get(w.Pool.Query(w.T.Context(), `SELECT name, version FROM strata.active`))(w.T)
	defer rows.Close()
	for rows.Next() {
		var name string
		var version int
		must.Do(w.T, rows.Scan(&name, &version))
		sql = strings.ReplaceAll(sql, "{"+name+"}", fmt.Sprintf("%s_v%d", name, version))
	}
	must.Do(w.T, rows.Err())
	return sql
}

// fill puts names in the place of {name}; escaped for the query of a target. It fails for a name that nothing has.
func (w *world) fill(text string, escaped bool) string {
	w.T.Helper()
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		value, ok := w.names[name]
		if !ok {
			w.T.Errorf("%s: nothing in the world is called %s", text, name)
		}
		if escaped {
			value = url.QueryEscape(value)
		}
		out.WriteString(value)
		text = after
	}
}
