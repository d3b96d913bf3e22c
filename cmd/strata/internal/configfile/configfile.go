// Package configfile reads settings from a file in TOML: each key is the name of a flag without its dashes at the front, such as
// database-url. Arguments of the command line and variables of the environment win.
package configfile

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
	"github.com/pelletier/go-toml/v2"

	"strata/cmd/strata/internal/secretfile"
	"strata/cmd/strata/internal/setting"
)

// Loader returns kong's loader of such files. lookup returns the value of an environment variable.
func Loader(lookup func(name string) (string, bool)) kong.ConfigurationLoader {
	return func(r io.Reader) (kong.Resolver, error) {
		content, err := io.ReadAll(io.LimitReader(r, sizeMax+1))
		if err != nil {
			return nil, err
		}
		if len(content) > sizeMax {
			return nil, errors.New("it has more than 1 MiB")
		}
		f := &file{lookup: lookup}
		if err := toml.Unmarshal(content, &f.values); err != nil {
			var where *toml.DecodeError
			if errors.As(err, &where) {
				line, column := where.Position()
				return nil, fmt.Errorf("line %d, column %d: %w", line, column, err)
			}
			return nil, err
		}
		return f, nil
	}
}

// sizeMax is the size of the largest file, in bytes.
const sizeMax = 1 << 20

// file is a file of settings, as a resolver of flags.
type file struct {
	values map[string]any
	lookup func(name string) (string, bool)
}

// configFlag is the flag that names the file, which the file can't.
const configFlag = "config"

// Validate implements kong.Resolver: each key is the name of a flag, and each value can be one.
func (f *file) Validate(app *kong.Application) error {
	known := map[string]*kong.Flag{}
	for _, leaf := range app.Leaves(false) {
		for _, level := range leaf.AllFlags(false) {
			for _, flag := range level {
				if len(flag.Envs) > 0 && flag.Name != configFlag {
					known[flag.Name] = flag
				}
			}
		}
	}
	names := slices.Sorted(maps.Keys(known))
	for _, key := range slices.Sorted(maps.Keys(f.values)) {
		if known[key] == nil {
			return fmt.Errorf("unknown setting %s%s", key, guess(key, names))
		}
		if _, err := text(f.values[key], known[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// guess names the setting that was probably meant, or says what holds instead.
func guess(key string, names []string) string {
	if now := setting.Fixed(key); now != "" {
		return now
	}
	near, fewest := "", len(key)/3+1
	for _, name := range names {
		if n := levenshtein.ComputeDistance(key, name); n < fewest {
			near, fewest = name, n
		}
	}
	if near == "" {
		return ": strata settings lists what there is"
	}
	return ", did you mean " + near + "?"
}

// Resolve implements kong.Resolver.
func (f *file) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	value, ok := f.values[flag.Name]
	if !ok || len(flag.Envs) == 0 || flag.Name == configFlag {
		return nil, nil
	}
	for _, name := range flag.Envs {
		for _, variable := range append([]string{name}, secretfile.VariableOf(name)...) {
			if set, ok := f.lookup(variable); ok && set != "" {
				return nil, nil //nolint:nilnil // the way in which a resolver says that it has no value
			}
		}
	}
	return text(value, flag)
}

// text returns a value as an argument of the command line would be.
func text(value any, flag *kong.Flag) (string, error) {
	switch v := value.(type) {
	case string:
		if flag.IsSlice() {
			return escape(v, flag.Tag.Sep), nil
		}
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case []any:
		if !flag.IsSlice() {
			return "", errors.New("it is a list, and the setting has one value")
		}
		parts := make([]string, len(v))
		for i, part := range v {
			one, err := text(part, flag)
			if _, scalar := part.(string); err != nil || !scalar {
				return "", errors.New("it is a list of something else than text")
			}
			parts[i] = one
		}
		return strings.Join(parts, string(flag.Tag.Sep)), nil
	case map[string]any:
		return "", errors.New("it is a table; settings stand at the top of the file")
	case time.Time, toml.LocalDate, toml.LocalDateTime, toml.LocalTime:
		return "", errors.New("no setting is a date")
	}
	return "", fmt.Errorf("no setting has a value of type %T", value)
}

// escape keeps a separator in a text from ending the element of a list.
func escape(s string, separator rune) string {
	if separator == -1 {
		return s
	}
	return strings.ReplaceAll(s, string(separator), `\`+string(separator))
}
