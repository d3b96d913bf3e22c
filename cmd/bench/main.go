// Command bench measures Strata against the targets of docs/performance.md and prints a table. Next to each figure is a
// baseline from the same run, measured in turns with it if possible, because absolute numbers of two runs cannot be
// compared.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"strata/cmd/bench/internal/bench"
	"strata/cmd/bench/internal/fold"
	"strata/cmd/bench/internal/ingest"
	"strata/cmd/bench/internal/live"
	"strata/cmd/bench/internal/ordinals"
	"strata/cmd/bench/internal/overload"
	"strata/cmd/bench/internal/proxy"
	"strata/cmd/bench/internal/reads"
	"strata/cmd/bench/internal/tip"
	"strata/cmd/bench/internal/tokens"
)

// parts are the roles of helper processes.
var parts = bench.Parts{
	"handler": bench.ServeAnswers, "rebuild": fold.RebuildAll, "audience": live.Follow, "node": proxy.ServeNode, "reverse": proxy.ServeReverse,
	"outside": tokens.ServeOutside,
}

// measurement is a measurement that can be chosen by its name.
type measurement struct {
	name string
	run  func(ctx context.Context)
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == bench.PartFlag {
		if err := bench.Catch(func() { parts.Run(context.Background(), os.Args[2]) }); err != nil {
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

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	blocks := flag.Int("blocks", 100_000, "number of blocks of the synthetic chain for \"fold synthetic\"")
	small := flag.Int("bodies", 2_000_000, "number of small events in the longer log of \"body\"; the other has a tenth")
	round := flag.Duration("round", time.Second, "duration of each round of load on the API")
	known := flag.Int("known", 100_000, "number of tokens whose metadata \"tokens\" fetches, and then reads")
	fetched := flag.Int("tokens", 100_000, "number of tokens whose metadata \"backfill\" fetches")
	inscribed := flag.Int("inscriptions", 500_000, "number of inscriptions for \"ordinals reads\"")
	executed := flag.Int("transactions", 330_000, "number of transfers for \"balance\", \"hot\", \"redis\", \"cold\" and \"transactions\"; there are three accounts for ten of them")
	stakers := flag.Int("stakers", 100_000, "number of stakers for \"staking reads\"")
	named := flag.Int("names", 100_000, "number of names in each registry for \"names\"")
	rebuilt := flag.Int("rebuild", 1_000_000, "number of events in the longest synthetic log for \"rebuild\"")
	forwarded := flag.Int("forwarded", 1_000_000, "number of requests that \"proxy\" forwards while it samples memory")
	only := flag.String("only", "", "run only measurements whose name contains one of these comma-separated texts (default all)")
	recordings := flag.String("recordings", "../shared/data/events/*.tsv.gz", "pattern of archives for \"rebuild\" and \"tip\"; no match is no error")
	before := flag.String("before", "", "path of an earlier strata program, which \"tip\" measures in turns with this one")
	flag.Parse()

	archives, err := filepath.Glob(*recordings)
	if err != nil {
		return err
	}
	var b *bench.Bench
	if err := bench.Catch(func() { b = bench.Start(ctx, *round, os.Stdout) }); err != nil {
		return err
	}
	defer b.Stop()

	ingested := ingest.Bench{Bench: b, Events: *small}
	followed := tip.Bench{Bench: b, Recordings: archives, Before: *before}
	folded := fold.Bench{Bench: b, Blocks: *blocks, Recordings: archives, Rebuilt: *rebuilt}
	read := reads.NewBench(b, *executed, *named, *stakers)
	token := tokens.Bench{Bench: b, Known: *known, Fetched: *fetched}
	inscription := ordinals.Bench{Bench: b, Inscriptions: *inscribed}
	forward := proxy.Bench{Bench: b, Forwarded: *forwarded}
	streams := live.Bench{Bench: b}

	fmt.Printf("%s/%s, %d cores, %s\n\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	b.Row("MEASUREMENT", "STRATA", "BASELINE", "RATIO", "TARGET")
	for _, m := range []measurement{
		{"acknowledge", ingested.Acknowledge},
		{"bloat", ingested.Bloat},
		{"body", ingested.Body},
		{"tip", followed.Measure},
		{"import", folded.Import},
		{"fold synthetic", folded.FoldSynthetic},
		{"rebuild", folded.Rebuild},
		{"size", folded.Size},
		{"history", folded.History},
		{"genesis", folded.Genesis},
		{"staking fold", folded.Staking},
		{"staking reads", read.ReadStaking},
		{"names", read.ReadNames},
		{"balance", read.Balance},
		{"hot", read.Hot},
		{"redis", read.Redis},
		{"cold", read.Cold},
		{"overload", overload.Bench{Bench: b}.Measure},
		{"tokens", token.Reads},
		{"backfill", token.Backfill},
		{"transactions", read.ReadTransactions},
		{"ordinals acknowledge", inscription.Acknowledge},
		{"ordinals fold", inscription.Fold},
		{"ordinals visible", inscription.Visible},
		{"ordinals reads", inscription.Reads},
		{"proxy", forward.Measure},
		{"live", streams.Measure},
	} {
		if !slices.ContainsFunc(strings.Split(*only, ","), func(part string) bool { return strings.Contains(m.name, part) }) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring: %s …\n", m.name)
		if err := bench.Catch(func() { m.run(ctx) }); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return nil
}
