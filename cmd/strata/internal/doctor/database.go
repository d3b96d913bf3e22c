package doctor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/cmd/strata/internal/audit"
	"strata/cmd/strata/internal/database"
	"strata/cmd/strata/internal/program"
	"strata/eventstore/network"
	"strata/eventstore/transparency"
	"strata/internal/postgres"
	"strata/internal/wholeness"
	"strata/migrations"
	"strata/projections"
	"strata/projections/ordinals"
	"strata/projections/version"
)

// connectionsWanted is how many connections a server may open with default settings: 24 for its work, as many for reads, and
// some that listen.
const connectionsWanted = 52

// clockTolerance is how far two clocks may be apart without a warning. The log's times are for people: positions order events.
const clockTolerance = 5 * time.Second

func (x *examination) database(ctx context.Context) {
	const subject = "database"
	flags := &x.command.Database
	ctx, cancel := context.WithTimeout(ctx, x.command.Timeout)
	defer cancel()
	db, err := flags.Look(ctx, x.logger)
	var none *database.NoneError
	switch {
	case errors.As(err, &none):
		x.privateToCome(ctx)
		return
	case err != nil:
		x.add(Failure, subject, "Start Postgres, or set --database-url (STRATA_DATABASE_URL) right.", "%s", program.OneLine(err))
		return
	}
	defer db.Close(x.logger)
	x.server(ctx, db.Pool)
	x.clock(ctx, db.Pool)
	exists, err := migrations.Exists(ctx, db.URL)
	switch {
	case err != nil:
		x.add(Failure, subject, "", "%s", program.OneLine(err))
	case !exists:
		x.add(Note, "log", "", "there is none yet: strata serve creates it")
	default:
		x.seen.hasLog = true
		x.log(ctx, db)
		x.key(ctx, db)
		x.projections(ctx, db.Pool)
		x.history(ctx, db.Pool)
		x.readers(ctx, db.Pool)
		x.comparison(ctx, db.Pool)
	}
}

// history says what the log lacks of the chain's history.
func (x *examination) history(ctx context.Context, pool *pgxpool.Pool) {
	facts, err := wholeness.Read(ctx, pool)
	if err != nil {
		x.add(Failure, "history", "Start strata serve, which brings the database up to date.", "%s", program.OneLine(err))
		return
	}
	x.seen.gap = facts.Gaps > 0
	problems := facts.Problems()
	for _, p := range problems {
		level := Failure
		if p.About == wholeness.Other || p.About == wholeness.Unfed {
			level = Warning
		}
		x.add(level, string(p.About), p.Mend, "%s", p.Message)
	}
	if len(problems) == 0 {
		x.add(OK, "history", "", "whole, from genesis to block %d", *facts.Tip)
	}
}

// privateToCome checks whether a private Postgres could be created.
func (x *examination) privateToCome(ctx context.Context) {
	found, err := postgres.Installed(ctx)
	if err != nil {
		x.add(Failure, "database", "Install PostgreSQL's server, or name a database with --database-url.", "%s", program.OneLine(err))
		return
	}
	x.add(Note, "database", "", "there is none in %s yet: strata serve creates one with PostgreSQL %s", x.command.Database.DataDir, found)
}

// server checks the settings of the server that matter to what is written and kept.
func (x *examination) server(ctx context.Context, pool *pgxpool.Pool) {
	const subject = "database"
	var number int
	var text, encoding, fsync, pages, autovacuum, shared string
	var replica bool
	var most, used int
	err := pool.QueryRow(ctx, `
		SELECT current_setting('server_version_num')::int, current_setting('server_version'), pg_encoding_to_char(encoding),
		       current_setting('fsync'), current_setting('full_page_writes'), current_setting('autovacuum'), current_setting('shared_buffers'),
		       pg_is_in_recovery(), current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
		       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
		FROM pg_database WHERE datname = current_database()`).
		Scan(&number, &text, &encoding, &fsync, &pages, &autovacuum, &shared, &replica, &most, &used)
	if err != nil {
		x.add(Failure, subject, "Start Postgres, or set --database-url (STRATA_DATABASE_URL) right.", "read the settings of the server: %s", program.OneLine(err))
		return
	}
	x.add(OK, subject, "", "PostgreSQL %s, shared_buffers %s", text, shared)
	if major := number / 10000; major < postgres.MinVersion {
		x.add(Failure, subject, "Upgrade the server.", "PostgreSQL %d is older than %d", major, postgres.MinVersion)
	}
	if encoding != "UTF8" {
		x.add(Failure, subject, "Create a database with ENCODING 'UTF8'.", "its encoding is %s, so that texts of the chain can't all be stored", encoding)
	}
	if replica {
		x.add(Failure, subject, "Name the primary with --database-url, and this server with --database-read-url.", "this server is a replica, and can't be written to")
	}
	for _, setting := range []struct{ name, value string }{{"fsync", fsync}, {"full_page_writes", pages}} {
		if setting.value == "off" {
			x.add(Failure, subject, fmt.Sprintf("Set %s = on in postgresql.conf and reload.", setting.name),
				"%s is off: a crash of its machine loses or damages events that nodes were told are safe", setting.name)
		}
	}
	if autovacuum == "off" {
		x.add(Failure, subject, "Set autovacuum = on in postgresql.conf and reload.", "autovacuum is off: tables whose rows change often grow without limit")
	}
	// What is used now includes a server of this database, if it runs.
	if free := most - used; free < connectionsWanted && most < 2*connectionsWanted {
		x.add(Warning, subject, "Raise max_connections, or set --database-connections.",
			"%d of %d connections are free, and a server may open %d by default", free, most, connectionsWanted)
	}
}

func (x *examination) clock(ctx context.Context, pool *pgxpool.Pool) {
	asked := time.Now()
	var there time.Time
	if err := pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&there); err != nil {
		x.add(Failure, "clock", "", "ask the database for its time: %s", program.OneLine(err))
		return
	}
	x.compareClocks("the database", there, asked, 0)
}

// compareClocks compares the time that somebody told, exact to precision, with that of this machine.
func (x *examination) compareClocks(whose string, there, asked time.Time, precision time.Duration) {
	took := time.Since(asked)
	apart := there.Sub(asked.Add(took / 2))
	if apart.Abs() <= clockTolerance+took+precision {
		x.add(OK, "clock", "", "as that of %s", whose)
		return
	}
	x.add(Warning, "clock", "Let NTP set both clocks.", "%s apart from that of %s", apart.Round(time.Second).Abs(), whose)
}

// log describes the log, and remembers what nodes are compared with.
func (x *examination) log(ctx context.Context, db *database.DB) {
	size, err := db.Log.Size(ctx)
	if err != nil {
		x.add(Failure, "log", "", "%s", program.OneLine(err))
		return
	}
	if size == 0 {
		x.add(Note, "log", "", "no event has arrived yet")
		return
	}
	newest, err := db.Log.Get(ctx, size, false)
	if err != nil {
		x.add(Failure, "log", "Run strata verify.", "%s", program.OneLine(err))
		return
	}
	x.seen.lastEvent = &newest.ReceivedAt
	of := "no network yet"
	pinned, known, err := network.Pinned(ctx, db.Log)
	switch {
	case err != nil:
		x.add(Failure, "log", "", "%s", program.OneLine(err))
		return
	case known:
		x.seen.chainID, of = &pinned.ChainID, pinned.String()
	}
	x.add(OK, "log", "", "%d events of %s; the newest arrived %s ago", size, of, age(newest.ReceivedAt))
}

func age(t time.Time) time.Duration { return max(time.Since(t), 0).Round(time.Second) }

// key compares the key on this machine with that of the log's checkpoints.
func (x *examination) key(ctx context.Context, db *database.DB) {
	const subject = "log's key"
	here, _, err := audit.OnThisMachine(ctx, db.Pool, x.command.Database.DataDir, x.command.Audit.LogKey)
	if err != nil {
		x.add(Failure, subject, "Make the file readable for this user, or restore it from its backup.", "%s", program.OneLine(err))
		return
	}
	log, err := x.command.Audit.OpenLog(ctx, db.Log, nil, x.command.Database.DataDir, false, x.logger)
	if err != nil {
		x.add(Failure, subject, "", "%s", program.OneLine(err))
		return
	}
	signs, err := log.VerifierKey(ctx)
	var unsigned *transparency.RefusalError
	switch {
	case errors.As(err, &unsigned):
		x.add(Note, subject, "", "no checkpoint is signed yet")
		return
	case err != nil:
		x.add(Failure, subject, "", "%s", program.OneLine(err))
		return
	}
	for _, key := range here {
		if key == signs {
			x.add(OK, subject, "", "%s", key)
			return
		}
	}
	x.add(Warning, subject, "Copy the key's file here, and name it with --log-key, if a server on this machine is to sign.",
		"checkpoints are signed with %s, whose file is not on this machine", signs)
}

// projections reports versions that have stopped, and what is in quarantine.
func (x *examination) projections(ctx context.Context, pool *pgxpool.Pool) {
	const subject = "projections"
	statuses, err := version.StatusesWithoutSizes(ctx, pool)
	if err != nil {
		x.add(Failure, subject, "Start strata serve, which brings the database up to date.", "%s", program.OneLine(err))
		return
	}
	active := 0
	for i := range statuses {
		s := &statuses[i]
		if s.State == version.StateFailed && s.Error != nil {
			x.stopped(s)
		}
		if s.Quarantined > 0 {
			x.add(Warning, subject, "Look at /audit/v1/quarantine.", "%s: %d events, or parts of events, in quarantine", s.Schema(), s.Quarantined)
		}
		if !s.Active {
			continue
		}
		active++
		if s.Name == ordinals.Name {
			x.feed(ctx, pool, s.Schema())
		}
		if s.Name == "chain" {
			x.seen.height = s.BlockHeight
			x.called(ctx, pool, s)
		}
		if s.Name == "ft" { // each projection of tokens knows all contracts whose interface is missing
			if err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+s.Schema().String()+`.unrecognised)`).Scan(&x.seen.withoutInterface); err != nil {
				x.add(Failure, subject, "", "look for contracts without interfaces: %s", program.OneLine(err))
			}
		}
	}
	at := "no block yet"
	if x.seen.height != nil {
		at = "block " + strconv.FormatInt(*x.seen.height, 10)
	}
	x.add(OK, subject, "", "%d are active; the tip is %s", active, at)
}

// stopped reports a version that has stopped. To resume one that has met another chain would only stop it again.
func (x *examination) stopped(s *version.Status) {
	advice := "Mend the cause; then run strata projections resume " + s.Name + "."
	if strings.Contains(*s.Error, wholeness.AnotherChain) {
		x.seen.anotherChain = true
		if s.Name == "chain" && s.Active {
			return // history says it, with what mends it
		}
		advice = wholeness.MendAnotherChain
	}
	x.add(Failure, "projections", advice, "%s has stopped at %s: %s", s.Schema(), position(s.ErrorPosition), *s.Error)
}

// calledRules are the first rules of chain that know of contracts that are called and that nothing in the log deploys.
const calledRules = 7

// called notes whether calls have reached contracts that nothing in the log deploys, and whose interfaces have not come.
func (x *examination) called(ctx context.Context, pool *pgxpool.Pool, s *version.Status) {
	if s.Rules < calledRules {
		return
	}
	err := pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+s.Schema().Table("undeployed")+` WHERE proven AND interface_seq IS NULL)`).Scan(&x.seen.calledWithoutInterface)
	if err != nil {
		x.add(Failure, "projections", "", "look for called contracts without interfaces: %s", program.OneLine(err))
	}
}

// feed reports blocks about which the ordinals feed contradicts itself.
func (x *examination) feed(ctx context.Context, pool *pgxpool.Pool, version projections.Schema) {
	const subject = "ordinals feed"
	n, err := ordinals.CountContradictions(ctx, pool, version)
	switch {
	case err != nil:
		x.add(Failure, subject, "", "%s", program.OneLine(err))
	case n > 0:
		x.add(Warning, subject, "Look at /audit/v1/feed-anomalies (changed). If the later copy is right, let the indexer roll the block back and apply it again.",
			"%d repeated blocks say something else than the applied ones, and were ignored", n)
	}
}

func position(p *int64) string {
	if p == nil {
		return "an unknown position"
	}
	return "position " + strconv.FormatInt(*p, 10)
}

// readers reports what roles that read schema api may do besides.
func (x *examination) readers(ctx context.Context, pool *pgxpool.Pool) {
	readers, err := database.Readers(ctx, pool)
	if err != nil {
		x.add(Failure, "roles that read", "Start strata serve, which brings the database up to date.", "%s", program.OneLine(err))
		return
	}
	for _, r := range readers {
		if len(r.May) == 0 {
			x.add(OK, "role "+r.Name, "", "can only read")
			continue
		}
		x.add(Warning, "role "+r.Name, "Run strata sql-role --name "+r.Name+" with --admin-url of a superuser, or let only people whom you trust use the role.",
			"it reads, and may also %s", strings.Join(r.May, ", "))
	}
}
