// Command bench measures Strata against the targets of docs/performance.md and prints a table. Every figure stands
// beside a baseline that was measured in the same run, interleaved with it where the two can be: absolute numbers of
// two runs can't be compared.
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

// bench is one run.
type bench struct {
	cluster    *postgres.Cluster
	dir        string
	strata     string // the program
	recordings []string
	blocks     int
	round      time.Duration
	distinct   int // requests that memory is flooded with
	known      int // tokens whose metadata is read
	inscribed  int // inscriptions that are read
	chain      chainWorld
	rebuilt    int // events that all projections are built from
	forwarded  int // requests to nodes while memory is watched
	backfill   backfill
	readsURL   string // the database of reads, once it is there
	table      *tabwriter.Writer
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == partFlag {
		if err := part(context.Background(), os.Args[2]); err != nil {
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
	blocks := flag.Int("blocks", 100_000, "blocks of the synthetic chain that is folded in bulk")
	rows := flag.Int("ledger", 1_000_000, "rows of the ledger that balances are read from")
	round := flag.Duration("round", time.Second, "time of one turn of load on the API")
	distinct := flag.Int("distinct", 500_000, "different requests that the memory for answers is flooded with")
	known := flag.Int("known", 1_000_000, "tokens whose metadata is read")
	tokens := flag.Int("tokens", 100_000, "tokens whose metadata is fetched")
	concurrencies := []int{32, metadata.ConcurrencyDefault, 128}
	flag.Func("fetch-concurrency", "requests for token metadata under way at the same time, in one run after the other, with commas between (default 32,64,128)",
		func(text string) (err error) {
			concurrencies, err = numbers(text)
			return err
		})
	inscribed := flag.Int("inscriptions", 500_000, "inscriptions that are read")
	transactions := flag.Int("transactions", 1_000_000, "transactions that are read, of a tenth as many accounts")
	rebuilt := flag.Int("rebuild", 1_000_000, "events of the longest synthetic log that all projections are built from")
	forwarded := flag.Int("forwarded", 1_000_000, "requests that are forwarded to a node while memory is watched")
	only := flag.String("only", "", "run only the measurements whose name contains one of these, with commas between")
	recordings := flag.String("recordings", "../shared/data/events/*.tsv.gz", "archives that are folded in bulk, where there are any")
	flag.Parse()

	dir, err := os.MkdirTemp("", "strata-bench-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// Postgres may have to run as another user, who must get through.
	if err := os.Chmod(dir, 0o711); err != nil {
		return err
	}
	b := &bench{
		dir: dir, blocks: *blocks, round: *round, distinct: *distinct, known: *known, inscribed: *inscribed, chain: chainWorld{*transactions}, rebuilt: *rebuilt, forwarded: *forwarded,
		backfill: backfill{*tokens, concurrencies}, table: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0),
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

// numbers reads positive numbers with commas between.
func numbers(text string) (all []int, err error) {
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("want positive numbers with commas between, got %q", text)
		}
		all = append(all, n)
	}
	return all, nil
}

// row adds a line to the table.
func (b *bench) row(what, strata, baseline, ratio, target string) {
	_, _ = fmt.Fprintf(b.table, "%s\t%s\t%s\t%s\t%s\n", what, strata, baseline, ratio, target)
}

// database makes a fresh, migrated database and a pool on it.
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
