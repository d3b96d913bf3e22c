// Package settings is strata settings: the settings of a server, and their reference in the documentation.
package settings

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"strata/cmd/strata/internal/setting"
)

// Command is strata settings.
type Command struct {
	Write string `placeholder:"FILE" help:"Write the reference into a Markdown file, between its marks, instead."`
	Check string `placeholder:"FILE" help:"Check that the reference in a Markdown file is what --write would write, instead."`
}

// The marks between which the reference stands.
const (
	begin = "<!-- Begin of the settings, which make generate writes. -->\n"
	end   = "<!-- End of the settings. -->\n"
)

// Run prints the settings of strata serve.
func (c *Command) Run(parsed *kong.Context) error {
	all, err := ofServe(parsed.Model)
	if err != nil {
		return err
	}
	if c.Write == "" && c.Check == "" {
		for _, s := range all {
			fmt.Printf("%s (--%s, %s)", s.Flag, s.Flag, s.Variable)
			if s.Default != "" {
				fmt.Printf(" = %s", s.Default)
			}
			fmt.Printf("\n    %s\n", s.Help)
		}
		return nil
	}
	path := c.Write + c.Check
	if c.Write != "" && c.Check != "" {
		return errors.New("give one of --write and --check")
	}
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	after, err := Insert(string(before), all)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	switch {
	case after == string(before):
		return nil
	case c.Check != "":
		return fmt.Errorf("the settings in %s are stale: run make generate", path)
	}
	return os.WriteFile(path, []byte(after), 0o644)
}

func ofServe(app *kong.Application) ([]setting.Setting, error) {
	for _, leaf := range app.Leaves(true) {
		if leaf.Name == "serve" {
			return setting.Of(leaf), nil
		}
	}
	return nil, errors.New("there is no command serve")
}

// Insert returns a document with the reference between its marks. It fails for a note of a setting that there is not.
func Insert(document string, all []setting.Setting) (string, error) {
	known := map[string]bool{}
	for _, s := range all {
		known[s.Flag] = true
	}
	for flag := range notes {
		if !known[flag] {
			return "", fmt.Errorf("there is a note for --%s, which is no setting", flag)
		}
	}
	before, rest, ok := strings.Cut(document, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return "", errors.New("it lacks the marks between which the settings stand")
	}
	return before + begin + "\n" + setting.Markdown(all, notes) + "\n" + end + after, nil
}
