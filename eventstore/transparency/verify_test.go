package transparency_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	sumdb "golang.org/x/mod/sumdb/note"

	"strata/eventstore"
	"strata/eventstore/transparency"
	"strata/internal/testkit/eventually"
	"strata/internal/testkit/must"
	"strata/internal/testkit/pgtest"
	"strata/migrations"
)

// verify is what Verify finds, as text.
func (w *world) verify(config transparency.VerifyConfig) (*transparency.Verified, []string) {
	w.Helper()
	var found []string
	config.Finding = func(f transparency.Finding) { found = append(found, f.String()) }
	verified := must.Get(w.open(transparency.Config{}).Verify(w.Context(), config))(w)
	return verified, found
}

// signedKey signs the log of signedWorld.
var signedKey = sync.OnceValues(func() (*transparency.Key, error) {
	private, _, err := sumdb.GenerateKey(rand.Reader, origin)
	if err != nil {
		return nil, err
	}
	return transparency.ParseKey(private)
})

// signed databases have a log of 700 events that was signed at 100, 300, 301, 600 and 700 of them. Event 5 has a large body, and 7
// the bytes of 3.
var signed = pgtest.Template("signed", func(ctx context.Context, url string) error {
	if err := migrations.Up(ctx, url); err != nil {
		return err
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return err
	}
	defer pool.Close()
	log := eventstore.Open(pool, eventstore.Config{})
	defer log.Close()
	key, err := signedKey()
	if err != nil {
		return err
	}
	l, err := transparency.New(transparency.Config{Pool: pool, Key: key})
	if err != nil {
		return err
	}
	have := 0
	for _, size := range []int{100, 300, 301, 600, 700} {
		var batch []eventstore.Incoming
		for have < size {
			have++
			text := fmt.Sprint("x ", have)
			switch have {
			case 5:
				large := make([]byte, 3<<20) // which can't be compressed
				_, _ = rand.Read(large)
				text = string(large)
			case 7:
				text = "x 3"
			}
			batch = append(batch, event(text))
		}
		if _, err := log.AppendBatch(ctx, batch, nil); err != nil {
			return err
		}
		if _, err := l.Sign(ctx); err != nil {
			return err
		}
	}
	return nil
})

// signedWorld is the log of signed, with its model if it is wanted.
func signedWorld(t testing.TB) (*world, *transparency.Log) {
	t.Helper()
	pool := signed.New(t)
	w := &world{TB: t, pool: pool, log: eventstore.Open(pool, eventstore.Config{}), tree: newNaive()}
	t.Cleanup(w.log.Close)
	key := must.Get(signedKey())(t)
	return w, w.open(transparency.Config{Key: key})
}

func (w *world) checkpointNote(l *transparency.Log, size int64) []byte {
	w.Helper()
	return must.Get(l.Checkpoint(w.Context(), size))(w)
}

func TestVerifyHonest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if verified, found := w.verify(transparency.VerifyConfig{}); len(found) > 0 || verified.Size != 0 || !bytes.Equal(verified.Root, w.tree.root(0, 0)) {
		t.Errorf("an empty log: got %+v and %q", verified, found)
	}
	w.append(event("x"), event(""), event("x"), event(""))
	if verified, found := w.verify(transparency.VerifyConfig{}); len(found) > 0 || verified.Bytes != 1 {
		t.Errorf("bodies that are empty and the same: got %+v and %q", verified, found)
	}
	if _, err := w.open(transparency.Config{}).Verify(t.Context(), transparency.VerifyConfig{Kept: []transparency.Kept{{Name: "file", Note: []byte("x")}}}); !errors.Is(err, transparency.ErrNoKey) {
		t.Errorf("no key: got %v", err)
	}
}

func TestVerifySigned(t *testing.T) {
	t.Parallel()
	w, l := signedWorld(t)
	w.note(1)
	var progress []int64
	keep := w.checkpointNote(l, 300)
	verified, found := w.verify(transparency.VerifyConfig{
		Workers: 3, Kept: []transparency.Kept{{Name: "a", Note: keep}, {Name: "b", Note: w.checkpointNote(l, 700)}, {Name: "c", Note: keep}},
		Progress: func(events, of, _ int64) { progress = append(progress, events, of) },
	})
	if len(found) > 0 {
		t.Errorf("got %q, want nothing", found)
	}
	if !bytes.Equal(verified.Root, w.tree.root(0, 700)) || verified.Size != 700 || verified.Signed != 700 || verified.Checkpoints != 5 || verified.Subtrees != 2 || verified.Given || len(verified.Keys) != 1 {
		t.Errorf("got %+v", verified)
	}
	if verified.Bytes < 3<<20 || !slices.Equal(progress, []int64{700, 700}) {
		t.Errorf("got %d bytes, and told %v", verified.Bytes, progress)
	}
	if _, err := w.open(transparency.Config{}).Verify(t.Context(), transparency.VerifyConfig{Keys: []string{"nonsense"}}); err == nil {
		t.Error("a key that can't be read was taken")
	}
	if _, err := w.open(transparency.Config{}).Verify(t.Context(), transparency.VerifyConfig{Kept: []transparency.Kept{{Name: "file", Note: []byte("nonsense")}}}); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("no checkpoint: got %v", err)
	}
}

// Whatever a superuser changes is named, with what it is about and nothing else.
func TestVerifyTampered(t *testing.T) {
	t.Parallel()
	w, _ := signedWorld(t)
	keep := []string{`ALTER TABLE log.event DROP CONSTRAINT event_body_check, DROP CONSTRAINT event_body_seq_check`, `CREATE SCHEMA keep`}
	var repair []string // which is quicker than another database
	for _, table := range []string{"event", "body", "small_body", "head", "tree", "subtree", "checkpoint"} {
		keep = append(keep, `CREATE TABLE keep.`+table+` AS TABLE log.`+table)
		repair = append(repair, `DELETE FROM log.`+table, `INSERT INTO log.`+table+` SELECT * FROM keep.`+table)
	}
	w.tamper(keep...)
	for _, tc := range []struct {
		name string
		sql  []string
		want []string // how each finding begins, in any order
	}{
		{"a bit of a body", []string{`UPDATE log.event SET body = set_bit(body, 9, 1 - get_bit(body, 9)) WHERE seq = 9`}, []string{"event 9: body: its body has the SHA-256 "}},
		{"a bit of a large body", []string{`UPDATE log.event SET body = set_byte(body, 3000000, 255 - get_byte(body, 3000000)) WHERE seq = 5`}, []string{"event 5: body: its body has the SHA-256 "}},
		{"a bit of a body that another one points to", []string{`UPDATE log.event SET body = set_byte(body, 0, 0) WHERE seq = 3`},
			[]string{"event 3: body: its body has the SHA-256 ", "event 7: body: its bytes are those of event 3, which are wrong"}},
		{"a row is deleted", []string{`DELETE FROM log.event WHERE seq = 400`},
			[]string{"event 400: event: missing", "events 400 to 700: log.head: not compared", "event 400: log.body: it says that this event holds bytes with the SHA-256 "}},
		{"the last row is deleted", []string{`DELETE FROM log.event WHERE seq = 700`, `DELETE FROM log.small_body WHERE seq = 700`},
			[]string{"event 700: event: missing", "event 700: log.head: not compared"}},
		{"rows are deleted", []string{`DELETE FROM log.event WHERE seq IN (2, 3, 4, 600)`, `DELETE FROM log.small_body WHERE seq IN (2, 4, 600)`},
			[]string{"events 2 to 4: event: missing", "event 600: event: missing", "events 2 to 700: log.head: not compared", "event 7: body_seq: it points to event 3 for its body, which is missing",
				"event 3: log.body: it says that this event holds "}},
		{"two rows are swapped", []string{`UPDATE log.event SET seq = CASE seq WHEN 20 THEN 99999 ELSE 20 END WHERE seq IN (20, 30)`, `UPDATE log.event SET seq = 30 WHERE seq = 99999`},
			[]string{"event 20: log.body: its SHA-256 names event 30 there, want 20", "event 30: log.body: its SHA-256 names event 20 there, want 30",
				"events 1 to 100: log.checkpoint: not the events that checkpoint 1 of 100 events, and 4 after it was signed of",
				"events 1 to 256: log.subtree: level 1, number 0: ", "events 1 to 512: log.head: not the events that were appended"}},
		{"two bodies are swapped", []string{`UPDATE log.event SET body = convert_to('x ' || 50 - seq, 'UTF8') WHERE seq IN (20, 30)`}, []string{"event 20: body: ", "event 30: body: "}},
		{"a whole row is changed", []string{
			`UPDATE log.event SET body = 'forged', sha256 = sha256('forged'), size = 6 WHERE seq = 550`, `UPDATE log.small_body SET sha256 = sha256('forged') WHERE seq = 550`},
			[]string{"events 302 to 600: log.checkpoint: not the events that checkpoint 4 of 600 events, and 1 after it was signed of", "events 513 to 640: log.head: not the events that were appended"}},
		{"a time is changed", []string{`UPDATE log.event SET received_at = received_at + interval '1 microsecond' WHERE seq = 301`},
			[]string{"event 301: log.checkpoint: not the events that checkpoint 3 of 301 events, and 2 after it was signed of", "events 257 to 512: log.subtree: ", "events 301 to 512: log.head: not the events that were appended"}},
		{"a time is changed in the tail", []string{`UPDATE log.event SET path = path || '/' WHERE seq = 699`},
			[]string{"events 601 to 700: log.checkpoint: not the events that checkpoint 5 of 700 events was signed of", "events 697 to 700: log.head: not the events that were appended"}},
		{"the frontier", []string{`UPDATE log.head SET frontier = overlay(frontier PLACING '\x00' FROM 34)`}, []string{"events 513 to 640: log.head: the frontier has another hash than these events, which are those that were signed"}},
		{"the length of the frontier", []string{`UPDATE log.head SET frontier = frontier || substring(frontier FOR 32)`}, []string{"log.head: the frontier has 224 bytes, that of 700 events has 192"}},
		{"the head goes back", []string{`UPDATE log.head SET (size, frontier) = (699, frontier || substring(frontier FOR 32))`},
			[]string{"event 700: event: beyond the log's head, which is at 699", "event 700: log.checkpoint: checkpoint 5 of 700 events: the log has 699", "event 700: log.body: it says that this event holds ",
				"events 697 to 698: log.head: not", "event 699: log.head: not"}},
		{"where a body is known to be", []string{`UPDATE log.small_body SET seq = 4 WHERE seq = 3`},
			[]string{"event 3: log.body: its SHA-256 names event 4 there, want 3", "event 7: log.body: its SHA-256 names event 4 there, want 3"}},
		{"bytes of no event", []string{`INSERT INTO log.body (seq, sha256) VALUES (44, sha256('other')), (900, sha256('more'))`},
			[]string{"event 44: log.body: it says that this event holds bytes with the SHA-256 d9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa, but it does not", "event 900: log.body: it says"}},
		{"an event beyond", []string{`INSERT INTO log.event SELECT 800, received_at, size, body_seq, sha256, source, path, content_type, origin, body FROM log.event WHERE seq = 7`},
			[]string{"events 701 to 800: event: beyond the log's head, which is at 700"}},
		{"a subtree", []string{`UPDATE log.subtree SET hash = sha256('x') WHERE n = 1`}, []string{"events 257 to 512: log.subtree: level 1, number 1: the stored hash of these events differs from theirs"}},
		{"a subtree is missing", []string{`DELETE FROM log.subtree WHERE n = 1`}, []string{"events 257 to 512: log.subtree: level 1, number 1: the stored hash of these events is missing"}},
		{"subtrees of no events", []string{`INSERT INTO log.subtree (level, n, hash) VALUES (1, 2, sha256('x')), (3, 0, sha256('x'))`},
			[]string{"log.subtree: level 1, number 2: it is beyond", "log.subtree: level 3, number 0: it is beyond"}},
		{"the count of subtrees", []string{`UPDATE log.tree SET subtrees = 9, verified = 9`}, []string{"log.subtree: log.tree counts 9, but 700 events make 2"}},
		{"a checkpoint's root", []string{`UPDATE log.checkpoint SET root = sha256('x') WHERE number = 2`},
			[]string{"log.checkpoint: checkpoint 2 of 300 events: the row has the root ", "log.checkpoint: checkpoint 2 of 300 events: not the root of its events, although a later one has theirs"}},
		{"a checkpoint's note", []string{`UPDATE log.checkpoint SET note = replace(note, E'\n300\n', E'\n299\n') WHERE number = 2`},
			[]string{"log.checkpoint: checkpoint 2 of 300 events: its signature of example.org/stacks+"}},
		{"no note at all", []string{`UPDATE log.checkpoint SET note = 'x' WHERE number = 2`}, []string{"log.checkpoint: checkpoint 2 of 300 events: read a checkpoint: "}},
		{"a checkpoint is missing", []string{`DELETE FROM log.checkpoint WHERE number = 2`}, []string{"log.checkpoint: checkpoint 3 of 301 events: want number 2 there"}},
		{"the first checkpoint's key", []string{`DELETE FROM log.checkpoint WHERE number > 1`, `UPDATE log.checkpoint SET verifier_key = 'x'`},
			[]string{`log.checkpoint: checkpoint 1 of 100 events: the key that it is said to be signed with is none: "x"`, "log.checkpoint: checkpoint 1 of 100 events: it is signed with another key, example.org/stacks+"}},
		{"a checkpoint's key", []string{`UPDATE log.checkpoint SET verifier_key = 'x' WHERE number = 2`}, []string{`log.checkpoint: checkpoint 2 of 300 events: it is said to be signed with "x", and is not`}},
	} {
		w.tamper(tc.sql...)
		_, found := w.verify(transparency.VerifyConfig{})
		t.Run(tc.name, func(t *testing.T) { wantFindings(t, found, tc.want...) })
		w.tamper(repair...)
	}
	if _, found := w.verify(transparency.VerifyConfig{}); len(found) > 0 {
		t.Errorf("when all is as it was: got %q", found)
	}
}

// wantFindings checks how findings begin, whatever their order.
func wantFindings(t testing.TB, found []string, want ...string) {
	t.Helper()
	left := slices.Clone(found)
	for _, begin := range want {
		at := slices.IndexFunc(left, func(text string) bool { return strings.HasPrefix(text, begin) })
		if at < 0 {
			t.Errorf("nothing begins with %q in\n%s", begin, strings.Join(found, "\n"))
			continue
		}
		left = slices.Delete(left, at, at+1)
	}
	if len(left) > 0 {
		t.Errorf("got also\n%s", strings.Join(left, "\n"))
	}
}

// Who can write the database rewrites the tail, and all that is made of it, so that it agrees with itself. What he can't do is to sign
// it with the log's key, or change what somebody has kept.
func TestVerifyRewrittenTail(t *testing.T) {
	t.Parallel()
	w, l := signedWorld(t)
	w.note(1)
	kept := []transparency.Kept{{Name: "old", Note: w.checkpointNote(l, 300)}, {Name: "new", Note: w.checkpointNote(l, 700)}}
	key := must.Get(l.VerifierKey(t.Context()))(t)
	forger := must.Get(transparency.OpenKey(filepath.Join(t.TempDir(), "key"), origin))(t)
	w.tamper(`DELETE FROM log.checkpoint WHERE number > 2`, `DELETE FROM log.subtree WHERE n > 0`, `UPDATE log.tree SET subtrees = 1, verified = 1`)
	w.truncate(400)
	w.grow("forged", 650)
	other := w.open(transparency.Config{Key: forger, TakeOver: true})
	w.sign(other, true)
	w.grow("forged", 720)
	w.sign(other, true)

	name := strings.Join(strings.Split(forger.VerifierKey(), "+")[:2], "+")
	resigned := []string{
		"log.checkpoint: checkpoint 3 of 650 events: it is signed with another key, " + name,
		"log.checkpoint: checkpoint 4 of 720 events: it is signed with another key, " + name,
	}
	_, found := w.verify(transparency.VerifyConfig{})
	wantFindings(t, found, resigned...)
	verified, found := w.verify(transparency.VerifyConfig{Keys: []string{key}, Kept: kept})
	wantFindings(t, found, append(resigned, "events 301 to 700: kept: not the events that new was signed of")...)
	if verified.Signed != 300 || !verified.Given {
		t.Errorf("got %+v", verified)
	}

	// All of it, with the key itself: only what was kept shows it.
	w.tamper(`DELETE FROM log.checkpoint WHERE number <= 2`, `UPDATE log.checkpoint SET number = number - 2`)
	_, found = w.verify(transparency.VerifyConfig{})
	wantFindings(t, found)
	_, found = w.verify(transparency.VerifyConfig{Kept: kept})
	wantFindings(t, found, "kept: old: it is signed with another key, ", "kept: new: it is signed with another key, ", "events 651 to 700: kept: not the events that new was signed of")
	const forgotten = "kept: old is of the events that are there, but is not among the log's checkpoints any more"
	_, found = w.verify(transparency.VerifyConfig{Keys: []string{forger.VerifierKey(), key}, Kept: kept})
	wantFindings(t, found, forgotten, "events 651 to 700: kept: not the events that new was signed of")

	// And the tail is cut off.
	w.tamper(`DELETE FROM log.checkpoint WHERE size > 650`, `DELETE FROM log.subtree WHERE n > 0`, `UPDATE log.tree SET subtrees = 1, verified = 1`)
	w.truncate(650)
	_, found = w.verify(transparency.VerifyConfig{Keys: []string{forger.VerifierKey(), key}, Kept: kept})
	wantFindings(t, found, forgotten, "events 651 to 700: kept: new is of 700 events, and the log has 650")
}

// Who deletes the newest checkpoint alone leaves a log that agrees with itself. A checkpoint that somebody has kept shows it.
func TestVerifyNewestCheckpointDeleted(t *testing.T) {
	t.Parallel()
	w, l := signedWorld(t)
	kept := []transparency.Kept{{Name: "new", Note: w.checkpointNote(l, 700)}}
	_, found := w.verify(transparency.VerifyConfig{Kept: kept})
	wantFindings(t, found)
	w.tamper(`DELETE FROM log.checkpoint WHERE number = (SELECT max(number) FROM log.checkpoint)`)
	_, found = w.verify(transparency.VerifyConfig{})
	wantFindings(t, found)
	_, found = w.verify(transparency.VerifyConfig{Kept: kept})
	wantFindings(t, found, "kept: new is of the events that are there, but is not among the log's checkpoints any more")
}

// A kept checkpoint that was changed is not believed.
func TestVerifyForgedKept(t *testing.T) {
	t.Parallel()
	w, l := signedWorld(t)
	forged := bytes.Replace(w.checkpointNote(l, 300), []byte("\n300\n"), []byte("\n301\n"), 1)
	_, found := w.verify(transparency.VerifyConfig{Kept: []transparency.Kept{{Name: "file", Note: forged}}})
	wantFindings(t, found, "kept: file: its signature of example.org/stacks+", "event 301: kept: not the events that file was signed of")
}

// While it is verified, the log grows, is signed, and gets subtrees.
func TestVerifyWhileGrowing(t *testing.T) {
	t.Parallel()
	w, l := signedWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			batch := make([]eventstore.Incoming, 150)
			for j := range batch {
				batch[j] = event(fmt.Sprint("more ", i, " ", j/2))
			}
			if _, err := w.log.AppendBatch(t.Context(), batch, nil); err != nil {
				t.Error(err)
				return
			}
			if _, err := l.Sign(t.Context()); err != nil {
				t.Error(err)
				return
			}
		}
	})
	grown := int64(0)
	eventually.Holds(t, "the log grows", func() bool {
		size := must.Get(w.log.Size(t.Context()))(t)
		return size > 700
	})
	for range 8 {
		verified, found := w.verify(transparency.VerifyConfig{Workers: 2})
		if len(found) > 0 || verified.Size <= 700 || verified.Size < grown {
			t.Errorf("got %d events and %q", verified.Size, found)
		}
		grown = verified.Size
	}
	stop()
	running.Wait()
}

// When it is stopped it says so, and not that all is well.
func TestVerifyStopped(t *testing.T) {
	t.Parallel()
	w, _ := signedWorld(t)
	for after := range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		w.tamper(fmt.Sprintf(`DELETE FROM log.event WHERE seq = %d`, 100+after))
		_, err := w.open(transparency.Config{}).Verify(ctx, transparency.VerifyConfig{Finding: func(transparency.Finding) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that it was canceled", err)
		}
		cancel()
	}
}

// What keeps the log append-only is found when it is switched off, changed, added to or given away.
func TestVerifyGuards(t *testing.T) {
	t.Parallel()
	w, _ := signedWorld(t)
	// Whoever only reads leaves the log as it is.
	w.tamper(`GRANT USAGE ON SCHEMA log TO PUBLIC; GRANT SELECT ON log.event, log.body, log.delivery, log.head TO PUBLIC; GRANT SELECT (seq) ON log.event TO PUBLIC`)
	if _, found := w.verify(transparency.VerifyConfig{}); len(found) > 0 {
		t.Errorf("privileges to read: found %q", found)
	}
	for _, tc := range []struct{ name, sql, undo, want string }{
		{"a trigger is switched off", `ALTER TABLE log.event DISABLE TRIGGER refuse_change`, `ALTER TABLE log.event ENABLE TRIGGER refuse_change`,
			"guard: the trigger refuse_change of log.event is missing"},
		{"a trigger of a partition is dropped", `DROP TRIGGER refuse_truncate ON log.event_000000000000000`,
			`CREATE TRIGGER refuse_truncate BEFORE TRUNCATE ON log.event_000000000000000 FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change()`,
			"guard: the trigger refuse_truncate of log.event_000000000000000 is missing"},
		{"a trigger lets some rows pass",
			`CREATE OR REPLACE TRIGGER only_grows BEFORE UPDATE OR DELETE ON log.tree FOR EACH ROW WHEN (OLD.verified > 5) EXECUTE FUNCTION log.verified_only_grows()`,
			`CREATE OR REPLACE TRIGGER only_grows BEFORE UPDATE OR DELETE ON log.tree FOR EACH ROW EXECUTE FUNCTION log.verified_only_grows()`,
			"guard: the trigger only_grows of log.tree is missing, switched off or not as it was made"},
		{"a function does nothing", `CREATE OR REPLACE FUNCTION log.refuse_verified() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$`, "",
			"guard: the function log.refuse_verified is not as it was made"},
		{"a strange trigger", `CREATE TRIGGER spy AFTER INSERT ON log.checkpoint FOR EACH ROW EXECUTE FUNCTION log.refuse_verified()`, `DROP TRIGGER spy ON log.checkpoint`,
			"guard: the trigger spy of log.checkpoint is not one of the log's own"},
		{"a rule", `CREATE RULE lost AS ON INSERT TO log.body DO INSTEAD NOTHING`, `DROP RULE lost ON log.body`, "guard: the rule lost of log.body is not one"},
		{"a privilege for all", `GRANT DELETE ON log.event_000000000000000 TO PUBLIC`, `REVOKE DELETE ON log.event_000000000000000 FROM PUBLIC`,
			"guard: DELETE for PUBLIC on log.event_000000000000000 is granted"},
		{"a privilege for the owner", `GRANT TRUNCATE ON log.head TO CURRENT_USER`, `REVOKE TRUNCATE ON log.head FROM CURRENT_USER`, "guard: TRUNCATE for "},
		{"the view hides events",
			`CREATE OR REPLACE VIEW log.delivery AS SELECT seq, received_at, source, path, content_type, origin, size, sha256, body_seq, body FROM log.event WHERE seq <> 699`, "",
			"guard: the view log.delivery lacks or changes 1 of the newest events"},
	} {
		w.tamper(tc.sql)
		_, found := w.verify(transparency.VerifyConfig{})
		if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, tc.want) }) {
			t.Errorf("%s: found %q, want %q", tc.name, found, tc.want)
		}
		if tc.undo != "" {
			w.tamper(tc.undo)
		}
	}
}
