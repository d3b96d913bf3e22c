package mutate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Config says what to mutate, and what to run.
type Config struct {
	Package   string // a pattern of packages
	Sample    int    // 0 for all mutants
	Seed      uint64
	Only      *regexp.Regexp // of the keys of mutants
	Histories int            // of the simulator; 0 for none
	Reasons   string         // path of the file that says why mutants may survive
	Progress  io.Writer
}

// Result is what became of the mutants. Unexplained counts the survivors that no reason is known for.
type Result struct {
	Mutants, Tried, Tests, Simulator, Unexplained int
	Survivors                                     []Survivor
}

// Survivor is a mutant that nothing noticed. Reached: a test or a history ran what it changes.
type Survivor struct {
	Mutant
	Reached bool
	Reason  string
}

// suite is a test, or the simulator, in a binary with all mutants.
type suite struct {
	binary, dir, name string
	args              []string
	took              time.Duration
	reached           []byte // by the number of a mutant
}

// limit is how many times as long as without a mutant a run may take, and slack what it may take beside that.
const (
	limit = 5
	slack = 20 * time.Second
)

// runs are how many processes run at a time.
const runs = 2

// passes reports whether tests pass. Those that take too long don't.
func passes(ctx context.Context, s suite, mutant int, reached string) bool {
	if s.took > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit*s.took+slack)
		defer cancel()
	}
	command := exec.CommandContext(ctx, s.binary, append([]string{"-test.failfast", "-test.short", "-test.run", "^(" + s.name + ")$"}, s.args...)...)
	command.Dir, command.Env = s.dir, append(os.Environ(), "MUTANT="+strconv.Itoa(mutant), "MUTANTS_REACHED="+reached)
	// Only the process itself is killed: other tests may use the cluster that it has started.
	command.WaitDelay = time.Second
	err := command.Run()
	return err == nil || errors.Is(err, exec.ErrWaitDelay)
}

// each calls f for each element, runs of them at a time.
func each[T any](all []T, f func(int, T)) {
	var group sync.WaitGroup
	places := make(chan struct{}, runs)
	for i, one := range all {
		places <- struct{}{}
		group.Go(func() { f(i, one); <-places })
	}
	group.Wait()
}

// build builds the binaries, and learns which mutants each test reaches. A test that fails alone and without a mutant is left out.
func (s *schema) build(ctx context.Context, dir, path, folder string, only *regexp.Regexp, args []string, progress io.Writer) ([]suite, error) {
	binary := filepath.Join(dir, strings.NewReplacer("/", "_", ".", "_").Replace(path)+".test")
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", s.overlay, "-o", binary, path)
	if out, err := compile.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the tests of %s: %w: %s", path, err, out)
	}
	list := exec.CommandContext(ctx, binary, "-test.list", ".")
	list.Dir = folder
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests of %s: %w", path, err)
	}
	names := slices.DeleteFunc(strings.Fields(string(out)), func(name string) bool { return !only.MatchString(name) })
	suites := make([]suite, len(names))
	each(names, func(i int, name string) {
		test := suite{binary: binary, dir: folder, name: name, args: args}
		reached := filepath.Join(dir, name+".reached")
		if err := os.WriteFile(reached, make([]byte, len(s.mutants)+1), 0o600); err != nil {
			return
		}
		began := time.Now()
		passed := passes(ctx, test, 0, reached)
		test.took = time.Since(began)
		if !passed {
			_, _ = fmt.Fprintf(progress, "%s fails without a mutant and is left out\n", name)
			return
		}
		test.reached, _ = os.ReadFile(reached)
		suites[i] = test
	})
	return slices.DeleteFunc(suites, func(one suite) bool { return one.reached == nil }), nil
}

// killed reports whether one of the tests that reach a mutant notices it, and whether there are such tests. The quick ones go first.
func killed(ctx context.Context, suites []suite, mutant int) (dead, reached bool) {
	var reaching []suite
	for _, s := range suites {
		if s.reached[mutant] == 1 {
			reaching = append(reaching, s)
		}
	}
	slices.SortStableFunc(reaching, func(a, b suite) int { return int(a.took - b.took) })
	for len(reaching) > 0 {
		joint, n := reaching[0], 1
		for n < len(reaching) && n < 8 && reaching[n].binary == joint.binary {
			joint.name += "|" + reaching[n].name
			joint.took += reaching[n].took
			n++
		}
		if !passes(ctx, joint, mutant, "") {
			return true, true
		}
		reaching, reached = reaching[n:], true
	}
	return false, reached
}

// Run tries the mutants of a package.
func Run(ctx context.Context, config Config) (Result, error) {
	dir, err := os.MkdirTemp("", "strata-mutants-*")
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := newSchema(ctx, dir, config.Package)
	if err != nil {
		return Result{}, err
	}
	reasons, err := readReasons(config.Reasons)
	if err != nil {
		return Result{}, err
	}
	sample := slices.DeleteFunc(slices.Clone(s.mutants), func(m Mutant) bool { return !config.Only.MatchString(m.Key()) })
	if config.Sample > 0 && config.Sample < len(sample) {
		random := rand.New(rand.NewPCG(config.Seed, 0)) //nolint:gosec // a sample is no secret
		random.Shuffle(len(sample), func(i, j int) { sample[i], sample[j] = sample[j], sample[i] })
		sample = sample[:config.Sample]
	}
	result := Result{Mutants: len(s.mutants), Tried: len(sample)}
	var tests []suite
	for _, p := range s.packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			more, err := s.build(ctx, dir, p.ImportPath, p.Dir, regexp.MustCompile("^Test"), nil, config.Progress)
			if err != nil {
				return result, err
			}
			tests = append(tests, more...)
		}
	}
	dead := make([]int, len(sample))
	reached := make([]bool, len(sample))
	stage := func(number int, name string, suites []suite) {
		began := time.Now()
		each(sample, func(i int, m Mutant) {
			if dead[i] == 0 && ctx.Err() == nil {
				yes, ran := killed(ctx, suites, m.Number)
				reached[i] = reached[i] || ran
				if yes {
					dead[i] = number
				}
				_, _ = fmt.Fprintf(config.Progress, "%v %s %s killed=%v reached=%v: %s\n", time.Since(began).Round(time.Second), name, m.Place, yes, ran, m.Key())
			}
		})
	}
	stage(1, "tests", tests)
	if config.Histories > 0 && slices.Contains(dead, 0) {
		const simulation = "cmd/strata/internal/simulation"
		simulator, err := s.build(ctx, dir, "./"+simulation, filepath.Join(s.root, simulation), regexp.MustCompile("^TestSimulation$"),
			[]string{"-histories", strconv.Itoa(config.Histories), "-seed", "1"}, config.Progress)
		if err != nil {
			return result, err
		}
		stage(2, "simulator", simulator)
	}
	if ctx.Err() != nil {
		return result, ctx.Err()
	}
	for i, m := range sample {
		switch dead[i] {
		case 1:
			result.Tests++
		case 2:
			result.Simulator++
		default:
			survivor := Survivor{Mutant: m, Reached: reached[i], Reason: reasons[m.Key()]}
			if survivor.Reason == "" {
				result.Unexplained++
			}
			result.Survivors = append(result.Survivors, survivor)
		}
	}
	return result, nil
}

// readReasons reads a table in Markdown: function, operator, source, reason. A bar in the source is escaped there.
func readReasons(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(strings.ReplaceAll(line, `\|`, "\x00")), "|")
		if len(cells) != 6 {
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.Trim(strings.TrimSpace(cells[i]), "`"), "\x00", "|")
		}
		reasons[Mutant{Function: cells[1], Operator: cells[2], Source: cells[3]}.Key()] = cells[4]
	}
	return reasons, nil
}
