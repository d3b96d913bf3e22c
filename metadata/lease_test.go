package metadata_test

import (
	"testing"

	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
)

// A database of an earlier release has jobs of River. The role drops them, finds the wants again, and keeps what contracts have
// spent of their budgets today.
func TestJobsOfRiverAreDropped(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	for _, sql := range []string{
		`CREATE SCHEMA river`,
		`CREATE TABLE river.river_job (id bigint)`,
		`CREATE TABLE river.spent (
			day date NOT NULL, fetches bigint NOT NULL, bytes bigint NOT NULL, rested boolean NOT NULL, contract_id text NOT NULL,
			CONSTRAINT spent_pkey PRIMARY KEY (day, contract_id))`,
		`INSERT INTO river.spent VALUES ((now() AT TIME ZONE 'UTC')::date, 7, 8, false, 'a')`,
	} {
		must.Get(log.Pool().Exec(t.Context(), sql))(t)
	}
	raise(t, log.Pool(), "ft_v1", row{want: document("gopher://x")})
	for range 2 { // the second start finds nothing to do
		r := run(t, config(log))
		r.awaitReport(t)
		r.stop()
	}
	var fetches int
	var dropped bool
	must.Do(t, log.Pool().QueryRow(t.Context(), `SELECT fetches, to_regnamespace('river') IS NULL FROM metadata.spent`).Scan(&fetches, &dropped))
	if fetches != 7 || !dropped {
		t.Errorf("got %d fetches, and dropped: %t", fetches, dropped)
	}
}

// A lease that is done, or that nobody took again, is deleted after an hour, and not earlier.
func TestOldLeasesAreForgotten(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	fold(t, log)
	for _, uri := range []string{"gopher://old", "gopher://lost", "gopher://new"} {
		raise(t, log.Pool(), "ft_v1", row{want: document(uri)})
	}
	r := run(t, config(log))
	eventually.Holds(t, "all are answered, and the reports folded", func() bool {
		var open int
		must.Do(t, log.Pool().QueryRow(t.Context(), `SELECT count(*) FROM ft_v1.want`).Scan(&open))
		return open == 0
	})
	r.stop()
	for set, where := range map[string]string{
		`until = now() - interval '61 minutes'`:                              `sha256('document gopher://old')`,
		`until = now() - interval '61 minutes', holder = NULL, done = false`: `sha256('document gopher://lost')`,
		`until = now() - interval '59 minutes'`:                              `sha256('document gopher://new')`,
	} {
		if tag, err := log.Pool().Exec(t.Context(), `UPDATE metadata.lease SET `+set+` WHERE key_hash = `+where); err != nil || tag.RowsAffected() != 1 {
			t.Fatal(tag, err)
		}
	}
	run(t, config(log)).awaitPass(t)
	wantLeases(t, log, 1)
}

// The lease of a process that is gone ends by itself, and no other process takes the want before.
func TestALeaseEndsWithoutItsProcess(t *testing.T) {
	t.Parallel()
	log := openLog(t, databases.New(t))
	first := run(t, config(log)) // which makes the table
	first.awaitPass(t)
	first.stop()
	for _, uri := range []string{"gopher://lost", "gopher://held"} {
		raise(t, log.Pool(), "ft_v1", row{want: document(uri)})
	}
	must.Get(log.Pool().Exec(t.Context(), `
		INSERT INTO metadata.lease (key_hash, source_seq, attempts, waits, due_at, until, lane)
		SELECT key_hash, source_seq, attempts, waits, due_at, now() + CASE WHEN want LIKE '%lost%' THEN interval '-1 s' ELSE '1 h' END, $1 FROM ft_v1.want`, "document"))(t)
	r := run(t, config(log))
	eventually.Holds(t, "the want of the process that is gone is fetched", func() bool { return len(reports(t, log)) > 0 })
	r.awaitPass(t)
	if got := reports(t, log); len(got) != 1 || got[0].Want.URI != "gopher://lost" {
		t.Errorf("got %d reports, want one on what nobody holds", len(got))
	}
}
