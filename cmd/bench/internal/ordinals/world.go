package ordinals

import (
	"crypto/md5" //nolint:gosec // only for synthetic addresses
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"strata/cmd/bench/internal/bench"
	"strata/projections/inscriptions"
)

// In the inscription world the numbers 0 to inscribed-1 determine everything about each inscription.
const (
	firstHeight = 780_000 // height of the first block
	perBlock    = 500
	// crowdedSat has about crowdedMax inscriptions, or a tenth of all.
	crowdedSat = 5_000_000_003
	crowdedMax = 50_000
	// maxInscriptions is the maximum number of inscriptions: one in a hundred is on the first sat of a block, and the
	// first epoch has 209,999 of these.
	maxInscriptions = 20_000_000
	// partLength is the length of parts of lists, which is within the range of parts that grow one by one.
	partLength = 700
)

// World is the inscription world of a size.
type World struct{ Inscriptions int }

// stride returns n if one of n inscriptions is on the crowded sat.
func (w World) stride() int { return w.Inscriptions / min(crowdedMax, w.Inscriptions/10) }

// crowded returns the number of inscriptions on the crowded sat.
func (w World) crowded() int { return (w.Inscriptions-2)/w.stride() + 1 }

// whale is the address that owns the crowded sat.
const whale = "bc1pwhale"

// holder returns one of the other addresses.
func (w World) holder(i int) string {
	digest := md5.Sum([]byte(strconv.Itoa(i % w.holders())))
	return "bc1p" + strings.Repeat(hex.EncodeToString(digest[:]), 2)
}

// txid returns the id of the transaction that inscribed number n.
func txid(n int) string {
	digest := sha256.Sum256([]byte(strconv.Itoa(n)))
	return hex.EncodeToString(digest[:])
}

// holders returns the number of addresses that share three quarters of the inscriptions. The whale has the others.
func (w World) holders() int { return w.Inscriptions / 20 }

// sql fills in the placeholders of the world's queries.
func (w World) sql(query string) string {
	return inscriptions.Spec().SQL(strings.NewReplacer(
		"{all}", strconv.Itoa(w.Inscriptions), "{from}", strconv.Itoa(firstHeight), "{each}", strconv.Itoa(perBlock),
		"{blocks}", strconv.Itoa(w.blocks()), "{sat}", strconv.Itoa(crowdedSat), "{stride}", strconv.Itoa(w.stride()), "{crowded}", strconv.Itoa(w.crowded()),
		"{moves}", strconv.Itoa(moveAfter), "{whale}", whale, "{part}", strconv.Itoa(partLength), "{holders}", strconv.Itoa(w.holders()),
		"{step}", strconv.Itoa(1_000_000_000_000_000/w.Inscriptions/10*10), // ordinary sats end with 7: none is the first of a block
	).Replace(query))
}

func (w World) blocks() int {
	return (w.Inscriptions+perBlock-1)/perBlock + moveAfter
}

// moveAfter is the number of blocks between the reveal and the move of the inscriptions that move.
const moveAfter = 3

// worldSource creates the table that worldRows reads. For each number n it has the inscription, and the
// buyer if it was sold. One of {stride} is on the crowded sat, one of a hundred on a rare sat; one of fifty is cursed;
// one of ten refers to the first one, and one of ten was sold. The numbers have no gaps.
const worldSource = `
	CREATE UNLOGGED TABLE public.source AS
	SELECT n, {from} + n / {each} AS height, n % {each} AS tx_index, sha256(n::text::bytea) AS tx,
	       CASE WHEN n % 50 = 0 THEN -n / 50 - 1 ELSE n - n / 50 - 1 END AS number,
	       CASE kind WHEN 'crowd' THEN {sat} WHEN 'rare' THEN 5000000000 * (n / 100 + 2) ELSE (n * 7919 % {all}) * {step} + 7 END AS sat,
	       CASE WHEN kind <> 'rare' THEN 0 WHEN (n / 100 + 2) % 2016 = 0 THEN 2 ELSE 1 END AS rarity,
	       n % 10 = 3 AS recursive,
	       CASE WHEN n % 2 = 0 THEN 'text/plain' WHEN n % 5 < 2 THEN 'image/png' WHEN n % 5 = 2 THEN 'text/html' ELSE 'image/x-' || n / 10 % 40 END AS mime_type,
	       CASE WHEN kind = 'crowd' OR n % 4 = 0 THEN '{whale}' ELSE 'bc1p' || repeat(md5((n * 31 % {holders})::text), 2) END AS inscriber,
	       CASE WHEN kind = 'plain' AND n % 10 = 7 THEN 'bc1p' || repeat(md5((n * 37 % {holders})::text), 2) END AS buyer
	FROM (
		SELECT n, CASE WHEN n % {stride} = 1 THEN 'crowd' WHEN n % 100 = 99 THEN 'rare' ELSE 'plain' END AS kind FROM generate_series(0::bigint, {all} - 1) n
	) numbers`

// worldRows inserts the rows of the projection's tables. Contents are empty, and there are no charms.
var worldRows = []string{
	`INSERT INTO {schema}.inscription (number, classic_number, sat, height, tx_index, source_seq, content_at, content_length, content_size, fee,
		"transaction", operation, charms, rarity, recursive, id, content_type, mime_type, genesis_address, parents, recursion_refs)
	SELECT number, number, sat, height, tx_index, 1, 0, 0, 0, 1000, tx_index, 0, 0, rarity, recursive, encode(tx, 'hex') || 'i0', mime_type, mime_type,
	       inscriber, '{}', CASE WHEN recursive THEN ARRAY[encode(sha256('0'), 'hex') || 'i0'] ELSE '{}' END
	FROM public.source ORDER BY n`,
	`INSERT INTO {schema}.owner (sat, number, height, tx_index, id, address)
	SELECT sat, number, height, tx_index, encode(tx, 'hex') || 'i0', coalesce(buyer, inscriber) FROM public.source ORDER BY n`,
	// Each new inscription on the crowded sat moves those that are already on it.
	`INSERT INTO {schema}.location (sat, height, tx_index, source_seq, moved, value, sat_offset, block_order, "transaction", operation, type, txid, output_txid, vout, address)
	SELECT sat, height, tx_index, 1, CASE WHEN sat = {sat} THEN n / {stride} ELSE 0 END, 546, 0, tx_index AS block_order, tx_index, 0, 1, tx, tx, '0', inscriber FROM public.source
	UNION ALL
	SELECT sat, height + {moves}, {each} + tx_index, 1, 1, 10000, 0, {each} + tx_index, {each} + tx_index, 0, 1, sha256('move ' || n::text::bytea), sha256('move ' || n::text::bytea), '0', buyer
	FROM public.source WHERE buyer IS NOT NULL
	ORDER BY height, block_order`,
	`INSERT INTO {schema}.satoshi (sat, height, tx_index, source_seq, inscriptions, output_txid, vout)
	SELECT sat, height, tx_index, 1, CASE WHEN sat = {sat} THEN {crowded} ELSE 1 END, output_txid, '0'
	FROM (SELECT DISTINCT ON (sat) * FROM {schema}.location ORDER BY sat, height DESC, tx_index DESC) last ORDER BY height, tx_index`,
	`INSERT INTO {schema}.block (height, source_seq, time, moves, reveals, block_index, block_hash)
	SELECT h, 1, 1680000000 + 600 * (h - {from}), coalesce(l.moves, 0), coalesce(i.reveals, 0), 0, '\x00000000'::bytea || substr(sha256(h::text::bytea), 5)
	FROM generate_series({from}, {from} + {blocks} - 1) h
	LEFT JOIN (SELECT height, sum(moved)::bigint AS moves FROM {schema}.location GROUP BY height) l ON l.height = h
	LEFT JOIN (SELECT height, count(*) AS reveals FROM {schema}.inscription GROUP BY height) i ON i.height = h`,
}

// worldLists are the lists: the table of their rows, the SQL of their names, the condition for rows, and the
// order.
var worldLists = []struct{ table, name, of, a, b, c string }{
	{"inscription", `'all'`, `true`, "height", "tx_index", "number"},
	{"inscription", `CASE WHEN recursive THEN 'recursive' ELSE 'not_recursive' END`, `true`, "height", "tx_index", "number"},
	{"inscription", `CASE WHEN number < 0 THEN 'cursed' ELSE 'not_cursed' END`, `true`, "height", "tx_index", "number"},
	{"inscription", `'mime:' || mime_type`, `true`, "height", "tx_index", "number"},
	{"inscription", `'rarity:' || rarity`, `true`, "height", "tx_index", "number"},
	{"owner", `'address:' || address`, `true`, "height", "tx_index", "number"},
	{"inscription", `'genesis_address:' || genesis_address`, `true`, "height", "tx_index", "number"},
	{"inscription", `'number'`, `true`, "number", "0", "0"},
	{"inscription", `'rarity_number:' || rarity`, `true`, "number", "0", "0"},
	{"inscription", `'ordinal'`, `true`, "sat", "0", "0"},
	{"inscription", `'sat:' || sat`, `sat = {sat}`, "number", "0", "0"},
}

// insertList fills the tables of package ranked for one of worldLists. A part starts at every {part}th entry.
// Equal keys stay together, so the crowded sat has its own part.
const insertList = `
	WITH whole AS MATERIALIZED (
		INSERT INTO {schema}.list (n, name) SELECT count(*), {name} FROM {schema}.{table} WHERE {of} GROUP BY 2 RETURNING n, name
	), entry AS (
		SELECT {name} AS list, {a}::bigint AS a, {b}::bigint AS b, {c}::bigint AS c, sat = {sat} AND {ties} AS crowd,
		       (rank() OVER (PARTITION BY {name} ORDER BY {a}, {b}, {c}) - 1) / {part} AS part
		FROM {schema}.{table}
		WHERE {of} AND {name} IN (SELECT name FROM whole WHERE n > 1024)
	)
	INSERT INTO {schema}.part (a, b, c, n, list)
	SELECT CASE WHEN first THEN low ELSE a END, CASE WHEN first THEN low ELSE b END, CASE WHEN first THEN low ELSE c END, n, list
	FROM (
		SELECT list, a, b, c, n, row_number() OVER (PARTITION BY list ORDER BY a, b, c) = 1 AS first FROM (
			SELECT DISTINCT ON (list, part, crowd) list, a, b, c, count(*) OVER (PARTITION BY list, part, crowd) AS n
			FROM entry ORDER BY list, part, crowd, a, b, c
		) part
	) placed, (SELECT '-9223372036854775808'::bigint AS low) lowest`

// world returns the world as what fills a database. The error is about its size.
func (w World) world() (bench.World, error) {
	if w.Inscriptions < 10_000 || w.Inscriptions > maxInscriptions {
		return bench.World{}, fmt.Errorf("-inscriptions %d: want 10,000 to %d", w.Inscriptions, maxInscriptions)
	}
	tip := bench.TipAt(firstHeight + w.blocks() - 1)
	tip.Path, tip.Position = "/payload", 1
	last := []string{`DROP TABLE public.source`, `ANALYZE {schema}.inscription`, `ANALYZE {schema}.owner`}
	for _, l := range worldLists {
		last = append(last, strings.NewReplacer("{table}", l.table, "{name}", l.name, "{a}", l.a, "{b}", l.b, "{c}", l.c,
			"{of}", l.of, "{ties}", strconv.FormatBool(l.a == "sat")).Replace(insertList))
	}
	return bench.World{
		Database: "inscriptions", Tip: tip, SQL: w.sql, Sources: []string{worldSource}, Rows: worldRows, Last: last,
		Large: []string{"{schema}.inscription", "{schema}.owner", "{schema}.location", "{schema}.satoshi"},
	}, nil
}
