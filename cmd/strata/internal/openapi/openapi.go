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
	YAML bool `xor:"form" help:"Print YAML instead of JSON."`
	V30  bool `name:"v30" xor:"form" help:"Print the description in OpenAPI 3.0, for tools that need it."`
}

// Run prints the OpenAPI description. It needs no database. The description names no version of the program, so that
// docs/openapi.yaml changes only when the API does.
func (c *Command) Run(context.Context, *program.Globals) error {
	api := readapi.New(readapi.Config{})
	var (
		document []byte
		err      error
	)
	switch {
	case c.YAML:
		document, err = api.OpenAPI().YAML()
	case c.V30:
		document, err = api.OpenAPI30()
	default:
		document, err = json.MarshalIndent(api.OpenAPI(), "", "  ")
	}
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(document, '\n'))
	return err
}
