// Package differences holds the commands of strata differences, which are about accounts that differ from a node's.
package differences

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/internal/nodecompare"
)

// Command is strata differences.
type Command struct {
	List   List   `cmd:"" help:"List the accounts whose STX balance, lock or nonce differed from a node's when the role compare last compared them (exit code 3 = some are not accepted)."`
	Accept Accept `cmd:"" help:"Accept how an account differs: /readyz?for=money is ready again, until the difference changes."`
}

// List lists what differs.
type List struct {
	Database database.Flags `embed:"" group:"Database:"`
	JSON     bool           `name:"json" help:"Print JSON."`
}

// Run prints the differences, and fails if there are some that nobody has accepted.
func (c *List) Run(ctx context.Context, globals *program.Globals) error {
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	known, err := nodecompare.Read(ctx, db.Pool, math.MaxInt32)
	if err != nil {
		return err
	}
	if err := c.print(os.Stdout, known); err != nil {
		return err
	}
	if known != nil && known.DifferingAccounts > 0 {
		return program.MismatchError{Err: fmt.Errorf("%d accounts differ from the node, and are not accepted", known.DifferingAccounts)}
	}
	return nil
}

func (c *List) print(w io.Writer, known *nodecompare.Known) error {
	if c.JSON {
		encoder := json.NewEncoder(w)
		encoder.SetIndent("", "  ")
		return encoder.Encode(known)
	}
	if known == nil {
		_, err := fmt.Fprintln(w, "accounts were not compared with a node yet: let a server have the role compare and --nodes")
		return err
	}
	for _, d := range known.Differences {
		if _, err := fmt.Fprintln(w, program.Visible(d.String())); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%d accounts differ, and %d more are accepted; compared up to block %d\n", known.DifferingAccounts, known.AcceptedAccounts, known.BlockHeight)
	return err
}

// Accept accepts the differences of an account.
type Accept struct {
	Database database.Flags `embed:"" group:"Database:"`

	Account string `arg:"" help:"The account, as strata differences list names it."`
	Reason  string `required:"" placeholder:"TEXT" help:"Why the difference is harmless. The API shows it to everybody."`
}

// Run writes the acceptance.
func (c *Accept) Run(ctx context.Context, globals *program.Globals) error {
	if c.Reason == "" {
		return errors.New("--reason: say why the difference is harmless")
	}
	logger := globals.Logger()
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	n, err := nodecompare.Accept(ctx, db.Pool, c.Account, c.Reason)
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("account %s is not known to differ: strata differences list names those that do", c.Account)
	}
	fmt.Printf("%s: %d differences are accepted until they change\n", c.Account, n)
	return nil
}
