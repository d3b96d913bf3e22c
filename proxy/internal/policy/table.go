package policy

import "net/http"

// read returns a safe GET endpoint: a request may go to any node, and may be sent again.
func read(cost Cost, path string, lifetime Lifetime) Endpoint {
	return Endpoint{
		Name: path, Method: http.MethodGet, Cost: cost, Safe: true, Hedge: cost != Heavy,
		Lifetime: lifetime, Pinned: lifetime,
	}
}

// state returns an endpoint that reads the state at a tip. If the request names the tip, the answer never changes, for the
// reason why.
func state(cost Cost, path, why string) Endpoint { return read(cost, path, Tip).pinned(Immutable, why) }

// pure turns e into a POST that changes nothing.
func (e Endpoint) pure() Endpoint {
	e.Method, e.Hedge = http.MethodPost, false
	return e
}

func (e Endpoint) kind(k Kind) Endpoint {
	e.Kind = k
	return e
}

// atMost sets the maximum size of a request body.
func (e Endpoint) atMost(bytes int64) Endpoint {
	e.BodyMax = bytes
	return e
}

// local marks the answer as one about the node that gives it.
func (e Endpoint) local() Endpoint {
	e.PerNode, e.Hedge = true, false
	return e
}

// pinned sets the lifetime of the answer to a request that names the tip, and why it lasts that long.
func (e Endpoint) pinned(lifetime Lifetime, why string) Endpoint {
	e.Pinned, e.Why = lifetime, why
	return e
}

// authorized forwards the client's Authorization to the node.
func (e Endpoint) authorized() Endpoint {
	e.Authorized = true
	return e
}

// operator returns an endpoint that is meant for the node's operator.
func operator(method, path string) Endpoint {
	return Endpoint{Name: path, Method: method, Cost: Heavy, Operator: true, Authorized: true, PerNode: true}
}

// Maximum sizes of request bodies, in bytes. A block has 2 MiB at most, so a transaction has less, and so has its payload; a
// value of Clarity has 1 MiB. In JSON each byte is two hex digits.
const (
	keyMax         = 2<<20 + jsonMax
	payloadMax     = 4<<20 + jsonMax
	transactionMax = 4<<20 + 2<<20 + jsonMax // with an attachment of up to 1 MiB
	jsonMax        = 64 << 10                // what is around the hex digits
)

// table lists all endpoints of a node, and for those that read tip what they derive from it. A segment {x} matches any one
// segment; {x...} matches the rest of the path, because names in Clarity may contain a slash.
var table = []Endpoint{
	read(Light, "/v2/info", Second),
	read(Light, "/v3/health", None).local(),
	read(Heavy, "/v2/pox", Tip).pinned(Burn, "only the contract's part is that of tip: heights, cycles and what is left of them come from the "+
		"node's Bitcoin tip, and the list of epochs from its configuration"),
	state(Medium, "/v2/accounts/{principal}", "balance, nonce and proofs are of the trie of tip; what is locked is compared with the Bitcoin block "+
		"that tip was built on"),
	state(Heavy, "/v2/contracts/call-read/{address}/{contract}/{function...}", "Clarity reads the trie of tip, and its Bitcoin block, only; but "+
		"failures depend on the limits of the node too").pure().kind(Call),
	state(Heavy, "/v3/contracts/fast-call-read/{address}/{contract}/{function...}", "as call-read; never cached, as it needs a secret").
		pure().authorized().kind(Call),
	state(Medium, "/v2/contracts/interface/{address}/{contract}", "the analysis that was stored with the contract, in a block up to tip"),
	state(Medium, "/v2/contracts/source/{address}/{contract}", "the source of a block up to tip; the proof is of the trie of tip"),
	state(Medium, "/v2/traits/{address}/{contract}/{traitAddress}/{traitContract}/{trait...}", "the stored analyses of two contracts up to tip"),
	state(Medium, "/v2/map_entry/{address}/{contract}/{map...}", "a value and its proof in the trie of tip").pure().atMost(keyMax),
	state(Medium, "/v2/data_var/{address}/{contract}/{variable...}", "a value and its proof in the trie of tip"),
	state(Medium, "/v2/constant_val/{address}/{contract}/{constant...}", "a constant of a contract up to tip"),
	state(Medium, "/v2/clarity/marf/{key}", "a value and its proof in the trie of tip"),
	state(Medium, "/v2/clarity/metadata/{address}/{contract}/{key...}", "metadata of a contract up to tip"),
	read(Medium, "/v2/fees/transaction", Tip).pure().kind(Estimate).atMost(payloadMax),
	read(Light, "/v2/fees/transfer", Tip),
	read(Light, "/v2/transactions/unconfirmed/{txid}", None).kind(Unconfirmed),
	read(Light, "/v3/transaction/{txid}", Tip).kind(Confirmed),

	{Name: "/v2/transactions", Method: http.MethodPost, Cost: Medium, Kind: Broadcast, BodyMax: transactionMax},

	read(Medium, "/v2/headers/{count}", Tip).pinned(Tip, "ancestors of tip, but how many a node gives is its own limit"),
	read(Medium, "/v2/blocks/{id}", Immutable),
	read(Medium, "/v3/blocks/{id}", Immutable),
	read(Medium, "/v3/blocks/height/{height}", Tip).pinned(Immutable, "the ancestor of tip at that height"),
	read(Light, "/v3/tenures/info", Tip),
	read(Heavy, "/v3/tenures/{id}", None),
	read(Medium, "/v3/tenures/blocks/{consensus}", Burn),
	read(Medium, "/v3/tenures/blocks/hash/{burn}", Burn),
	read(Medium, "/v3/tenures/blocks/height/{height}", Burn),
	read(Medium, "/v3/tenures/fork_info/{start}/{stop}", Burn),
	read(Light, "/v3/tenures/tip/{consensus}", Tip),
	read(Light, "/v3/tenures/tip_metadata/{consensus}", Tip),
	read(Light, "/v3/sortitions", Burn),
	read(Light, "/v3/sortitions/{key}", Burn),
	read(Light, "/v3/sortitions/{key}/{value}", Burn),
	read(Medium, "/v3/stacker_set/{cycle}", Burn),
	read(Medium, "/v3/signer/{key}/{cycle}", Tip),
	read(Light, "/v2/stackerdb/{address}/{contract}", None).local(),
	read(Light, "/v2/stackerdb/{address}/{contract}/{slot...}", None).local(),
	read(Medium, "/v2/neighbors", None).local(),
	read(Medium, "/v2/attachments/inv", None).local(),
	read(Medium, "/v2/attachments/{hash}", None),

	operator(http.MethodPost, "/v2/stackerdb/{address}/{contract}/{slot...}"),
	operator(http.MethodPost, "/v2/mempool/query"),
	operator(http.MethodPost, "/v2/blocks/upload/{consensus}"),
	operator(http.MethodPost, "/v3/blocks/upload"),
	operator(http.MethodPost, "/v2/microblocks"),
	operator(http.MethodPost, "/v3/block_proposal"),
	operator(http.MethodGet, "/v3/blocks/replay/{id}"),
	operator(http.MethodPost, "/v3/blocks/simulate/{id}"),
	operator(http.MethodPost, "/v3/transactions/simulate"),
}

// Count returns the number of endpoints: those of the table, and two for all other requests.
func Count() int { return len(table) + 2 }

// The endpoints of paths that are not in the table. A read may be sent twice; anything else may not.
var (
	otherRead  = Endpoint{Name: "other", Method: http.MethodGet, Cost: Medium, Safe: true, Index: len(table)}
	otherWrite = Endpoint{Name: "other", Cost: Heavy, Index: len(table) + 1}
)

// Names returns the names of the endpoints by index. A name occurs twice if it has one endpoint to read and one to
// write.
func Names() []string {
	names := make([]string, 0, Count())
	for i := range table {
		names = append(names, table[i].Name)
	}
	return append(names, otherRead.Name, otherWrite.Name)
}
