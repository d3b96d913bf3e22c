package migrations

import (
	"fmt"
	"io/fs"
	"regexp"
)

// function matches the creation of a function in the schema log, with its body.
var function = regexp.MustCompile(`(?s)CREATE (?:OR REPLACE )?FUNCTION log\.(\w+)\([^)]*\)[^$]*\$\$(.*?)\$\$`)

// LogFunctions returns the source of each function in the schema log, as the newest migration that has it writes it.
func LogFunctions() (map[string]string, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the migrations: %w", err)
	}
	sources := map[string]string{}
	for _, name := range names { // in order
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read a migration: %w", err)
		}
		for _, match := range function.FindAllSubmatch(text, -1) {
			sources[string(match[1])] = string(match[2])
		}
	}
	return sources, nil
}
