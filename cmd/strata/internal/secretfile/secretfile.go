// Package secretfile reads settings that are secret from files, such as those that an orchestrator mounts: for a setting
// STRATA_X, the variable STRATA_X_FILE names the file. So no secret has to be among arguments or environment variables, which
// other programs on the machine may see.
package secretfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// settings are the variables of settings that are secret, or that have a password in them.
var settings = []string{
	"STRATA_ADMIN_TOKEN", "STRATA_DATABASE_READ_URL", "STRATA_DATABASE_URL", "STRATA_FAUCET_PRIVATE_KEY", "STRATA_OBSERVER_SECRET",
	"STRATA_ORDHOOK_TOKEN", "STRATA_REDIS_URL",
}

const suffix = "_FILE"

// Variables returns the variables that name files.
func Variables() []string {
	names := make([]string, len(settings))
	for i, name := range settings {
		names[i] = name + suffix
	}
	return names
}

// VariableOf returns the variable that names a file with the value of a setting; none for a setting that is no secret.
func VariableOf(name string) []string {
	if slices.Contains(settings, name) {
		return []string{name + suffix}
	}
	return nil
}

// sizeMax is the length of the longest file, in bytes: a longer one is another file than was meant.
const sizeMax = 64 << 10

var (
	errBoth  = errors.New("set one of them only")
	errLong  = errors.New("it has more than 64 KiB")
	errEmpty = errors.New("it is empty")
)

// Resolver resolves flags from files that variables name. Arguments of the command line take precedence.
type Resolver struct {
	// Lookup returns the value of an environment variable.
	Lookup func(name string) (value string, ok bool)
}

// Validate implements kong.Resolver.
func (Resolver) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver.
func (r Resolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if !slices.Contains(settings, name) {
			continue
		}
		path, ok := r.Lookup(name + suffix)
		if !ok || path == "" {
			continue
		}
		if value, ok := r.Lookup(name); ok && value != "" {
			return nil, fmt.Errorf("%s and %s: %w", name, name+suffix, errBoth)
		}
		secret, err := read(path)
		if err != nil {
			return nil, fmt.Errorf("%s: read %s: %w", name+suffix, path, err)
		}
		return secret, nil
	}
	return nil, nil //nolint:nilnil // the way in which a resolver says that it has no value
}

// read returns the text of a file without the line break at its end.
func read(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, sizeMax+1))
	secret := strings.TrimRight(string(text), "\r\n")
	switch {
	case err != nil:
		return "", err
	case len(text) > sizeMax:
		return "", errLong
	case secret == "":
		return "", errEmpty
	}
	return secret, nil
}
