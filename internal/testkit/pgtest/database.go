package pgtest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// database is a database of one test.
type database struct {
	source        *Source
	url, adminURL string
}

// databaseTimeout bounds the creation and the removal of a database.
const databaseTimeout = 5 * time.Minute

// owned lists the databases of each running test, oldest first.
var owned = struct {
	sync.Mutex
	byTest map[testing.TB][]database
}{byTest: map[testing.TB][]database{}}

// database returns the first database that test t got from this Source, and creates one if there is none. One test must
// not call it from several goroutines until the first call has returned.
func (s *Source) database(t testing.TB) database {
	t.Helper()
	owned.Lock()
	for _, db := range owned.byTest[t] {
		if db.source == s {
			owned.Unlock()
			return db
		}
	}
	owned.Unlock()
	return s.create(t)
}

// latest returns the newest database of test t, from any Source.
func latest(t testing.TB) (database, bool) {
	owned.Lock()
	defer owned.Unlock()
	all := owned.byTest[t]
	if len(all) == 0 {
		return database{}, false
	}
	return all[len(all)-1], true
}

// create creates a database for test t and drops it when the test ends.
func (s *Source) create(t testing.TB) database {
	t.Helper()
	cluster := mustShared(t)
	template, err := s.ready(cluster)
	check(t, "prepare a template", err)
	ctx, cancel := context.WithTimeout(context.Background(), databaseTimeout)
	defer cancel()
	name, err := cluster.create(ctx, template, t.Name())
	check(t, "create a database", err)
	t.Cleanup(func() {
		owned.Lock()
		delete(owned.byTest, t)
		owned.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), databaseTimeout)
		defer cancel()
		if err := cluster.drop(ctx, name); err != nil {
			t.Errorf("pgtest: drop the test's database: %v", err)
		}
	})
	db := database{source: s}
	if db.url, err = withDatabase(cluster.cluster.URL(), name); err == nil {
		db.adminURL, err = withDatabase(cluster.cluster.AdminURL(), name)
	}
	check(t, "name a database", err)
	owned.Lock()
	owned.byTest[t] = append(owned.byTest[t], db)
	owned.Unlock()
	return db
}
