package secretfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"strata/internal/testkit/must"
)

type flags struct {
	ObserverSecret string `env:"STRATA_OBSERVER_SECRET"`
	APIAddr        string `default:"here" env:"STRATA_API_ADDR"`
}

// parse parses arguments with these variables.
func parse(t *testing.T, variables map[string]string, args ...string) (flags, error) {
	t.Helper()
	var got flags
	for name, value := range variables {
		t.Setenv(name, value)
	}
	parser, err := kong.New(&got, kong.Resolvers(Resolver{Lookup: os.LookupEnv}))
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return got, err
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestSecretsAreRead(t *testing.T) {
	got, err := parse(t, map[string]string{"STRATA_OBSERVER_SECRET_FILE": file(t, "open sesame\n"), "STRATA_API_ADDR_FILE": "/nowhere"})
	if err != nil || got != (flags{"open sesame", "here"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err = parse(t, nil, "--observer-secret", "given"); err != nil || got.ObserverSecret != "given" {
		t.Errorf("with an argument: got %+v, %v", got, err)
	}
}

func TestSecretErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		variables map[string]string
		want      error
	}{
		"no file": {map[string]string{"STRATA_OBSERVER_SECRET_FILE": filepath.Join(t.TempDir(), "none")}, fs.ErrNotExist},
		"empty":   {map[string]string{"STRATA_OBSERVER_SECRET_FILE": file(t, "\n")}, errEmpty},
		"long":    {map[string]string{"STRATA_OBSERVER_SECRET_FILE": file(t, strings.Repeat("x", sizeMax+1))}, errLong},
		"both":    {map[string]string{"STRATA_OBSERVER_SECRET_FILE": file(t, "x"), "STRATA_OBSERVER_SECRET": "y"}, errBoth},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parse(t, tt.variables); !errors.Is(err, tt.want) && (err == nil || !strings.Contains(err.Error(), tt.want.Error())) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}
