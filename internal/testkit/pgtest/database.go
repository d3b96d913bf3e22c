package pgtest

import (
	"context"
	"sync"
	"testing"
	"time"
)

// database is one test's database.
type database struct {
	source        *Source
	url, adminURL string
}

// databaseTimeout bounds the making and the dropping of a database.
const databaseTimeout = time.Minute

// owned lists the databases of each running test, in the order in which they were made.
var owned = struct {
	sync.Mutex
	by map[testing.TB][]database
}{by: map[testing.TB][]database{}}

// database is the first database that test t got from this Source, made where it has none. (A test's own calls
// may come from several goroutines only once it has one.)
func (s *Source) database(t testing.TB) database {
	t.Helper()
	owned.Lock()
	for _, db := range owned.by[t] {
		if db.source == s {
			owned.Unlock()
			return db
		}
	}
	owned.Unlock()
	return s.create(t)
}

// latest is the database that test t got last, from any Source.
func latest(t testing.TB) (database, bool) {
	owned.Lock()
	defer owned.Unlock()
	all := owned.by[t]
	if len(all) == 0 {
		return database{}, false
	}
	return all[len(all)-1], true
}

// create makes a database for test t and sees to its end.
func (s *Source) create(t testing.TB) database {
	t.Helper()
	cluster := mustShared(t)
	template, err := s.ready(cluster)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), databaseTimeout)
	defer cancel()
	name, err := cluster.create(ctx, template, t.Name())
	if err != nil {
		t.Fatalf("pgtest: make a database: %v", err)
	}
	t.Cleanup(func() {
		owned.Lock()
		delete(owned.by, t)
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
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	owned.Lock()
	owned.by[t] = append(owned.by[t], db)
	owned.Unlock()
	return db
}
