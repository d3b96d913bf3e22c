// Package sqlrole is strata sql-role: a role with which people and programs read the tables by SQL, and change nothing. Privileges and
// the limits that only a superuser may change bound what it can do; its settings are defaults, which it can change for itself.
package sqlrole

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/projections/version"
)

// Command is strata sql-role.
type Command struct {
	Database database.Flags `embed:"" group:"Database:"`

	AdminURL         string        `placeholder:"URL" help:"How to connect to the same database as a role that may make roles (default: the database URL, or the superuser of the private Postgres)."`
	Name             string        `default:"strata_reader" help:"Name of the role."`
	WithBodies       bool          `help:"Let it read the bodies of the log's events, too; without it, a role that could no longer can."`
	PasswordFile     string        `type:"path" placeholder:"FILE" help:"File with the role's password (default: the role keeps the password that it has, if any)."`
	StatementTimeout time.Duration `default:"5m" help:"Longest time that one of its statements may take, unless it sets another."`
	Connections      int           `default:"10" help:"Most connections that it may have."`
	TempFileLimit    int64         `default:"10737418240" help:"Most that each of its connections may write into temporary files, as for a large sort, in bytes. Only superusers can set it."`
}

// Validate implements kong's interface for flags.
func (c *Command) Validate() error {
	if c.StatementTimeout < time.Millisecond {
		return fmt.Errorf("--statement-timeout %v is too short: at least 1ms", c.StatementTimeout)
	}
	if c.TempFileLimit < 1024 {
		return fmt.Errorf("--temp-file-limit %d is too small: at least 1024", c.TempFileLimit)
	}
	if c.Connections < 1 {
		return fmt.Errorf("--connections %d: the role needs one at least", c.Connections)
	}
	return nil
}

// Run makes or updates the role.
func (c *Command) Run(ctx context.Context, globals *program.Globals) error {
	logger := globals.Logger()
	var verifier string
	if c.PasswordFile != "" {
		text, err := os.ReadFile(c.PasswordFile)
		if err != nil {
			return fmt.Errorf("read the password: %w", err)
		}
		if verifier, err = scram(strings.TrimRight(string(text), "\r\n")); err != nil {
			return fmt.Errorf("the password in %s: %w", c.PasswordFile, err)
		}
	}
	db, err := c.Database.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer db.Close(logger)
	admin, err := c.admin(ctx, db)
	if err != nil {
		return fmt.Errorf("connect to make a role: %w", err)
	}
	defer func() { _ = admin.Close(context.WithoutCancel(ctx)) }()
	own := db.Pool.Config().ConnConfig
	var made bool
	err = pgx.BeginFunc(ctx, admin, func(tx pgx.Tx) (err error) {
		made, err = c.makeRole(ctx, tx, own.User, verifier)
		return err
	})
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" { // insufficient_privilege
		return fmt.Errorf("make role %s: %w; name a role with CREATEROLE in --admin-url", c.Name, err)
	}
	if err != nil {
		return fmt.Errorf("make role %s: %w", c.Name, err)
	}
	for _, db := range []interface {
		Begin(ctx context.Context) (pgx.Tx, error)
	}{admin, db.Pool} { // a superuser may withhold more; who owns the database need not be the one who makes roles
		if err := database.Withhold(ctx, db); err != nil {
			return err
		}
	}
	// Who owns the tables grants them.
	if err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error { return c.grant(ctx, tx) }); err != nil {
		return fmt.Errorf("grant role %s what it may read: %w", c.Name, err)
	}
	if err := version.AddReader(ctx, db.Pool, c.Name); err != nil {
		return err
	}
	readers, err := database.Readers(ctx, db.Pool)
	if err != nil {
		return err
	}
	c.report(made, own, readers)
	return nil
}

// admin connects as who may make roles.
func (c *Command) admin(ctx context.Context, db *database.DB) (*pgx.Conn, error) {
	if c.AdminURL != "" {
		return pgx.Connect(ctx, c.AdminURL)
	}
	return db.Admin(ctx)
}

// makeRole makes the role, or takes from it what a reader does not need, and sets its limits.
func (c *Command) makeRole(ctx context.Context, tx pgx.Tx, own, verifier string) (made bool, err error) {
	var self, mighty bool
	err = tx.QueryRow(ctx, `SELECT rolname IN (current_user, $2), rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls FROM pg_roles WHERE rolname = $1`, c.Name, own).
		Scan(&self, &mighty)
	made = errors.Is(err, pgx.ErrNoRows)
	switch {
	case err != nil && !made:
		return false, err
	case self:
		return false, errors.New("this program connects as that role itself, and would only read from then on; choose another --name")
	case mighty:
		return false, errors.New("it exists, and may do more than read (superuser, or a role that makes roles or databases, replicates or bypasses row security); choose another --name")
	}
	role := pgx.Identifier{c.Name}.Sanitize()
	statements := []string{
		`ALTER ROLE ` + role + ` LOGIN CONNECTION LIMIT ` + strconv.Itoa(c.Connections),
		`ALTER ROLE ` + role + ` SET default_transaction_read_only = on`,
		`ALTER ROLE ` + role + ` SET statement_timeout = ` + milliseconds(c.StatementTimeout),
		// A transaction that is left open keeps dead rows from being removed, and views from showing new tables.
		`ALTER ROLE ` + role + ` SET idle_in_transaction_session_timeout = ` + milliseconds(c.StatementTimeout),
		`ALTER ROLE ` + role + ` SET search_path = api`,
	}
	if made {
		statements = append([]string{`CREATE ROLE ` + role}, statements...)
	}
	if verifier != "" {
		statements = append(statements, `ALTER ROLE `+role+` PASSWORD '`+verifier+`'`)
	}
	if err := execute(ctx, tx, statements); err != nil {
		return made, err
	}
	return made, database.TryExec(ctx, tx, `ALTER ROLE `+role+` SET temp_file_limit = '`+strconv.FormatInt(c.TempFileLimit/1024, 10)+`kB'`)
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// grant lets the role read what is not of a version: how versions stand, and the log with or without bodies.
func (c *Command) grant(ctx context.Context, tx pgx.Tx) error {
	role := pgx.Identifier{c.Name}.Sanitize()
	var name, columns string
	// What came is known by its digest and its size even to those who may not read it.
	err := tx.QueryRow(ctx, `
		SELECT quote_ident(current_database()), string_agg(quote_ident(attname), ', ' ORDER BY attnum)
		FROM pg_attribute WHERE attrelid = 'log.event'::regclass AND attnum > 0 AND NOT attisdropped AND attname <> 'body'`).Scan(&name, &columns)
	if err != nil {
		return fmt.Errorf("read the columns of log.event: %w", err)
	}
	statements := []string{
		`GRANT CONNECT ON DATABASE ` + name + ` TO ` + role,
		`GRANT USAGE ON SCHEMA strata, log TO ` + role,
		`GRANT SELECT ON strata.projection, strata.active, strata.quarantine TO ` + role,
	}
	bodies := `log.event, log.body, log.delivery`
	if c.WithBodies {
		statements = append(statements, `GRANT SELECT ON `+bodies+` TO `+role)
	} else { // in this order: to revoke the privilege on a table revokes those on its columns
		statements = append(statements, `REVOKE SELECT ON `+bodies+` FROM `+role, `GRANT SELECT (`+columns+`) ON log.event TO `+role)
	}
	return execute(ctx, tx, statements)
}

func execute(ctx context.Context, tx pgx.Tx, statements []string) error {
	for _, statement := range statements {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// report says what the role may do, and how to connect as it.
func (c *Command) report(made bool, config *pgx.ConnConfig, readers []database.Reader) {
	verb, bodies, password := "updated", "not their bodies", ""
	if made {
		verb = "made"
	}
	if c.WithBodies {
		bodies = "with their bodies"
	}
	if c.PasswordFile == "" {
		password = "\nIts password is as it was; --password-file sets one."
	}
	fmt.Fprintf(os.Stderr, `%s role %s
It may read the views in schema api, the tables of all versions of projections, also of those to come, and the events of the log, %s.
It may have %d connections. Unless it sets something else, its transactions only read, and a statement may take %v.%s
`, verb, c.Name, bodies, c.Connections, c.StatementTimeout, password)
	for _, r := range readers {
		if r.Name == c.Name && len(r.May) > 0 {
			fmt.Fprintf(os.Stderr, `It may also %s: only a superuser can prevent that (--admin-url). See docs/sql.md.
`, strings.Join(r.May, ", "))
		}
	}
	fmt.Fprintln(os.Stderr, "Connect with:")
	fmt.Println(connection(c.Name, config))
}

// connection returns the URL with which the role connects, without a password.
func connection(role string, config *pgx.ConnConfig) string {
	u := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + config.Database}
	query := url.Values{}
	if strings.HasPrefix(config.Host, "/") {
		query.Set("host", config.Host)
		query.Set("port", strconv.Itoa(int(config.Port)))
		query.Set("user", role)
		u.User = nil
	} else {
		u.Host = config.Host + ":" + strconv.Itoa(int(config.Port))
	}
	if config.TLSConfig != nil {
		query.Set("sslmode", "require")
	}
	u.RawQuery = query.Encode()
	text := u.String()
	if u.Host == "" && u.User == nil {
		text = "postgres://" + strings.TrimPrefix(strings.TrimPrefix(text, "postgres:"), "//")
	}
	return text
}
