// Package openapi prints the description of the API.
package openapi

import (
	"context"
	"encoding/json"
	"os"

	"strata/cmd/strata/internal/program"
	"strata/readapi"
)

// Command is the command openapi.
type Command struct {
	YAML bool `help:"Print YAML instead of JSON."`
}

// Run prints the OpenAPI description. It needs no database. The description names no version of the program, so that
// docs/openapi.yaml changes only when the API does.
func (c *Command) Run(context.Context, *program.Globals) error {
	description := readapi.New(readapi.Config{}).OpenAPI()
	var (
		document []byte
		err      error
	)
	if c.YAML {
		document, err = description.YAML()
	} else {
		document, err = json.MarshalIndent(description, "", "  ")
	}
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(document, '\n'))
	return err
}
