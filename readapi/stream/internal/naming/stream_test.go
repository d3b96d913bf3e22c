package naming_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	domain "strata/domain/bns"
	v1 "strata/domain/names"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/synth/synthnames"
	"strata/internal/testkit/check"
	"strata/internal/testkit/must"
	"strata/projections/bns"
	"strata/projections/chain"
	"strata/projections/follow"
	"strata/projections/names"
	"strata/readapi"
	"strata/rig/apitest"
	"strata/rig/bnschain"
	"strata/rig/replay"
)

// happened is the data of an event of the stream.
type happened struct {
	Registry, Operation string
	Name, Namespace     *string
	ID, Owner           *string
	TxID                string `json:"tx_id"`
	EventIndex          *int32 `json:"event_index"`
	IndexBlockHash      string `json:"index_block_hash"`
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// history is what a client has that applies events and undoes reverts.
func history(t *testing.T, url string, end func(id string) bool) (all []happened, reverts int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	request := must.Get(http.NewRequestWithContext(ctx, http.MethodGet, url, nil))(t)
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %s", url, response.Status)
	}
	var name, id string
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			var h happened
			must.Do(t, json.Unmarshal([]byte(value), &h))
			if name == "revert" {
				reverts++
				all = slices.DeleteFunc(all, func(o happened) bool { return o.IndexBlockHash == h.IndexBlockHash })
			} else {
				all = append(all, h)
			}
		case "":
			if end(id) {
				return all, reverts
			}
		}
	}
	t.Fatalf("the stream ended at %q: %v", id, lines.Err())
	return nil, 0
}

// followed runs the projections and an API over posts, half of which come while a client follows names from the beginning.
func followed(t *testing.T, posts []replay.Post) (all []happened, reverts int, url string, tx func(query string) []string) {
	t.Helper()
	log := replay.NewLog(t)
	replay.Start(t, log, apitest.NewChain(t), names.New(), bns.New(domain.KnownContracts()))
	replay.Append(t, log, posts[:len(posts)/2]...)
	replay.Wait(t, log)
	wake := eventstore.NewWake(log.Pool(), follow.Channel, time.Second, nil)
	defer wake.Stop()
	_, server := apitest.NewLive(t, log.Pool(), readapi.Config{Signal: wake.C})
	replay.Append(t, log, posts[len(posts)/2:len(posts)-1]...)
	last := func() (id string) {
		err := log.Pool().QueryRow(t.Context(), chain.Spec().SQL(`
			SELECT 'log=' || source_seq || '; height=' || height || '; index_block_hash=0x' || encode(index_block_hash, 'hex') FROM {schema}.step ORDER BY step DESC LIMIT 1`)).Scan(&id)
		if err != nil {
			t.Error(err)
		}
		return id
	}
	appended := false
	var ended string
	all, reverts = history(t, server+"/stream/v1/names?from=log=0", func(id string) bool {
		if !appended { // the client is there
			appended = true
			replay.Append(t, log, posts[len(posts)-1])
			replay.Wait(t, log)
			ended = last()
		}
		return id == ended
	})
	tx = func(query string) []string {
		rows := must.Get(log.Pool().Query(t.Context(), query))(t)
		list := must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
		return list
	}
	return all, reverts, server, tx
}

// TestFirstRegistry follows the names of a made-up chain with forks. A client has in the end what the projection has.
func TestFirstRegistry(t *testing.T) {
	t.Parallel()
	config := synthchain.Everything(5, synthchain.V40)
	config.SigningSample, config.Accounts, config.ForkProbability, config.Mix = 1000, 16, 0.3, synthchain.Mix{Transfer: 1, Naming: 30}
	generator := synthchain.New(config)
	posts := replay.Take(260, generator.Next)
	all, reverts, url, rows := followed(t, posts)
	var got, namespaces []string
	for _, h := range all {
		switch {
		case h.Registry != "bns-v1":
		case h.Name == nil:
			namespaces = append(namespaces, fmt.Sprint(h.TxID, " ", text(h.Namespace)))
		default:
			silent := ""
			if h.EventIndex == nil {
				silent = " silent"
			}
			got = append(got, fmt.Sprint(h.TxID, " ", *h.Name, " ", h.Operation, silent))
		}
	}
	var want []string
	for _, row := range rows(names.Spec().SQL(`
		SELECT '0x' || encode(txid, 'hex') || ' ' || name || ' ' || operation || CASE WHEN pointer IS NULL THEN ' silent' ELSE '' END FROM {schema}.operation`)) {
		parts := strings.Fields(row)
		var number int16
		_, _ = fmt.Sscan(parts[2], &number)
		parts[2] = v1.Operation(number).String()
		want = append(want, strings.Join(parts, " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(got) < 20 {
		t.Errorf("got %d operations, want %d:\n%v\n%v", len(got), len(want), got, want)
	}
	wanted := rows(names.Spec().SQL(`SELECT '0x' || encode(txid, 'hex') || ' ' || namespace FROM {schema}.namespace`))
	slices.Sort(namespaces)
	slices.Sort(wanted)
	check.EqualSlices(t, "namespaces", namespaces, wanted)
	if reverts == 0 {
		t.Error("nothing was reverted")
	}
	// Owners are those of the operations.
	owners := map[string]string{}
	for _, row := range rows(names.Spec().SQL(`SELECT '0x' || encode(txid, 'hex') || ' ' || name || ' ' || owner FROM {schema}.operation WHERE operation IN (1, 2, 4)`)) {
		parts := strings.Fields(row)
		owners[parts[0]+parts[1]] = parts[2]
	}
	for _, h := range all {
		if want, ok := owners[h.TxID+text(h.Name)]; ok && text(h.Owner) != want {
			t.Errorf("%s of %s: got owner %s, want %s", h.Operation, text(h.Name), text(h.Owner), want)
		}
	}
	// One name, and one namespace.
	name := text(all[len(all)-1].Name)
	for query, fits := range map[string]func(h happened) bool{
		"name=" + name:                        func(h happened) bool { return text(h.Name) == name },
		"namespace=" + text(all[0].Namespace): func(h happened) bool { return text(h.Namespace) == text(all[0].Namespace) },
	} {
		end := ""
		if ends := rows(chain.Spec().SQL(`SELECT 'log=' || source_seq || '; height=' || height || '; index_block_hash=0x' || encode(index_block_hash, 'hex') FROM {schema}.step ORDER BY step DESC LIMIT 1`)); len(ends) > 0 {
			end = ends[0]
		}
		some, _ := history(t, url+"/stream/v1/names?from=log=0&"+query, func(id string) bool { return id == end })
		var want []happened
		for _, h := range all {
			if fits(h) {
				want = append(want, h)
			}
		}
		if fmt.Sprint(shown(some)) != fmt.Sprint(shown(want)) || len(want) == 0 {
			t.Errorf("%s: got %v, want %v", query, shown(some), shown(want))
		}
	}
}

func shown(all []happened) (texts []string) {
	for _, h := range all {
		texts = append(texts, fmt.Sprint(h.TxID, text(h.Name), text(h.Namespace), h.Operation))
	}
	return texts
}

// TestSecondRegistry follows the names of BNS-V2 on a simulated chain with forks. Each event of the projection is on the
// stream, and nothing else.
func TestSecondRegistry(t *testing.T) {
	t.Parallel()
	simulator, random := synthnames.NewSimulator(7), rand.New(rand.NewPCG(7, 7))
	type node struct {
		block  synthnames.Block
		state  *synthnames.State
		parent *node
	}
	block, state := simulator.Genesis()
	tip := &node{block: block, state: state}
	blocks := []synthnames.Block{block}
	for range 120 {
		parent := tip
		if random.IntN(5) == 0 && parent.parent != nil {
			parent = parent.parent
		}
		block, state := simulator.Next(parent.block, parent.state)
		tip = &node{block, state, parent}
		blocks = append(blocks, block)
	}
	all, reverts, _, rows := followed(t, bnschain.Posts(blocks...))
	about := func(tx, name, namespace string) string {
		if name == "" {
			return tx + " " + namespace
		}
		return tx + " " + name
	}
	got, want, silent := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, h := range all {
		key := about(h.TxID, text(h.Name), text(h.Namespace))
		got[key] = true
		if h.EventIndex == nil {
			silent[h.Operation] = true
		}
	}
	for _, row := range rows(bns.Spec().SQL(`SELECT '0x' || encode(txid, 'hex') || ',' || coalesce(full_name, '') || ',' || coalesce(namespace, '') FROM {schema}.event WHERE kind <> 0`)) {
		parts := strings.Split(row, ",")
		want[about(parts[0], parts[1], parts[2])] = true
	}
	for key := range want {
		if !got[key] {
			t.Errorf("the stream lacks %s", key)
		}
	}
	for key := range got {
		if !want[key] {
			t.Errorf("the stream has %s, which did not happen", key)
		}
	}
	if len(want) < 40 || reverts == 0 || !silent[domain.SetPrimaryName] {
		t.Errorf("too little happened: %d events, %d reverts, silent %v", len(want), reverts, silent)
	}
}
