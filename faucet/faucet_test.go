package faucet_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"strata/domain/transaction"
	"strata/domain/transaction/key"
	"strata/faucet"
	"strata/internal/testkit/must"
	"strata/rig/replay"
)

const chainID = 0x80000123

// fakeNode is the RPC of a node with a mempool, as far as a faucet asks it.
type fakeNode struct {
	t         *testing.T
	networkID uint32
	url       string

	mu       sync.Mutex
	nonces   map[string]uint64            // next nonce after the mined transactions
	waiting  map[string]map[uint64]string // txid by account and nonce
	poor     map[string]bool              // accounts without funds
	chaining int                          // most waiting transactions of an account; 0 for any number
	refusal  string                       // the reason for which every transaction is refused; empty for none
	sent     []*transaction.Transaction
}

func newNode(t *testing.T) *fakeNode {
	n := &fakeNode{t: t, networkID: chainID, nonces: map[string]uint64{}, waiting: map[string]map[uint64]string{}, poor: map[string]bool{}}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	n.url = server.URL
	return n
}

func (n *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	account, isAccount := strings.CutPrefix(r.URL.Path, "/v2/accounts/")
	switch {
	case r.URL.Path == "/v2/info":
		_, _ = fmt.Fprintf(w, `{"network_id":%d}`, n.networkID)
	case r.URL.Path == "/v2/fees/transfer":
		_, _ = fmt.Fprint(w, "3")
	case r.URL.Path == "/v2/pox":
		_, _ = fmt.Fprint(w, `{"min_amount_ustx":90000000000}`)
	case isAccount:
		_, _ = fmt.Fprintf(w, `{"balance":"0x00","nonce":%d}`, n.nonces[account])
	case r.URL.Path == "/v2/transactions" && r.Method == http.MethodPost:
		n.accept(w, r)
	default:
		http.NotFound(w, r)
	}
}

// accept takes a transaction into the mempool, or refuses it as a node does.
func (n *fakeNode) accept(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		n.t.Error(err)
	}
	tx, err := transaction.Decode(raw)
	if err != nil {
		n.t.Errorf("the faucet sent %x: %v", raw, err)
		return
	}
	if err := tx.Verify(); err != nil {
		n.t.Errorf("the faucet sent %x: %v", raw, err)
	}
	from, reason := tx.Sender().String(), ""
	_, waits := n.waiting[from][tx.Nonce()]
	switch {
	case n.refusal != "":
		reason = n.refusal
	case n.poor[from]:
		reason = "NotEnoughFunds"
	case waits:
		reason = "ConflictingNonceInMempool"
	case tx.Nonce() < n.nonces[from]:
		reason = "BadNonce"
	case n.chaining > 0 && len(n.waiting[from]) >= n.chaining:
		reason = "TooMuchChaining"
	}
	if reason != "" {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "transaction rejected", "reason": reason, "txid": tx.TxID().String()[2:]})
		return
	}
	if n.waiting[from] == nil {
		n.waiting[from] = map[uint64]string{}
	}
	n.waiting[from][tx.Nonce()] = tx.TxID().String()
	n.sent = append(n.sent, tx)
	_, _ = fmt.Fprintf(w, "%q", tx.TxID().String()[2:])
}

func keyOf(n byte) key.Private { return key.FromSeed([]byte{'f', n}) }

func addressOf(n byte) string { return key.FromSeed([]byte{'a', n}).Address(false).String() }

// open opens a faucet with pools of its own, as another process would.
func open(t *testing.T, pool *pgxpool.Pool, n *fakeNode, keys ...key.Private) *faucet.Faucet {
	t.Helper()
	f := must.Get(faucet.Open(t.Context(), faucet.Config{Pool: pool, Node: n.url, Keys: keys, ChainID: chainID}))(t)
	return f
}

func TestSend(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	f := open(t, replay.Databases.New(t), n, keyOf(1))
	n.nonces[keyOf(1).Address(false).String()] = 7
	usual := must.Get(f.Send(t.Context(), faucet.Request{Address: addressOf(1), Client: "127.0.0.1"}))(t)
	must.Get(f.Send(t.Context(), faucet.Request{Address: addressOf(1) + ".vault", Stacking: true}))(t)
	for i, want := range []struct {
		recipient string
		amount    uint64
	}{{addressOf(1), 500_000_000}, {addressOf(1) + ".vault", 108_000_000_000}} {
		tx := n.sent[i]
		transfer, ok := tx.Payload.(*transaction.TokenTransfer)
		if !ok || transfer.Recipient.String() != want.recipient || transfer.Amount != want.amount || !strings.HasPrefix(string(transfer.Memo[:]), "faucet\x00") {
			t.Errorf("transaction %d: got %+v, want %v", i, tx.Payload, want)
		}
		if tx.Nonce() != uint64(7+i) || tx.ChainID != chainID || tx.Version != transaction.VersionTestnet || tx.Fee() != 3*uint64(len(tx.Encode())) {
			t.Errorf("transaction %d: got nonce %d, chain %#x, version %d, fee %d", i, tx.Nonce(), tx.ChainID, tx.Version, tx.Fee())
		}
	}
	if usual.ID != n.sent[0].TxID() || string(usual.Raw) != string(n.sent[0].Encode()) || usual.Amount != 500_000_000 {
		t.Errorf("got %s %x", usual.ID, usual.Raw)
	}
	for _, address := range []string{"", "x", "SP000000000000000000002Q6VF78", "ST000000000000000000002AMW42"} {
		if _, err := f.Send(t.Context(), faucet.Request{Address: address}); !errors.Is(err, faucet.ErrAddress) {
			t.Errorf("%q: got %v, want ErrAddress", address, err)
		}
	}
}

// Several processes that send at the same time use each nonce once, and leave none out.
func TestNoncesOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	pool := replay.Databases.New(t)
	faucets := []*faucet.Faucet{open(t, pool, n, keyOf(1), keyOf(2)), open(t, pool, n, keyOf(2), keyOf(1)), open(t, pool, n, keyOf(1), keyOf(2))}
	var group sync.WaitGroup
	for i := range 30 {
		group.Go(func() {
			if _, err := faucets[i%len(faucets)].Send(t.Context(), faucet.Request{Address: addressOf(byte(i))}); err != nil {
				t.Errorf("request %d: %v", i, err)
			}
		})
	}
	group.Wait()
	nonces := map[string][]uint64{}
	for _, tx := range n.sent {
		nonces[tx.Sender().String()] = append(nonces[tx.Sender().String()], tx.Nonce())
	}
	for i := range byte(2) {
		got := nonces[keyOf(i+1).Address(false).String()]
		if len(got) != 15 {
			t.Errorf("key %d sent %d transactions, want 15: keys take turns", i+1, len(got))
		}
		for nonce, n := range slices.Sorted(slices.Values(got)) {
			if n != uint64(nonce) {
				t.Errorf("key %d sent the nonces %v", i+1, got)
				break
			}
		}
	}
}

// A key without funds, or with too many waiting transactions, is passed over; a nonce that somebody else used, too.
func TestOtherKeysAndNonces(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	f := open(t, replay.Databases.New(t), n, keyOf(1), keyOf(2))
	one, two := keyOf(1).Address(false).String(), keyOf(2).Address(false).String()
	n.waiting[one] = map[uint64]string{0: "x", 1: "y"}
	n.poor[two] = true
	send := func(to byte) (from string, nonce uint64, err error) {
		if _, err = f.Send(t.Context(), faucet.Request{Address: addressOf(to)}); err != nil {
			return "", 0, err
		}
		last := n.sent[len(n.sent)-1]
		return last.Sender().String(), last.Nonce(), nil
	}
	for i := range 2 {
		if from, nonce, err := send(byte(i)); err != nil || from != one || nonce != uint64(2+i) {
			t.Errorf("got nonce %d of %s (%v), want %d of %s", nonce, from, err, 2+i, one)
		}
	}
	n.poor[one] = true
	if _, _, err := send(3); !errors.Is(err, faucet.ErrFunds) {
		t.Errorf("got %v, want ErrFunds", err)
	}
	n.poor[one], n.poor[two], n.chaining = false, false, 4
	if from, _, err := send(4); err != nil || from != two {
		t.Errorf("got %s (%v), want the key that waits for less", from, err)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	pool := replay.Databases.New(t)
	f := open(t, pool, n, keyOf(1))
	send := func(to byte, stacking bool, client string) error {
		_, err := f.Send(t.Context(), faucet.Request{Address: addressOf(to), Stacking: stacking, Client: client})
		return err
	}
	for i := range 5 {
		if err := send(1, false, "a"); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	if err := send(1, false, "a"); !errors.Is(err, faucet.ErrTooMany) {
		t.Errorf("the sixth: got %v, want ErrTooMany", err)
	}
	if err := send(1, true, "a"); err != nil {
		t.Errorf("for stacking: %v", err)
	}
	if err := send(1, true, "b"); !errors.Is(err, faucet.ErrTooMany) {
		t.Errorf("for stacking again: got %v, want ErrTooMany", err)
	}
	for to := range byte(2) {
		if err := send(2+to, false, "a"); err != nil {
			t.Errorf("another address: %v", err)
		}
	}
	must.Get(pool.Exec(t.Context(), `UPDATE faucet.request SET sent_at = sent_at - interval '6 minutes'`))(t)
	if err := send(1, false, "a"); err != nil {
		t.Errorf("later: %v", err)
	}
	if err := send(1, true, "c"); !errors.Is(err, faucet.ErrTooMany) {
		t.Errorf("for stacking, minutes later: got %v, want ErrTooMany", err)
	}
}

// Requests without a limit are met however often an address got STX, and leave the limits of others alone.
func TestUnlimited(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	f := open(t, replay.Databases.New(t), n, keyOf(1))
	send := func(unlimited bool) error {
		_, err := f.Send(t.Context(), faucet.Request{Address: addressOf(1), Unlimited: unlimited, Client: "a"})
		return err
	}
	for _, unlimited := range []bool{true, true, true, true, true, true, false, false, false, false, false, true} {
		if err := send(unlimited); err != nil {
			t.Fatalf("unlimited %t: %v", unlimited, err)
		}
	}
	if err := send(false); !errors.Is(err, faucet.ErrTooMany) {
		t.Errorf("got %v, want ErrTooMany", err)
	}
	for nonce, tx := range n.sent {
		if tx.Nonce() != uint64(nonce) {
			t.Errorf("transaction %d has the nonce %d: requests of either kind do not take turns", nonce, tx.Nonce())
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	f := open(t, replay.Databases.New(t), n, keyOf(1))
	for reason, want := range map[string]bool{"FeeTooLow": true, "TooMuchChaining": false, "NotEnoughFunds": false} {
		n.refusal = reason
		if _, err := f.Send(t.Context(), faucet.Request{Address: addressOf(1)}); err == nil || errors.Is(err, faucet.ErrRefused) != want {
			t.Errorf("%s: got %v, ErrRefused should be %t", reason, err, want)
		}
	}
}

// STX of mainnet are never sent, whatever the settings or the node say.
func TestNeverOnMainnet(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	pool := replay.Databases.New(t)
	if _, err := faucet.Open(t.Context(), faucet.Config{Pool: pool, Node: n.url, Keys: []key.Private{keyOf(1)}, ChainID: 1}); !errors.Is(err, faucet.ErrMainnet) {
		t.Errorf("got %v, want ErrMainnet", err)
	}
	f := open(t, pool, n, keyOf(1))
	for id, want := range map[uint32]string{1: "mainnet", 0x80000000: "--chain-id"} {
		n.networkID = id
		if _, err := f.Send(t.Context(), faucet.Request{Address: addressOf(1)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("network_id %#x: got %v, want %s", id, err, want)
		}
	}
	if len(n.sent) > 0 {
		t.Errorf("it sent %d transactions", len(n.sent))
	}
}
