package transparency

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"strata/migrations"
)

// Bits of pg_trigger.tgtype.
const (
	perRow   = 1
	before   = 2
	onDelete = 8
	onUpdate = 16
	onClear  = 32 // TRUNCATE
)

// guard is a trigger that the log's tables have.
type guard struct {
	table, name, function string
	kind                  int16
}

// guards are those that the migrations create. Partitions of log.event have guards of the same names.
var guards = []guard{
	{"event", "refuse_change", "refuse_change", perRow | before | onDelete | onUpdate},
	{"event", "refuse_truncate", "refuse_change", before | onClear},
	{"body", "refuse_change", "refuse_change", perRow | before | onDelete | onUpdate},
	{"body", "refuse_truncate", "refuse_change", before | onClear},
	{"small_body", "refuse_change", "refuse_change", perRow | before | onDelete | onUpdate},
	{"small_body", "refuse_truncate", "refuse_change", before | onClear},
	{"head", "only_grows", "head_only_grows", perRow | before | onDelete | onUpdate},
	{"head", "refuse_truncate", "refuse_change", before | onClear},
	{"subtree", "refuse_update", "refuse_change", perRow | before | onUpdate},
	{"subtree", "refuse_delete", "refuse_verified", perRow | before | onDelete},
	{"subtree", "refuse_truncate", "refuse_change", before | onClear},
	{"tree", "only_grows", "verified_only_grows", perRow | before | onDelete | onUpdate},
	{"tree", "refuse_truncate", "refuse_change", before | onClear},
	{"checkpoint", "refuse_change", "refuse_change", perRow | before | onDelete | onUpdate},
	{"checkpoint", "refuse_truncate", "refuse_change", before | onClear},
	{"cosignature", "refuse_change", "refuse_change", perRow | before | onDelete | onUpdate},
	{"cosignature", "refuse_truncate", "refuse_change", before | onClear},
}

// withheld are the privileges that nobody has, not even the owner, by table; those of log.event are also those of its
// partitions.
var withheld = map[string][]string{
	"event": {"UPDATE", "DELETE", "TRUNCATE"}, "body": {"UPDATE", "DELETE", "TRUNCATE"}, "small_body": {"UPDATE", "DELETE", "TRUNCATE"},
	"head": {"DELETE", "TRUNCATE"}, "tree": {"DELETE", "TRUNCATE"}, "subtree": {"UPDATE", "TRUNCATE"},
	"checkpoint": {"UPDATE", "DELETE", "TRUNCATE"}, "cosignature": {"UPDATE", "DELETE", "TRUNCATE"},
}

// guarded are the tables that are checked, with the partitions of log.event: each with the name under which guards and
// withheld have it.
const guarded = `
	guarded (rel, name) AS (
		SELECT c.oid, c.relname::text FROM pg_class c WHERE c.relnamespace = 'log'::regnamespace AND c.relname = ANY ($1) AND c.relkind IN ('r', 'p')
		UNION ALL
		SELECT i.inhrelid, 'event' FROM pg_inherits i WHERE i.inhparent = 'log.event'::regclass
	)`

// checkGuards compares what keeps the log append-only with what the migrations have made: triggers, their functions, privileges,
// and the view for people. Whoever can change rows can change these first, and put them back later; but what was left open is
// found.
func (v *verification) checkGuards(ctx context.Context) error {
	tables := slices.Sorted(maps.Keys(withheld))
	for _, check := range []func(context.Context, []string) error{v.checkTriggers, v.checkStrangeTriggers, v.checkPrivileges} {
		if err := check(ctx, tables); err != nil {
			return fmt.Errorf("read what keeps the log append-only: %w", err)
		}
	}
	if err := v.checkFunctions(ctx); err != nil {
		return err
	}
	return v.checkView(ctx)
}

// checkTriggers reports guards that are missing, switched off or different.
func (v *verification) checkTriggers(ctx context.Context, tables []string) error {
	var on, names, functions []string
	var kinds []int16
	for _, g := range guards {
		on, names, functions, kinds = append(on, g.table), append(names, g.name), append(functions, g.function), append(kinds, g.kind)
	}
	return v.findRows(ctx, "the trigger %s of %s is missing, switched off or not as it was made", `
		WITH `+guarded+`, wanted (name, trigger, function, kind) AS (SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::smallint[]))
		SELECT w.trigger, g.rel::regclass::text
		FROM guarded g
		JOIN wanted w USING (name)
		LEFT JOIN pg_trigger t ON t.tgrelid = g.rel AND t.tgname = w.trigger AND t.tgtype = w.kind AND t.tgenabled IN ('O', 'A') AND t.tgqual IS NULL
			AND t.tgattr = '' AND t.tgfoid = to_regproc('log.' || w.function)
		WHERE t.oid IS NULL
		ORDER BY 2, 1`, tables, on, names, functions, kinds)
}

// checkStrangeTriggers reports triggers and rules that nobody has made for the log.
func (v *verification) checkStrangeTriggers(ctx context.Context, tables []string) error {
	names := []string{}
	for _, g := range guards {
		names = append(names, g.table+"."+g.name)
	}
	return v.findRows(ctx, "%s of %s is not one of the log's own", `
		WITH `+guarded+`
		SELECT 'the trigger ' || t.tgname, g.rel::regclass::text
		FROM guarded g JOIN pg_trigger t ON t.tgrelid = g.rel AND NOT t.tgisinternal
		WHERE g.name || '.' || t.tgname <> ALL ($2)
		UNION ALL
		SELECT 'the rule ' || r.rulename, g.rel::regclass::text FROM guarded g JOIN pg_rewrite r ON r.ev_class = g.rel
		ORDER BY 2, 1`, tables, names)
}

// checkPrivileges reports who may do what the log refuses.
func (v *verification) checkPrivileges(ctx context.Context, tables []string) error {
	var on, privileges []string
	for _, table := range tables {
		for _, privilege := range withheld[table] {
			on, privileges = append(on, table), append(privileges, privilege)
		}
	}
	return v.findRows(ctx, "%s on %s is granted, and nobody needs it", `
		WITH `+guarded+`
		SELECT a.privilege_type || ' for ' || CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END, g.rel::regclass::text
		FROM guarded g
		JOIN pg_class c ON c.oid = g.rel
		CROSS JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a
		WHERE (g.name, a.privilege_type) IN (SELECT * FROM unnest($2::text[], $3::text[]))
		ORDER BY 2, 1`, tables, on, privileges)
}

// findRows reports a fault for each row of a query, which has two texts.
func (v *verification) findRows(ctx context.Context, format, sql string, args ...any) error {
	rows, _ := v.db.Query(ctx, sql, args...)
	var what, table string
	_, err := pgx.ForEachRow(rows, []any{&what, &table}, func() error {
		v.find(CheckGuard, 0, 0, format, what, table)
		return nil
	})
	return err
}

// checkFunctions compares the functions that the triggers call with the migrations' text.
func (v *verification) checkFunctions(ctx context.Context) error {
	wanted, err := migrations.LogFunctions()
	if err != nil {
		return err
	}
	rows, _ := v.db.Query(ctx, `SELECT proname::text, prosrc FROM pg_proc WHERE pronamespace = 'log'::regnamespace`)
	var name, source string
	_, err = pgx.ForEachRow(rows, []any{&name, &source}, func() error {
		if want, ours := wanted[name]; ours && source != want {
			v.find(CheckGuard, 0, 0, "the function log.%s is not as it was made", name)
		}
		delete(wanted, name)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the functions of the log: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		v.find(CheckGuard, 0, 0, "the function log.%s is missing", name)
	}
	return nil
}

// viewEvents is how many of the newest events the view is compared with the table for, and viewBytes their largest size.
const (
	viewEvents = 256
	viewBytes  = 64 << 10
)

// checkView compares log.delivery, which people read, with the table, for the newest events.
func (v *verification) checkView(ctx context.Context) error {
	var missing, different int64
	err := v.db.QueryRow(ctx, `
		SELECT count(*) FILTER (WHERE d.seq IS NULL),
		       count(*) FILTER (WHERE (d.received_at, d.source, d.path, d.content_type, d.size, d.sha256) IS DISTINCT FROM (e.received_at, e.source, e.path, e.content_type, e.size, e.sha256)
		                           OR d.origin IS DISTINCT FROM e.origin OR d.body_seq IS DISTINCT FROM e.body_seq OR d.body IS DISTINCT FROM coalesce(first.body, e.body))
		FROM log.event e
		LEFT JOIN log.event first ON first.seq = e.body_seq
		LEFT JOIN log.delivery d ON d.seq = e.seq
		WHERE e.seq > $1 AND e.seq <= $2 AND e.size <= $3`, v.size-viewEvents, v.size, viewBytes).Scan(&missing, &different)
	if err != nil {
		v.find(CheckGuard, 0, 0, "the view log.delivery can't be read: %v", err)
		return ctx.Err()
	}
	if missing+different > 0 {
		v.find(CheckGuard, 0, 0, "the view log.delivery lacks or changes %d of the newest events", max(missing, different))
	}
	return nil
}
