package fold

import (
	"bytes"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"strata/cmd/bench/internal/bench"
)

// shares are the shares of the parts of a build in its processor time. They add up to 1.
type shares struct {
	Read, Decode, Fold, Write, Runtime float64
}

func (s shares) String() string {
	return fmt.Sprintf("read %.0f %%, decode %.0f %%, fold %.0f %%, write %.0f %%, the rest (collecting garbage, scheduling) %.0f %%",
		100*s.Read, 100*s.Decode, 100*s.Fold, 100*s.Write, 100*s.Runtime)
}

// profiling is a running CPU profile of this process.
type profiling struct{ out bytes.Buffer }

func beginProfile() (*profiling, error) {
	p := &profiling{}
	return p, pprof.StartCPUProfile(&p.out)
}

func (p *profiling) end() (s shares, err error) {
	pprof.StopCPUProfile()
	parsed, err := profile.Parse(&p.out)
	if err != nil {
		return s, err
	}
	return share(parsed), nil
}

// share assigns each sample to a part of the build, by the innermost function that belongs to a part.
func share(p *profile.Profile) (s shares) {
	sum := 0.0
	for _, sample := range p.Sample {
		weight := float64(sample.Value[len(sample.Value)-1])
		sum += weight
		*s.of(stack(sample)) += weight
	}
	if sum == 0 {
		return s
	}
	for _, part := range []*float64{&s.Read, &s.Decode, &s.Fold, &s.Write, &s.Runtime} {
		*part /= sum
	}
	return s
}

// stack returns the names of a sample's functions, innermost first.
func stack(sample *profile.Sample) (functions []string) {
	for _, location := range sample.Location {
		for _, line := range location.Line {
			functions = append(functions, line.Function.Name)
		}
	}
	return functions
}

// of returns the share of the part that a stack belongs to.
func (s *shares) of(functions []string) *float64 {
	for i, function := range functions {
		switch {
		case strings.HasPrefix(function, "github.com/jackc/"):
			// Projections mostly write to the database; all other callers read the log.
			for _, outer := range functions[i:] {
				if strings.HasPrefix(outer, "strata/projections/") {
					return &s.Write
				}
			}
			return &s.Read
		case strings.HasPrefix(function, "strata/domain/"), strings.HasPrefix(function, "github.com/go-json-experiment/"):
			return &s.Decode
		case strings.HasPrefix(function, "strata/projections"):
			return &s.Fold
		}
	}
	return &s.Runtime
}

func ownProcessorTime() (time.Duration, error) { return bench.ProcessorTime(os.Getpid()) }
