package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"strata/internal/testkit/must"
	"strata/projections"
	"strata/projections/version"
	"strata/rig/every"
	"strata/rig/replay"
)

// ReleasePrefix begins the argument that names the projection of which the next release of the program has new rules.
const ReleasePrefix = "release="

// versions is the scene of updates: processes of this release of the program and of the next one run in turn and side by side, and an
// operator has versions built, made active, rolled back and dropped, while the chain moves.
type versions struct {
	quiet
	random   *rand.Rand
	renewed  string // the projection with new rules in the next release; empty for none
	commands int    // how many are left
	updates  int    // how many changes between the releases are left
	decided  bool   // a command has decided what is active
	reached  map[string]int64
	asked    map[int]bool  // the processes that were asked for all versions, in the end
	busy     chan struct{} // closed when the command that is under way has an answer
	phase    int
	waits    string // what the end waits for

	mu    sync.Mutex
	wrong []string
}

func newVersions(random *rand.Rand) Scene {
	renewed := []string{"balances", "accounts", "mempool", "names", "ft", "search", "chain", "ordinals", "brc20", ""}
	return &versions{random: random, renewed: renewed[random.IntN(len(renewed))], commands: random.IntN(6), updates: 1 + random.IntN(5), reached: map[string]int64{}, asked: map[int]bool{}}
}

func (s *versions) chance(n int) bool { return s.random.IntN(10_000) < n }

func (s *versions) fail(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, fmt.Sprintf(format, arguments...))
}

// next are the arguments of a process of the next release.
func (s *versions) next() []string { return []string{ReleasePrefix + s.renewed} }

// Act implements Scene.
func (s *versions) Act(w *World, _ *History) bool {
	switch {
	case s.chance(100), !s.free() && s.chance(3000): // mostly around what may be a switch
		s.look(w)
	case s.commands > 0 && s.chance(40) && s.free():
		s.commands--
		s.command(w)
	case s.updates > 0 && s.renewed != "" && s.chance(30):
		s.updates--
		if w.arguments = nil; s.random.IntN(3) > 0 {
			w.arguments = s.next()
		}
		switch {
		case len(w.running) == 0 || len(w.running) < 3 && s.random.IntN(3) > 0:
			w.Script.Count("updates beside")
			w.Start()
		case s.random.IntN(3) == 0:
			w.Script.Count("updates after a crash")
			w.Crash(w.someone())
			w.Start()
		default:
			w.Script.Count("updates")
			w.Stop(w.someone())
			w.Start()
		}
	default:
		return false
	}
	return true
}

// look checks what readers see now: one version of each projection, which has not failed, and not less of the log than before.
func (s *versions) look(w *World) (all []version.Status) {
	all = must.Get(w.Script.db.statuses())(w.T)
	active, leaders := map[string]int{}, map[string]bool{"log": true}
	for _, v := range all {
		leaders[v.Schema().String()] = v.Active
	}
	for _, v := range all {
		if v.State == version.StateFailed {
			s.fail("%s has failed: %s", v.Schema(), *v.Error)
		}
		if !v.Active {
			continue
		}
		if active[v.Name]++; !leaders[v.Input] {
			s.fail("%s is active, and what it folds, %s, is not", v.Schema(), v.Input)
		}
		if v.LogSeq < s.reached[v.Name] {
			s.fail("readers of %s saw %d events, and see %d with version %d", v.Name, s.reached[v.Name], v.LogSeq, v.Version)
		}
		s.reached[v.Name] = v.LogSeq
	}
	for _, spec := range specs() {
		if active[spec.Name] != 1 {
			s.fail("%d versions of %s are active", active[spec.Name], spec.Name)
		}
	}
	return all
}

// free reports whether no command is under way.
func (s *versions) free() bool {
	if s.busy == nil {
		return true
	}
	select {
	case <-s.busy:
		return true
	default:
		return false
	}
}

// command lets the operator do something.
func (s *versions) command(w *World) {
	all := s.look(w)
	v := all[s.random.IntN(len(all))]
	for _, other := range all { // rather one of those that are not active
		if !other.Active && s.random.IntN(2) == 0 {
			v = other
		}
	}
	path := fmt.Sprintf("/%s/versions/%d", v.Name, v.Version)
	switch n := s.random.IntN(10); {
	case n < 4 && len(all) < 40:
		if v.Input == "log" && s.random.IntN(3) > 0 {
			v.Name = "names"
		}
		s.send(w, http.MethodPost, "/"+v.Name+"/rebuild", `{}`)
	case n < 7:
		s.decided = true
		s.send(w, http.MethodPost, path+"/activate", "")
	case n < 8:
		s.decided = true
		s.send(w, http.MethodPost, "/"+v.Name+"/rollback", "")
	case n < 9 && !s.ours(v):
		s.decided = true // what is dropped may be the new rules, or a follower that their leader needs
		s.send(w, http.MethodDelete, path, "")
	default:
		s.send(w, http.MethodPost, path+"/verify", "")
	}
}

// ours reports whether a version is the one that the other judges look at.
func (s *versions) ours(v version.Status) bool {
	return slices.ContainsFunc(specs(), func(spec projections.Spec) bool { return spec.Schema == v.Schema() })
}

// send sends a command to some process, beside the script.
func (s *versions) send(w *World, method, path, body string) {
	if processes := w.network.serving(adminPort); len(processes) > 0 {
		s.sendTo(w, processes[s.random.IntN(len(processes))], method, path, body)
	}
}

func (s *versions) sendTo(w *World, process int, method, resource, body string) {
	busy := make(chan struct{})
	s.busy = busy
	go func() {
		defer close(busy)
		header := http.Header{}
		if body != "" {
			header.Set("Content-Type", "application/json")
		}
		r, err := w.Ask(context.Background(), time.Minute, method, process, adminPort, "/admin/v1/projections"+resource, header, []byte(body))
		w.Script.tell("%s %s of process %d: %d %v %.300s", method, resource, process, r.Status, err, r.Body)
		w.Script.Count(fmt.Sprintf("commands %s %d", path.Base("/projections"+resource), r.Status))
		var verified struct {
			Findings []struct{ Check, Detail string }
		}
		_ = json.Unmarshal(r.Body, &verified)
		if (r.Status == http.StatusUnprocessableEntity || r.Status == http.StatusBadRequest) && len(verified.Findings) == 0 {
			s.fail("%s %s: %d %s", method, resource, r.Status, r.Body)
		}
		for _, f := range verified.Findings { // a version may still be under way, or wait for a process that has its code
			if !slices.Contains([]string{"it has caught up", "it has its indexes"}, f.Check) {
				s.fail("%s: %s: %s", resource, f.Check, f.Detail)
			}
		}
	}()
}

// Settle implements Scene. Processes of both releases run until all versions are built, and the new rules are active. Then the operator
// returns to this release.
func (s *versions) Settle(w *World, _ *History) bool {
	if !s.free() {
		return false
	}
	all := s.look(w)
	switch s.phase {
	case 0: // processes of both releases run, whatever ends one while it starts, until all is built
		w.reap()
		both := map[bool]bool{true: s.renewed == ""}
		for _, p := range w.running {
			both[len(p.arguments) > 0] = true
		}
		for _, next := range []bool{false, true} {
			if w.arguments = nil; next {
				w.arguments = s.next()
			}
			if !both[next] {
				w.Start()
			}
		}
		for _, number := range slices.Sorted(maps.Keys(w.running)) {
			if !s.asked[number] { // until it answers, it may not have registered what it builds
				s.asked[number] = true
				s.sendTo(w, number, http.MethodGet, "", "")
				return false
			}
		}
		for _, v := range all {
			if v.State != version.StateLive || v.Lag() > 0 || !v.Indexed {
				s.waits = fmt.Sprintf("%s is %s and lags %d", v.Schema(), v.State, v.Lag())
				return false
			}
		}
		s.waits = ""
		if s.renewed != "" && !s.decided && !w.Script.Until(time.Minute, func() bool { return s.active(w) }) {
			s.fail("a minute after all is built, the new rules of %s are not active", s.renewed)
		}
		s.phase++
	case 1: // back
		for _, number := range slices.Sorted(maps.Keys(w.running)) {
			if len(w.running[number].arguments) > 0 {
				w.Stop(number)
			}
		}
		if s.renewed != "" {
			spec := specOf(s.renewed)
			for range 10 {
				if !s.active(w) {
					break
				}
				s.send(w, http.MethodPost, fmt.Sprintf("/%s/versions/%d/activate", spec.Name, spec.Version), "")
				w.Script.Until(time.Minute, s.free)
			}
			if s.active(w) {
				s.fail("the new rules of %s are still active", s.renewed)
			}
		}
		w.arguments = nil
		s.phase++
	}
	return s.phase == 2
}

// active reports whether the new rules are active.
func (s *versions) active(w *World) bool {
	return slices.ContainsFunc(s.look(w), func(v version.Status) bool {
		return v.Name == s.renewed && v.Active && v.Rules > specOf(v.Name).Version
	})
}

func specOf(name string) projections.Spec {
	all := specs()
	return all[slices.IndexFunc(all, func(s projections.Spec) bool { return s.Name == name })]
}

// Judge implements Scene.
func (s *versions) Judge(j *judge) {
	j.Wrong = append(j.Wrong, s.wrong...)
	if s.waits != "" {
		j.wrong("in the end %s", s.waits)
	}
	leftOut := map[string]bool{}
	for _, d := range every.Lines().Definitions() {
		for _, table := range d.BuildDependent {
			leftOut[d.Spec.Name+"."+table] = true
		}
	}
	// The rows of all versions of a projection are the same.
	registered := replay.Texts(j.TB, j.pool, `SELECT name || '_v' || version FROM strata.projection`)
	rows := map[string]map[string][]string{}
	for _, name := range replay.Texts(j.TB, j.pool, `SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname ~ '_v[0-9]+$' ORDER BY 1`) {
		if !slices.Contains(registered, name) {
			j.wrong("the schema %s is there, and its version is not", name)
		}
		rows[name] = map[string][]string{}
		for table, list := range j.dumpOf(j.pool, []string{name}) {
			rows[name][strings.TrimPrefix(table, name+".")] = list
		}
	}
	number := regexp.MustCompile(`_v[0-9]+$`)
	for _, name := range registered {
		projection := number.ReplaceAllString(name, "")
		ours := specOf(projection).String()
		for _, table := range sortedKeys(rows[ours], rows[name]) {
			if leftOut[projection+"."+table] {
				continue
			}
			if diff := difference(rows[name][table], rows[ours][table]); diff != "" {
				j.wrong("%s of %s is not that of %s: %s", table, name, ours, diff)
				break
			}
		}
	}
}
