// Package tokens holds the commands of strata tokens, which have token metadata fetched again.
package tokens

import (
	"context"
	"fmt"
	"math/big"
	"os/user"
	"strings"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/metadata/refresh"
	"strata/proxy"
)

// Command is strata tokens.
type Command struct {
	Refresh Refresh `cmd:"" help:"Fetch tokens of a contract again: contract reads, documents and images."`
	Retry   Retry   `cmd:"" help:"Try again now what failed when it was last fetched."`
	Import  Import  `cmd:"" help:"Recognise a contract of the log as a token contract, and fetch its tokens."`
}

// with calls do with what writes wishes into the log. A running server with the role metadata fetches what they ask for.
func with(ctx context.Context, flags *database.Flags, globals *program.Globals, do func(r refresh.Refresher) error) error {
	logger := globals.Logger()
	db, err := flags.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	source := "cli"
	if who, err := user.Current(); err == nil {
		source += ":" + who.Username
	}
	return do(refresh.Refresher{Log: db.Log, Source: source})
}

// Refresh has tokens fetched again.
type Refresh struct {
	Database database.Flags `embed:"" group:"Database:"`

	Contract string   `arg:"" help:"The contract, such as SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world."`
	Tokens   []string `arg:"" optional:"" name:"number" help:"Numbers of tokens (default: all of the contract)."`
}

// Run writes the wish.
func (c *Refresh) Run(ctx context.Context, globals *program.Globals) error {
	var ids []*big.Int
	for _, text := range c.Tokens {
		id, ok := new(big.Int).SetString(text, 10)
		if !ok || id.Sign() < 0 || id.BitLen() > 128 {
			return fmt.Errorf("%q is no number of a token: want a decimal number below 2^128", text)
		}
		ids = append(ids, id)
	}
	return with(ctx, &c.Database, globals, func(r refresh.Refresher) error {
		if err := r.Tokens(ctx, c.Contract, ids); err != nil {
			return err
		}
		what := "all tokens"
		if ids != nil {
			what = fmt.Sprintf("%d tokens", len(ids))
		}
		fmt.Printf("%s: the log says to fetch %s again; a server with the role metadata does\n", c.Contract, what)
		return nil
	})
}

// Retry has what failed tried again.
type Retry struct {
	Database database.Flags `embed:"" group:"Database:"`

	Interfaces bool `help:"Only the interfaces of contracts that no node has stated yet, so that nobody knows whether they are tokens."`
}

// Run writes the wish.
func (c *Retry) Run(ctx context.Context, globals *program.Globals) error {
	return with(ctx, &c.Database, globals, func(r refresh.Refresher) error {
		n, err := r.Failed(ctx, c.Interfaces)
		if err != nil {
			return err
		}
		if n == 0 {
			fmt.Println("nothing has failed")
			return nil
		}
		fmt.Printf("the log says to try again what failed (%d now); a server with the role metadata does\n", n)
		return nil
	})
}

// Import has a contract recognised.
type Import struct {
	Database database.Flags `embed:"" group:"Database:"`

	Contract string   `arg:"" help:"The contract, such as SP2SYHR84SDJJDK8M09HFS4KBFXPPCX9H7RZ9YVTS.hello-world."`
	Nodes    []string `env:"STRATA_NODES" placeholder:"URL,..." help:"RPC addresses of Stacks nodes to ask about a contract that the log does not have (empty = none)."`
}

// Run writes the wish.
func (c *Import) Run(ctx context.Context, globals *program.Globals) error {
	nodes, err := proxy.ParseNodes(strings.Join(c.Nodes, ","))
	if err != nil {
		return fmt.Errorf("--nodes: %w", err)
	}
	return with(ctx, &c.Database, globals, func(r refresh.Refresher) error {
		for _, node := range nodes {
			r.Nodes = append(r.Nodes, node.URL)
		}
		recognised, err := r.Import(ctx, c.Contract)
		switch {
		case err != nil:
			return err
		case recognised:
			fmt.Printf("%s is a token contract; the log says to fetch its tokens again\n", c.Contract)
		default:
			fmt.Printf("%s: the log says to ask for its interface now; its tokens follow if it is a token contract\n", c.Contract)
		}
		return nil
	})
}
