package importer_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/klauspost/compress/gzip"

	"strata/eventstore"
	"strata/eventstore/importer"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

var migrated = pgtest.Template("log", migrations.Up)

func openLog(t testing.TB) *eventstore.Log {
	t.Helper()
	return logAt(t, migrated.Fresh(t))
}

// logAt opens the log in the database at url.
func logAt(t testing.TB, url string) *eventstore.Log {
	t.Helper()
	pool := must.Get(pgxpool.New(context.Background(), url))(t)
	t.Cleanup(pool.Close)
	log := eventstore.Open(pool, eventstore.Config{})
	t.Cleanup(log.Close)
	return log
}

// writeFile makes a file in a folder of its own.
func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func packed(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(z.Write([]byte(text)))(t)
	must.Do(t, z.Close())
	return b.String()
}

func mustImport(t testing.TB, log *eventstore.Log, o importer.Options) importer.Result {
	t.Helper()
	return must.Get(importer.Import(context.Background(), log, o))(t)
}

func files(names ...string) importer.Options { return importer.Options{Files: names} }

func mustExport(t testing.TB, log *eventstore.Log, o importer.ExportOptions) string {
	t.Helper()
	var b bytes.Buffer
	must.Get(importer.Export(context.Background(), log, &b, o))(t)
	return b.String()
}

func readAll(t testing.TB, log *eventstore.Log) []eventstore.Event {
	t.Helper()
	var all []eventstore.Event
	for {
		page := must.Get(log.Read(context.Background(), eventstore.Range{After: int64(len(all)), Events: 1000, Bytes: 64 << 20}))(t)
		if len(page) == 0 {
			return all
		}
		all = append(all, page...)
	}
}

// checkpoint is the log's size and Merkle root. The root covers everything that the log says of its events.
func checkpoint(t testing.TB, log *eventstore.Log) string {
	t.Helper()
	size, root, err := log.Checkpoint(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d events, root %x", size, root)
}

func wantSize(t testing.TB, log *eventstore.Log, want int64) {
	t.Helper()
	got := must.Get(log.Size(context.Background()))(t)
	if got != want {
		t.Fatalf("the log has %d events, want %d", got, want)
	}
}

// wantText compares long texts and shows where they part.
func wantText(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(0, at-40)
	t.Errorf("%s: %d bytes, want %d; they part at %d:\ngot  %.120q\nwant %.120q", what, len(got), len(want), at, got[from:], want[from:])
}

// A file as the reference export writes it, with what needs escapes.
var copyFixture = strings.Join([]string{
	`1	2022-10-05 16:20:34.2+00	/new_burn_block	{"burn_block_height": 1}`,
	`2	2022-10-05 16:20:34.446375+00	/new_block	{"vm_error": "line\\nbreak \\"quoted\\" back\\\\slash \\u0001", "events": []}`,
	`2	2022-10-05 16:20:34+00	/new_block	{"vm_error": "line\\nbreak \\"quoted\\" back\\\\slash \\u0001", "events": []}`,
	`007	2022-10-05 18:20:34+02	/drop_mempool_tx	{"a":\t[1,\n2]}`,
	`\N	2022-10-05 21:50:34.000001+05:30	/new_mempool_tx/	["0x00"]`,
	`5	2022-10-05 16:20:35+00	/unknown\\path	{"é": "\\u2028", "": 18446744073709551616}`,
	`5	2022-10-05 16:20:36+00	/new_block	{"vm_error": "line\\nbreak \\"quoted\\" back\\\\slash \\u0001", "events": []}`,
	"",
}, "\n")

// The same in the dialect of an observer that writes bodies as they come.
var rawFixture = strings.Join([]string{
	`1	2025-01-01T00:00:00.000Z	/new_burn_block	{"burn_block_height":1}`,
	`2	2025-01-01T00:00:00.123456Z	/new_block	{"vm_error":"line\nbreak \"quoted\" back\\slash \u0000","n":18446744073709551616}`,
	`2	2025-01-01T00:00:00.123Z	/new_block	{"vm_error":"line\nbreak \"quoted\" back\\slash \u0000","n":18446744073709551616}`,
	`	2025-01-01T00:00:01Z	/attachments/new	[]`,
	`9	2025-01-01T00:00:02Z	/new_mempool_tx	{"tab":	"é"}`,
	"",
}, "\n")

// Bodies that are no JSON at all, which only the copy dialect carries.
var anyFixture = strings.Join([]string{
	`1	2025-01-01 00:00:00+00	/x	{"a": "\\n"}`,
	`2	2025-01-01 00:00:00+00	/x	<html>\r\n\t\x00\xff\\N`,
	`3	2025-01-01 00:00:00+00	/x	`,
	`4	2025-01-01 00:00:00+00	/x	\\.`,
	"",
}, "\n")

// synthetic is an archive of n events with different bodies, some of which come twice.
func synthetic(n int, seed uint64) string { return syntheticWide(n, seed, 1) }

// syntheticWide has bodies that are larger by a factor.
func syntheticWide(n int, seed uint64, factor int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for i := range n {
		size := 100 + r.IntN(400)
		if r.IntN(20) == 0 {
			size = 3000
		}
		body := r.Uint64()
		if r.IntN(10) == 0 {
			body = uint64(r.IntN(20))
		}
		fmt.Fprintf(&b, "%d\t2024-03-13 15:34:%02d.%03d+00\t/new_block\t{\"n\": \"%016x\", \"text\": \"a\\\\nb\", \"fill\": \"%s\"}\n",
			i*2+1, i/1000%60, i%1000/100*100+11, body, strings.Repeat(fmt.Sprintf("%x", body), factor*size/16))
	}
	return b.String()
}
