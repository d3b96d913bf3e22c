package main

import (
	"context"
	"crypto/md5" //nolint:gosec // a made-up address
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/projections/inscriptions"
)

// The world of inscriptions that are read: numbers 0 to inscribed-1 say everything about each.
const (
	inscribedFrom     = 780_000 // height of the first block
	inscribedPerBlock = 500
	// crowdedSat has about crowdedMax inscriptions, or a tenth of all.
	crowdedSat = 5_000_000_003
	crowdedMax = 50_000
	// inscribedMax is how many there may be: one in a hundred is on the first sat of a block, of which the first epoch has
	// 209,999.
	inscribedMax = 20_000_000
	// inscribedPart is how long parts of lists are: within what they have when they grow.
	inscribedPart = 700
)

// stride says that one inscription in so many is on the crowded sat.
func (b *bench) stride() int { return b.inscribed / min(crowdedMax, b.inscribed/10) }

// crowded is how many inscriptions are on the crowded sat.
func (b *bench) crowded() int { return (b.inscribed-2)/b.stride() + 1 }

// whale is the address of whoever has the crowded sat, and holder those of the others.
const whale = "bc1pwhale"

func (b *bench) holder(i int) string {
	digest := md5.Sum([]byte(strconv.Itoa(i % b.holders())))
	return "bc1p" + strings.Repeat(hex.EncodeToString(digest[:]), 2)
}

// inscribedTx is the transaction that inscribed number n.
func inscribedTx(n int) string {
	digest := sha256.Sum256([]byte(strconv.Itoa(n)))
	return hex.EncodeToString(digest[:])
}

// holders is how many addresses share three quarters of the inscriptions; one has the others.
func (b *bench) holders() int { return b.inscribed / 20 }

// worldSQL fills in what the text of the world's queries leaves open.
func (b *bench) worldSQL(query string) string {
	return inscriptions.Spec().SQL(strings.NewReplacer(
		"{all}", strconv.Itoa(b.inscribed), "{from}", strconv.Itoa(inscribedFrom), "{each}", strconv.Itoa(inscribedPerBlock),
		"{blocks}", strconv.Itoa(b.inscribedBlocks()), "{sat}", strconv.Itoa(crowdedSat), "{stride}", strconv.Itoa(b.stride()), "{crowded}", strconv.Itoa(b.crowded()),
		"{moves}", strconv.Itoa(inscribedMoves), "{whale}", whale, "{part}", strconv.Itoa(inscribedPart), "{holders}", strconv.Itoa(b.holders()),
		"{step}", strconv.Itoa(1_000_000_000_000_000/b.inscribed/10*10), // ordinary sats end with 7: none is the first of a block
	).Replace(query))
}

func (b *bench) inscribedBlocks() int {
	return (b.inscribed+inscribedPerBlock-1)/inscribedPerBlock + inscribedMoves
}

// inscribedMoves is how many blocks later those move that do.
const inscribedMoves = 3

// made is the world in SQL: of each number n, the inscription, and when and to whom it moved, if it did. One in {stride} is on
// the crowded sat; one in a hundred on a rare sat; one in fifty is cursed; one in ten refers to the first one, and one in ten
// was sold. Numbers leave out none.
const made = `
	CREATE UNLOGGED TABLE public.made AS
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

// worldRows are the rows of the tables, set-based, from what was made. Contents are empty, and charms are none.
var worldRows = []string{
	`INSERT INTO {schema}.inscription (number, classic_number, sat, height, tx_index, source_seq, content_at, content_length, content_size, fee,
		"transaction", operation, charms, rarity, recursive, id, content_type, mime_type, genesis_address, parents, recursion_refs)
	SELECT number, number, sat, height, tx_index, 1, 0, 0, 0, 1000, tx_index, 0, 0, rarity, recursive, encode(tx, 'hex') || 'i0', mime_type, mime_type,
	       inscriber, '{}', CASE WHEN recursive THEN ARRAY[encode(sha256('0'), 'hex') || 'i0'] ELSE '{}' END
	FROM public.made ORDER BY n`,
	`INSERT INTO {schema}.owner (sat, number, height, tx_index, id, address)
	SELECT sat, number, height, tx_index, encode(tx, 'hex') || 'i0', coalesce(buyer, inscriber) FROM public.made ORDER BY n`,
	// What is on the crowded sat already moves with each that comes.
	`INSERT INTO {schema}.location (sat, height, tx_index, source_seq, moved, value, sat_offset, block_order, "transaction", operation, type, txid, output_txid, vout, address)
	SELECT sat, height, tx_index, 1, CASE WHEN sat = {sat} THEN n / {stride} ELSE 0 END, 546, 0, tx_index AS block_order, tx_index, 0, 1, tx, tx, '0', inscriber FROM public.made
	UNION ALL
	SELECT sat, height + {moves}, {each} + tx_index, 1, 1, 10000, 0, {each} + tx_index, {each} + tx_index, 0, 1, sha256('move ' || n::text::bytea), sha256('move ' || n::text::bytea), '0', buyer
	FROM public.made WHERE buyer IS NOT NULL
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

// worldLists are the lists: the table of their rows, the SQL of their names, which rows have one, and what they are ordered by.
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

// worldList fills the tables of package ranked for such lists. Parts begin with every {part}th entry, and a sat with many
// has one of its own, because equal keys stay together.
const worldList = `
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

// inscriptionWorld makes a database with all of them.
func (b *bench) inscriptionWorld(ctx context.Context) (url string, err error) {
	if b.inscribed < 10_000 || b.inscribed > inscribedMax {
		return "", fmt.Errorf("-inscriptions %d: want 10,000 to %d", b.inscribed, inscribedMax)
	}
	url, pool, err := b.database(ctx, "inscriptions")
	if err != nil {
		return "", err
	}
	defer pool.Close()
	server, err := b.serve(ctx, url) // makes the tables
	if err != nil {
		return "", err
	}
	server.stop()
	if err := b.writeInscriptions(ctx, pool); err != nil {
		return "", err
	}
	tip := inscribedFrom + b.inscribedBlocks() - 1
	for _, query := range []string{
		`INSERT INTO log.event SELECT 1, now(), 0, NULL, sha256(''), 'bench', '/payload', '', NULL, ''`,
		fmt.Sprintf(`UPDATE strata.projection SET position = 1, log_seq = 1, block_height = %[1]d, index_block_hash = sha256('%[1]d'), block_hash = sha256('%[1]d'), burn_block_height = %[1]d`, tip),
	} {
		if _, err := pool.Exec(ctx, query); err != nil {
			return "", fmt.Errorf("%.60s…: %w", query, err)
		}
	}
	return url, nil
}

// writeInscriptions fills the tables.
func (b *bench) writeInscriptions(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	run := runningOn(ctx, conn, b.worldSQL)
	if err := run(muchMemory, made); err != nil {
		return err
	}
	restore, err := dropIndexes(ctx, conn, []string{b.worldSQL("{schema}.inscription"), b.worldSQL("{schema}.owner"), b.worldSQL("{schema}.location"), b.worldSQL("{schema}.satoshi")})
	if err != nil {
		return err
	}
	queries := append(slices.Clone(worldRows), restore...)
	queries = append(queries, `DROP TABLE public.made`, `ANALYZE {schema}.inscription`, `ANALYZE {schema}.owner`)
	for _, l := range worldLists {
		queries = append(queries, strings.NewReplacer("{table}", l.table, "{name}", l.name, "{a}", l.a, "{b}", l.b, "{c}", l.c,
			"{of}", l.of, "{ties}", strconv.FormatBool(l.a == "sat")).Replace(worldList))
	}
	for _, table := range []string{"inscription", "owner", "location", "satoshi", "block", "list", "part"} {
		queries = append(queries, `VACUUM (ANALYZE) {schema}.`+table)
	}
	return run(queries...)
}
