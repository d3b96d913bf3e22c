// Command bench measures Strata against the targets of docs/performance.md and prints a table. Next to each figure is a
// baseline from the same run, measured in turns with it if possible, because absolute numbers of two runs cannot be
// compared.
package main

import (
	"context"
	"flag"
	"fmt"
	neturl "net/url"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/internal/postgres"
	"strata/metadata"
	"strata/migrations"
)

// bench is a run of the program.
type bench struct {
	cluster    *postgres.Cluster
	dir        string
	strata     string // path of the strata program
	recordings []string
	blocks     int
	round      time.Duration
	distinct   int // different requests to the answer cache
	known      int // tokens whose metadata is read
	inscribed  int // inscriptions to read
	chain      chainWorld
	rebuilt    int // maximum number of events in a log from which projections are built
	forwarded  int // requests to nodes while memory is sampled
	backfill   backfill
	readsURL   string // the database of reads, as soon as it exists
	table      *tabwriter.Writer
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == partFlag {
		if err := runPart(context.Background(), os.Args[2]); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", os.Args[2], err)
			os.Exit(1)
		}
		return
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	blocks := flag.Int("blocks", 100_000, "number of blocks of the synthetic chain for \"fold synthetic\"")
	rows := flag.Int("ledger", 1_000_000, "number of ledger rows for \"balance\"")
	round := flag.Duration("round", time.Second, "duration of each round of load on the API")
	distinct := flag.Int("distinct", 500_000, "number of different requests to the answer cache for \"keys\"")
	known := flag.Int("known", 1_000_000, "number of tokens whose metadata \"tokens\" reads")
	tokens := flag.Int("tokens", 100_000, "number of tokens whose metadata \"backfill\" fetches")
	concurrencies := []int{32, metadata.ConcurrencyDefault, 128}
	flag.Func("fetch-concurrency", "comma-separated numbers of concurrent metadata requests; \"backfill\" runs once for each (default 32,64,128)",
		func(text string) (err error) {
			concurrencies, err = numbers(text)
			return err
		})
	inscribed := flag.Int("inscriptions", 500_000, "number of inscriptions for \"ordinals reads\"")
	transactions := flag.Int("transactions", 1_000_000, "number of transactions for \"transactions\"; there is one account for ten of them")
	rebuilt := flag.Int("rebuild", 1_000_000, "number of events in the longest synthetic log for \"rebuild\"")
	forwarded := flag.Int("forwarded", 1_000_000, "number of requests that \"proxy\" forwards while it samples memory")
	only := flag.String("only", "", "run only measurements whose name contains one of these comma-separated texts (default all)")
	recordings := flag.String("recordings", "../shared/data/events/*.tsv.gz", "pattern of archives for \"fold recordings\" and \"rebuild\"; no match is no error")
	flag.Parse()

	dir, err := postgres.MkdirTemp("strata-bench-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b := &bench{
		dir: dir, blocks: *blocks, round: *round, distinct: *distinct, known: *known, inscribed: *inscribed, chain: chainWorld{*transactions},
		rebuilt: *rebuilt, forwarded: *forwarded, backfill: backfill{*tokens, concurrencies},
		table: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0),
	}
	if b.recordings, err = filepath.Glob(*recordings); err != nil {
		return err
	}
	if b.strata, err = build(ctx, dir); err != nil {
		return err
	}
	if b.cluster, err = postgres.Start(ctx, postgres.Config{DataDir: dir}); err != nil {
		return err
	}
	defer func() { _ = b.cluster.Stop(context.Background()) }()

	fmt.Printf("%s/%s, %d cores, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	_, _ = fmt.Fprintln(b.table, "MEASUREMENT\tSTRATA\tBASELINE\tRATIO\tTARGET")
	defer func() { _ = b.table.Flush() }()
	for _, measurement := range []struct {
		name string
		run  func(ctx context.Context) error
	}{
		{"acknowledge", b.acknowledge},
		{"visible", b.visible},
		{"import", b.importing},
		{"fold recordings", b.foldRecordings},
		{"fold synthetic", b.foldSynthetic},
		{"rebuild", b.rebuilding},
		{"balance", func(ctx context.Context) error { return b.balance(ctx, *rows) }},
		{"hot", b.hot},
		{"not modified", b.notModified},
		{"redis", b.redisTier},
		{"cold", b.cold},
		{"hits", b.hits},
		{"keys", b.keys},
		{"tokens", b.tokens},
		{"backfill", b.backfilling},
		{"transactions", b.readTransactions},
		{"ordinals acknowledge", b.acknowledgePayloads},
		{"ordinals fold", b.foldPayloads},
		{"ordinals visible", b.visiblePayloads},
		{"ordinals reads", b.readInscriptions},
		{"proxy", b.proxies},
		{"live", b.streaming},
	} {
		if !slices.ContainsFunc(strings.Split(*only, ","), func(part string) bool { return strings.Contains(measurement.name, part) }) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring: %s …\n", measurement.name)
		if err := measurement.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", measurement.name, err)
		}
	}
	return nil
}

// numbers parses comma-separated positive numbers.
func numbers(text string) (all []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("want comma-separated positive numbers, got %q", text)
		}
		all = append(all, n)
	}
	return all, nil
}

// row adds a line to the table.
func (b *bench) row(what, strata, baseline, ratio, target string) {
	_, _ = fmt.Fprintf(b.table, "%s\t%s\t%s\t%s\t%s\n", what, strata, baseline, ratio, target)
}

// database creates a migrated database and a pool on it.
func (b *bench) database(ctx context.Context, name string) (url string, pool *pgxpool.Pool, err error) {
	admin, err := pgxpool.New(ctx, b.cluster.AdminURL())
	if err != nil {
		return "", nil, err
	}
	defer admin.Close()
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+name+" OWNER strata"); err != nil {
		return "", nil, err
	}
	location, err := neturl.Parse(b.cluster.URL())
	if err != nil {
		return "", nil, err
	}
	location.Path = "/" + name
	url = location.String()
	if err := migrations.Up(ctx, url); err != nil {
		return "", nil, err
	}
	pool, err = pgxpool.New(ctx, url)
	return url, pool, err
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

func mbs(bytes int64, took time.Duration) string {
	return fmt.Sprintf("%.0f MB/s", float64(bytes)/1e6/took.Seconds())
}

func times(a, b float64) string { return fmt.Sprintf("%.2f×", a/b) }
