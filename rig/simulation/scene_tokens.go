package simulation

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"strata/domain/fetch"
	"strata/eventstore"
	"strata/internal/synth/synthchain"
	"strata/internal/testkit/must"
	"strata/internal/testkit/outside"
)

// tokens is a scene with token contracts, nodes that answer their calls, and gateways with their documents and images. These
// misbehave until the chain has ended.
type tokens struct {
	quiet
	trouble int  // of a hundred requests, those that go wrong
	foreign bool // one node is of another network until the end
	waits   bool // in the end the program tries again by itself; otherwise people ask for all once more
	images  bool
	crashes bool
	outages int // of the database, that are left for the end, while something is fetched

	world    *World
	blocks   map[string]*blockSupply // by index block hash
	seed     uint64
	mu       sync.Mutex
	calm     bool
	calmed   time.Time // since when
	newer    bool      // the answers have changed
	asked    map[string]int
	requests []*request
	pauses   []pause
	refreshs int
	still    time.Time // since when wants are due, and nobody asks
	sleeps   int

	contracts []string         // that the tables know in the end
	replies   map[string]Reply // of the API, by path, in the end
	ended     bool
}

// request is a request to the outside world.
type request struct {
	process    int
	key        string
	host       string
	began, end time.Time
	good       bool // the answer was as it should be
}

// pause is for how long a host wants no request from a process.
type pause struct {
	process     int
	host        string
	from, until time.Time
}

func newTokens(random *rand.Rand) Scene {
	t := &tokens{seed: random.Uint64(), blocks: map[string]*blockSupply{}, asked: map[string]int{}, replies: map[string]Reply{}}
	t.trouble = []int{0, 10, 40, 70}[random.IntN(4)]
	t.foreign, t.waits, t.images = random.IntN(4) == 0, random.IntN(2) == 0, random.IntN(4) == 0
	return t
}

// Plan lets the chain have tokens.
func (t *tokens) Plan(p *plan) {
	c := &p.chain
	c.Mix = synthchain.Mix{Transfer: 5, Deploy: 25, TokenMint: 30, TokenTransfer: 5, TokenBurn: 10, CollectibleMint: 12, CollectibleMove: 3, Vault: 3, Announce: 10}
	c.Microblocks, c.MempoolProbability, c.StackerDBProbability, c.ProposalProbability, c.TxPerBlock.Min = false, 0, 0, 0, 1
	c.TxPerBlock.Max = max(c.TxPerBlock.Max, 3)
	if t.seed%2 == 0 { // the database is what fails
		p.crash, p.second, p.outage, p.faults.Refuse, t.outages = 0, 0, 20, 40, 2
	}
	p.posts, t.crashes = max(min(p.posts, 40), 25), p.crash > 0
}

// Patience is how long it may take until all is fetched: the longest pause after a failure is a week.
func (t *tokens) Patience() time.Duration { return 40 * 24 * time.Hour }

// Apart are the tables that have what contracts answer.
func (t *tokens) Apart() []string { return []string{"rosetta currency"} }

// worldTime is when the world begins: after the time of all blocks, as otherwise much that they give rise to is not due.
var worldTime = time.Date(2021, 12, 1, 0, 0, 0, 0, time.UTC)

const (
	nodePort    = "20443"
	gatewayPort = "8080"
)

// Addresses of the world's servers.
var (
	nodeHosts    = []int{200, 201}
	gatewayHosts = []int{210, 211}
)

func (t *tokens) urls(hosts []int, port string) string {
	var all []string
	for _, n := range hosts {
		all = append(all, "http://"+net.JoinHostPort(t.world.network.host(n), port))
	}
	return strings.Join(all, ",")
}

func (t *tokens) Arguments(*World) []string {
	all := []string{
		"--nodes", t.urls(nodeHosts, nodePort), "--ipfs-gateways", t.urls(gatewayHosts, gatewayPort), "--fetch-allow", "127.66.0.0/16", "--allow-refresh",
	}
	if t.images {
		all = append(all, "--image-store", "dir", "--public-url", "http://127.66.1.1:3999")
	}
	return all
}

func (t *tokens) Begin(w *World, h *History) {
	t.world = w
	t.readSupplies(h.Senders[0])
	time.Sleep(time.Until(worldTime))
	w.Script.began = time.Now()
	for _, n := range nodeHosts {
		w.Serve(net.JoinHostPort(w.network.host(n), nodePort), t.node(w.network.host(n), t.foreign && n == nodeHosts[1]))
	}
	for _, n := range gatewayHosts {
		w.Serve(net.JoinHostPort(w.network.host(n), gatewayPort), t.server(w.network.host(n), t.content))
	}
}

// blockSupply is how a block changes the supplies of contracts. Numbers are modulo 2^64.
type blockSupply struct {
	parent  string
	changes map[string]uint64
}

// readSupplies reads from the events that a sender will post how many tokens each block mints and burns.
func (t *tokens) readSupplies(n *Sender) {
	type moved struct {
		Asset  string `json:"asset_identifier"`
		Amount string
	}
	for _, post := range n.Posts {
		var b struct {
			Index  string `json:"index_block_hash"`
			Parent string `json:"parent_index_block_hash"`
			Events []struct {
				Committed bool
				Mint      *moved `json:"ft_mint_event"`
				Burn      *moved `json:"ft_burn_event"`
			}
		}
		if post.Path != "/new_block" || json.Unmarshal(post.Body, &b) != nil {
			continue
		}
		block := &blockSupply{b.Parent, map[string]uint64{}}
		for _, e := range b.Events {
			add := func(m *moved, sign int64) {
				if m == nil || !e.Committed {
					return
				}
				amount, _ := new(big.Int).SetString(m.Amount, 10)
				contract, _, _ := strings.Cut(m.Asset, "::")
				block.changes[contract] += amount.Mul(amount, big.NewInt(sign)).Mod(amount, new(big.Int).Lsh(big.NewInt(1), 64)).Uint64()
			}
			add(e.Mint, 1)
			add(e.Burn, -1)
		}
		t.blocks[b.Index] = block
	}
}

// supply returns the supply of a contract's token at a block.
func (t *tokens) supply(contract, index string) (n uint64) {
	for b := t.blocks[index]; b != nil; b = t.blocks[b.parent] {
		n += b.changes[contract]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.newer {
		n += 1_000_000
	}
	return n
}

// outside returns the nodes and gateways without their troubles, as of a block.
func (t *tokens) outside(index string) *outside.World {
	return &outside.World{
		Supply: func(contract string) uint64 { return t.supply(contract, index) },
		Refuse: func(contract, _ string) string {
			if fateOf(contract) == refuses {
				return "RuntimeCheck(UndefinedFunction(\"told\"))"
			}
			return ""
		},
	}
}

// fate is what becomes of a contract's tokens, for every process and at every attempt.
type fate int

const (
	served    fate = iota
	refuses        // the contract fails
	missing        // no gateway has its documents
	malformed      // its documents are none
	deaf           // no node answers what its decimals are
)

// fateOf returns the fate of a contract, or of the document or image with a name.
func fateOf(of string) fate {
	if strings.HasPrefix(of, "S") {
		of = outside.URI(of, "")
		of = of[strings.LastIndexByte(of, '/')+1:]
	}
	digest, _, _ := strings.Cut(of, "-")
	n, _ := strconv.ParseUint(digest, 16, 64)
	return fate(max(int(n%8)-3, 0))
}

// node returns a node. One of another network knows no block of this one.
func (t *tokens) node(host string, foreign bool) http.Handler {
	return t.server(host, func(w http.ResponseWriter, r *http.Request) {
		away := foreign && !t.isCalm()
		switch {
		case r.URL.Path == "/v2/info":
			id := 2147483648
			if away {
				id = 1
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"network_id":%d,"burn_block_height":1,"stacks_tip_height":1,"stacks_tip":"%064d","stacks_tip_consensus_hash":"%040d","is_fully_synced":true}`, id, 1, 1)
		case away:
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, "/get-decimals") && fateOf(contractOf(r.URL.Path)) == deaf:
			w.WriteHeader(http.StatusInternalServerError)
		default:
			t.outside("0x"+r.URL.Query().Get("tip")).ServeHTTP(w, r)
		}
	})
}

// contractOf returns the contract whose function is called at a path.
func contractOf(path string) string {
	parts := strings.Split(path, "/")
	return parts[min(len(parts)-1, 4)] + "." + parts[min(len(parts)-1, 5)]
}

// content serves documents and images.
func (t *tokens) content(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch fateOf(name) {
	case missing:
		http.NotFound(w, r)
	case malformed:
		_, _ = io.WriteString(w, `{"sip": 16, "name":`)
	default:
		t.outside("").ServeHTTP(w, r)
	}
}

func (t *tokens) isCalm() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calm
}

// server returns a handler that misbehaves now and then.
func (t *tokens) server(host string, handler http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		q := &request{host: host, key: r.URL.Path + " " + string(body), began: time.Now()}
		if from := net.ParseIP(strings.Split(r.RemoteAddr, ":")[0]).To4(); from[1] == 66 {
			q.process = int(from[3])
		}
		t.mu.Lock()
		n := t.asked[q.key]
		t.asked[q.key]++
		t.requests = append(t.requests, q)
		troubled := !t.calm
		t.mu.Unlock()
		defer func() {
			t.mu.Lock()
			q.end = time.Now()
			t.mu.Unlock()
			t.world.Script.tell("process %d has asked %s for %s since %v", q.process, host, q.key, q.end.Sub(q.began))
		}()
		sum := fnv.New64a()
		_, _ = sum.Write([]byte(q.key))
		random := rand.New(rand.NewPCG(t.seed^sum.Sum64(), uint64(n)))
		if troubled = troubled && random.IntN(100) < t.trouble; !troubled {
			handler(w, r)
			q.good = true
			return
		}
		t.misbehave(w, r, q, random, handler)
	})
}

// misbehave answers a request as servers should not.
func (t *tokens) misbehave(w http.ResponseWriter, r *http.Request, q *request, random *rand.Rand, handler http.HandlerFunc) {
	kind := random.IntN(9)
	t.world.Script.Count(fmt.Sprintf("trouble %d", kind))
	answer := httptest.NewRecorder()
	switch kind {
	case 0, 1: // slow
		select {
		case <-time.After(time.Duration(random.IntN(9000)) * time.Millisecond):
			handler(w, r)
		case <-r.Context().Done():
		}
	case 2: // never
		<-r.Context().Done()
	case 3: // not now
		seconds := []int{1, 5, 20}[random.IntN(3)]
		now := time.Now()
		t.mu.Lock()
		t.pauses = append(t.pauses, pause{q.process, q.host, now, now.Add(time.Duration(seconds) * time.Second)})
		t.mu.Unlock()
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		w.WriteHeader(http.StatusTooManyRequests)
	case 4:
		w.WriteHeader([]int{500, 502, 503, 504}[random.IntN(4)])
	case 5: // of something that stands between
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>Please wait</body></html>")
	case 6: // cut in the middle
		handler(answer, r)
		w.Header().Set("Content-Length", strconv.Itoa(answer.Body.Len()))
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		panic(http.ErrAbortHandler)
	case 7: // half of it, as if it were all
		handler(answer, r)
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
	default: // a node that lags, a gateway that does not find it
		http.NotFound(w, r)
	}
}

// Act lets people ask for a refresh, answers change, and a process crash whose request is under way.
func (t *tokens) Act(w *World, h *History) bool {
	if t.crashes && w.Script.chance(300) && t.busy() {
		t.crashes = false
		w.Crash(w.someone())
		return true
	}
	if !w.Script.chance(15) {
		return false
	}
	if !t.waits && w.Script.chance(3000) {
		t.mu.Lock()
		t.newer = true
		t.mu.Unlock()
	}
	if contracts := sortedContracts(h); len(contracts) > 0 {
		contract := contracts[w.Script.Random.IntN(len(contracts))]
		go func() { _, _ = t.refresh(context.Background(), contract) }()
	}
	return true
}

// refresh asks for the metadata of a contract once more.
func (t *tokens) refresh(ctx context.Context, contract string) (Reply, error) {
	t.mu.Lock()
	t.refreshs++
	ctx = context.WithValue(ctx, senderKey{}, byte(50+t.refreshs%200))
	t.mu.Unlock()
	return t.world.askAny(ctx, time.Minute, http.MethodPost, APIPort, "/metadata/v1/refresh", nil, fmt.Appendf(nil, `{"contract_id":%q}`, contract))
}

// sortedContracts returns the token contracts of the canonical chain.
func sortedContracts(h *History) (all []string) {
	for contract := range h.Chain.Expected().Contracts {
		if isFT(contract) || isNFT(contract) {
			all = append(all, contract)
		}
	}
	slices.Sort(all)
	return all
}

func isFT(contract string) bool {
	_, name, _ := strings.Cut(contract, ".")
	return strings.HasPrefix(name, "coin-") || name == "sbtc-token"
}

func isNFT(contract string) bool {
	_, name, _ := strings.Cut(contract, ".")
	return strings.HasPrefix(name, "piece-")
}

// Settle lets the outside world behave, and all be fetched: because people ask, or because the program tries again when it is time. It
// is away until then, so that days are short.
func (t *tokens) Settle(w *World, h *History) bool {
	if len(w.behind()) > 0 || w.network.listening(APIPort) == 0 {
		return false
	}
	if !t.isCalm() {
		if t.outages > 0 && t.busy() {
			t.outages--
			away := time.Duration(5+w.Script.Random.IntN(30)) * time.Second
			w.Outage(away)
			w.Script.Run(away + 5*time.Second)
			return false
		}
		t.mu.Lock()
		t.calm, t.calmed = true, time.Now().Add(35*time.Second) // what was asked for before may be answered, or time out, yet
		t.mu.Unlock()
		if !t.waits {
			w.Do(func(ctx context.Context) {
				for _, contract := range t.known(w, "contract", "contract_id") {
					if r, err := t.refresh(ctx, contract); err != nil || r.Status != http.StatusAccepted {
						h.wrong("the refresh of %s is answered %d %v: %s", contract, r.Status, err, r.Body)
					}
				}
			})
			return false
		}
	}
	if t.sleeps > sleepsMax {
		h.wrong("after %d restarts, each when a want was due, not all is fetched", t.sleeps)
		return true
	}
	var open, soon int
	var last *time.Time
	unanswered := slices.DeleteFunc(t.known(w, "contract", "contract_id"), func(contract string) bool { return fateOf(contract) != deaf })
	w.Script.db.asking.Lock()
	err := w.Script.db.conn.QueryRow(context.Background(), openWants(), time.Now(), t.images, unanswered, t.calmed).Scan(&open, &soon, &last)
	w.Script.db.asking.Unlock()
	switch {
	case err != nil:
		w.T.Fatal(err)
	case t.busy():
		t.still = time.Time{}
		return false
	case soon > 0 && t.still.IsZero():
		t.still = time.Now()
		return false
	case soon > 0 && time.Since(t.still) < stillMost:
		return false
	case soon > 0 && !w.network.anyDead() && time.Since(t.still) < leaseLeft:
		return false
	case soon > 0: // somebody who has crashed has the lease
		if !w.network.anyDead() {
			h.wrong("%d wants are due, and for %v nobody asks, though no process has crashed", soon, leaseLeft)
			return true
		}
		t.sleep(w, leaseEnds)
		return false
	case open > 0:
		t.sleep(w, time.Until(*last))
		return false
	}
	if !t.ended {
		t.ended = true
		w.Do(func(ctx context.Context) { t.ask(ctx, w, h) })
	}
	return true
}

const (
	stillMost = 5 * time.Second // that wants are due, and nobody asks
	leaseLeft = time.Minute     // after which each process that lives on has given back the leases that it does not use
	leaseEnds = 4 * time.Minute // after a crash
	sleepsMax = 30              // until all is fetched
)

// sleep stops all processes for a while.
func (t *tokens) sleep(w *World, d time.Duration) {
	w.Script.Count("sleeps")
	for number := range w.running {
		w.Stop(number)
	}
	t.sleeps++
	time.Sleep(d)
	w.Start()
	t.still = time.Time{}
}

// busy reports whether a request is under way, or ended a moment ago: then the report on it may not be in the tables. A report comes
// even if the want has been answered since.
func (t *tokens) busy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.requests, func(q *request) bool {
		return (q.end.IsZero() || time.Since(q.end) < 2*time.Second) && !t.world.network.isDead(q.process) && !strings.HasPrefix(q.key, "/v2/info")
	})
}

// openWants counts the wants of which no attempt has failed for good since the world behaves, those of them that are due soon, and says
// when the last is due. It leaves out reads of contracts that nodes never answer as a whole, once they were tried.
func openWants() string {
	var all []string
	for _, s := range specs() {
		if s.Name == "ft" || s.Name == "nft" || s.Name == "sft" {
			all = append(all, `
				SELECT w.*, reason <> 0 AND e.received_at >= $4 AS failed FROM `+s.String()+`.want w JOIN log.event e ON e.seq = w.source_seq
				WHERE $2 OR kind <> 'image'`)
		}
	}
	return `
		SELECT count(*), count(*) FILTER (WHERE due_at < $1::timestamptz + interval '20 s'), max(due_at) FROM (` + strings.Join(all, " UNION ALL ") + `) w
		WHERE NOT (failed AND kind = 'contract_read' AND wanted_by = ANY ($3)) AND (due_at < $1::timestamptz + interval '20 s'
			OR NOT (failed AND attempts > 0 AND severity >= 2 AND due_at > $1::timestamptz + interval '1 min' OR priority = 4))`
}

// known returns the values of a column of the tables of tokens.
func (t *tokens) known(w *World, table, column string) []string {
	w.Script.db.asking.Lock()
	defer w.Script.db.asking.Unlock()
	var all []string
	for _, s := range specs() {
		if s.Name != "ft" && s.Name != "nft" {
			continue
		}
		rows := must.Get(w.Script.db.conn.Query(context.Background(), `SELECT `+column+` FROM `+s.String()+`.`+table+` ORDER BY 1`))(w.T)
		all = append(all, must.Get(pgx.CollectRows(rows, pgx.RowTo[string]))(w.T)...)
	}
	return all
}

// apiRead is how many tokens are asked for in the end.
const apiRead = 10

func (t *tokens) ask(ctx context.Context, w *World, h *History) {
	paths := t.known(w, "token", `CASE WHEN symbol_key IS NULL THEN 'nft/' || contract_id || '/' || token_id ELSE 'ft/' || contract_id END`)
	rand.New(rand.NewPCG(t.seed, 7)).Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	for _, path := range append(paths[:min(len(paths), apiRead)], "ft/ST000000000000000000002AMW42H.none") {
		r, err := w.askAny(ctx, time.Minute, http.MethodGet, APIPort, "/metadata/v1/"+path, nil, nil)
		if err != nil {
			h.wrong("%s: %v", path, err)
		}
		t.replies[path] = r
	}
}

// Judge compares what is known of tokens with what the outside world says, and looks at the requests that it got.
func (t *tokens) Judge(j *judge) {
	if len(j.Wrong) > 0 {
		return
	}
	known := map[string]bool{}
	for _, s := range specs() {
		if s.Name == "ft" || s.Name == "nft" {
			t.judgeTokens(j, s.Name, s.String(), known)
		}
	}
	if len(j.cut.Without) == 0 {
		for _, contract := range sortedContracts(j.History) {
			if isFT(contract) && !known[contract] {
				j.wrong("the tables lack the token of %s", contract)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(t.replies)) {
		t.judgeReply(j, path, t.replies[path])
	}
	log := j.readLog()
	t.judgeReports(j, log)
	t.contracts = slices.Sorted(maps.Keys(known))
	t.judgePauses(j)
	t.judgeTurns(j, log)
}

// known is what the tables say of a token.
type knownToken struct {
	Contract, ID              string
	Name, Symbol, Supply, URI *string
	Decimals                  *int
	Reason                    int
	Content                   *string
	DocumentReason            *int
	ImageSize                 *string
}

func (t *tokens) judgeTokens(j *judge, kind, schema string, known map[string]bool) {
	rows, err := j.pool.Query(context.Background(), strings.ReplaceAll(`
		SELECT t.contract_id, t.token_id::text, t.name, t.symbol, t.total_supply::text, t.uri, t.decimals, t.reason, d.content, d.reason,
			(SELECT i.width || 'x' || i.height FROM {schema}.reference r JOIN {schema}.image i USING (uri_hash)
			 WHERE r.contract_id = t.contract_id AND r.token_id = t.token_id AND r.role = 'image' AND r.locale = '')
		FROM {schema}.token t LEFT JOIN {schema}.document d ON d.uri = t.uri ORDER BY 1, 2`, "{schema}", schema))
	if err != nil {
		j.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[knownToken])
	if err != nil {
		j.Fatal(err)
	}
	tip := j.Chain.Expected().Tip.IndexHash.String()
	for _, k := range all {
		known[k.Contract] = true
		want := knownToken{Contract: k.Contract, ID: k.ID}
		f := fateOf(k.Contract)
		if f == refuses {
			want.Reason = int(fetch.ReasonClarity)
		} else {
			want.URI = new(outside.URI(k.Contract, k.ID))
			reason := map[fate]fetch.Reason{missing: fetch.ReasonMetadataHTTP, malformed: fetch.ReasonMetadataUnparsable}[f]
			want.DocumentReason = new(int(reason))
			if kind == "ft" {
				want.Name, want.Symbol = new(outside.Name(k.Contract)), new(outside.Symbol(k.Contract))
				if f == deaf {
					want.Reason = int(fetch.ReasonUnknown)
				} else {
					want.Decimals = new(6)
				}
				if want.Supply = k.Supply; j.modelled() {
					want.Supply = new(fmt.Sprint(t.supply(k.Contract, tip)))
				}
			}
			if f == served || f == deaf {
				want.Content = new("Token " + t.documentName(k))
				if t.images {
					want.ImageSize = new("480x360")
				}
			}
		}
		if k.Content != nil {
			var d struct{ Name string }
			if err := json.Unmarshal([]byte(*k.Content), &d); err != nil {
				j.wrong("the document of %s %s: %v", k.Contract, k.ID, err)
			}
			k.Content = &d.Name
		}
		show := func(k knownToken) string {
			return fmt.Sprintf("name %s, symbol %s, decimals %s, supply %s, URI %s, reason %d, document %s, its reason %s, image %s",
				shown(k.Name), shown(k.Symbol), shown(k.Decimals), shown(k.Supply), shown(k.URI), k.Reason, shown(k.Content), shown(k.DocumentReason), shown(k.ImageSize))
		}
		if got, want := show(k), show(want); got != want {
			j.wrong("token %s %s: got %s\nwant %s", k.Contract, k.ID, got, want)
		}
	}
}

// shown returns what is pointed to, as text.
func shown[T any](p *T) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprint(*p)
}

// documentName returns the name of a token's document.
func (t *tokens) documentName(k knownToken) string {
	uri := outside.URI(k.Contract, k.ID)
	return strings.TrimSuffix(uri[strings.LastIndexByte(uri, '/')+1:], ".json")
}

func (t *tokens) judgeReply(j *judge, path string, r Reply) {
	kind, of, _ := strings.Cut(path, "/")
	contract, id, _ := strings.Cut(of, "/")
	f := fateOf(contract)
	want := http.StatusOK
	var holds string // what the answer has in it
	switch {
	case strings.HasSuffix(contract, ".none"):
		want, holds = http.StatusNotFound, "Contract not found"
	case f == refuses:
		want, holds = http.StatusUnprocessableEntity, fetch.ReasonClarity.Message()
	case kind == "ft" && !j.modelled():
	case kind == "ft":
		holds = fmt.Sprintf(`"total_supply":"%d"`, t.supply(contract, j.Chain.Expected().Tip.IndexHash.String()))
	case f == missing:
		want, holds = http.StatusUnprocessableEntity, fetch.ReasonMetadataHTTP.Message()
	case f == malformed:
		want, holds = http.StatusUnprocessableEntity, fetch.ReasonMetadataUnparsable.Message()
	default:
		holds = `"name":"Token ` + t.documentName(knownToken{Contract: contract, ID: id}) + `"`
	}
	if r.Status != want || !strings.Contains(string(r.Body), holds) {
		j.wrong("the API answers %s with %d %s, want %d and %s", path, r.Status, r.Body, want, holds)
	}
}

// judgeReports checks that no report is in the log twice, and that no want is tried without end.
func (t *tokens) judgeReports(j *judge, log []eventstore.Event) {
	seen := map[string]int64{}
	perDay := map[string]int{}
	for _, e := range log {
		if e.Source != "metadata" || e.Path != fetch.PathReport {
			continue
		}
		var report struct {
			Want      json.RawMessage `json:"want"`
			StartedAt time.Time       `json:"started_at"`
		}
		if err := json.Unmarshal(e.Body, &report); err != nil {
			j.wrong("event %d: %v", e.Seq, err)
			continue
		}
		if before := seen[string(e.Body)]; before != 0 {
			j.wrong("the log has the report on %s since %v twice, at %d and %d", report.Want, report.StartedAt, before, e.Seq)
		}
		seen[string(e.Body)] = e.Seq
		if report.StartedAt.Sub(j.began) > patienceOfNode { // nothing is on chain then, and nobody asks
			perDay[fmt.Sprintf("%s on day %s", report.Want, report.StartedAt.Format(time.DateOnly))]++
		}
	}
	for key, n := range perDay {
		if n > 30 {
			j.wrong("%d attempts at %s", n, key)
		}
	}
}

// judgePauses checks that no process asks a gateway that has asked it for a pause.
func (t *tokens) judgePauses(j *judge) {
	for _, p := range t.pauses {
		if !strings.HasSuffix(p.host, ".210") && !strings.HasSuffix(p.host, ".211") {
			continue
		}
		for _, q := range t.requests {
			if q.process == p.process && q.host == p.host && q.began.After(p.from) && q.began.Before(p.until) {
				j.wrong("process %d asks %s for %s at %v, in the pause from %v to %v", q.process, q.host, q.key, q.began, p.from, p.until)
				return
			}
		}
	}
}

// announcement is what notifications say (SIP-019), in hex.
var announcement = hex.EncodeToString([]byte("token-metadata-update"))

// digestOf returns what the name of a document begins with.
func digestOf(path string) string {
	digest, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], "-")
	return digest
}

// isWhole reports whether a request can only be for one want: that of a token, not of its supply alone.
func isWhole(key string) bool {
	return strings.Contains(key, "/get-token-uri ") || strings.Contains(key, "/get-last-token-id ") || strings.Contains(key, "/ipfs/")
}

// needless reports whether a request is for a document that an earlier one has brought. A process that has ended since may have taken it
// along, and later the document may be due again.
func (t *tokens) needless(before, q *request) bool {
	f := fateOf(digestOf(q.key))
	return before.good && strings.HasSuffix(q.key, ".json ") && (f == served || f == deaf) &&
		q.began.Sub(before.end) <= time.Hour && !t.world.goneBefore(before.process, q.began)
}

// judgeTurns checks that nothing is asked for twice at the same time, nor a document that has come, unless an event in between may have
// raised the want again.
func (t *tokens) judgeTurns(j *judge, log []eventstore.Event) {
	lag := 3 * time.Second // until an event is folded
	if j.Counts["sessions frozen"]+j.Counts["crashes"]+j.Counts["processes ended"] > 0 {
		lag = 25 * time.Second
	}
	if j.Counts["outages"] > 0 {
		lag = outageLongest + 5*time.Second
	}
	contracts := map[string]string{} // by the beginning of the names of their documents
	for _, contract := range t.contracts {
		contracts[digestOf(outside.URI(contract, ""))] = contract
	}
	// A block that is not on top of the one before may make others canonical, which raise their wants again.
	raises := map[int64]bool{}
	tip := ""
	for _, e := range log {
		var b struct {
			Index  string `json:"index_block_hash"`
			Parent string `json:"parent_index_block_hash"`
		}
		if e.Path == "/new_block" && json.Unmarshal(e.Body, &b) == nil {
			raises[e.Seq] = b.Parent != tip || bytes.Contains(e.Body, []byte(announcement))
			tip = b.Index
		}
		raises[e.Seq] = raises[e.Seq] || e.Path == "/new_burn_block"
	}
	last := map[string]*request{}
	for _, q := range t.requests {
		if !isWhole(q.key) {
			continue
		}
		before := last[q.key]
		if before == nil || q.end.After(before.end) {
			last[q.key] = q
		}
		if before == nil || !q.began.Before(before.end) && !t.needless(before, q) {
			continue
		}
		contract := contracts[digestOf(q.key)]
		if contract == "" {
			contract = contractOf(q.key)
		}
		raised := slices.ContainsFunc(log, func(e eventstore.Event) bool {
			return !e.ReceivedAt.Before(before.began.Add(-lag)) && !e.ReceivedAt.After(q.began) && (raises[e.Seq] || bytes.Contains(e.Body, []byte(contract)) && e.Path != fetch.PathReport)
		})
		if !raised {
			j.wrong("process %d asks %s for %s at %v, and process %d has done so from %v to %v", q.process, q.host, q.key, q.began, before.process, before.began, before.end)
			return
		}
	}
}
