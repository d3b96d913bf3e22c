package node

import (
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// forwarded describes an operation of a node. It is not handled here: requests for it go to a node as they are, and
// nothing of them is checked or read anew on the way.
type forwarded struct {
	method, path, id, summary, about string
	parameters                       []*huma.Param
	// bodies that it takes, by content type.
	request map[string]*huma.Schema
	// answer of status 200.
	answer *huma.Schema
	// cacheControl of it.
	cacheControl string
	// refusals are the node's own, by status and content type.
	refusals map[int]nodeRefusal
}

type nodeRefusal struct {
	about  string
	bodies map[string]*huma.Schema
}

// Values of Cache-Control of nodes' answers; see package proxy.
const (
	untilNextBlock = "public, max-age=2, stale-while-revalidate=5"
	notKept        = "no-store"
)

// plainText is what most refusals of a node are.
func plainText(example string) map[string]*huma.Schema {
	return map[string]*huma.Schema{"text/plain": {Type: huma.TypeString, Examples: []any{example}}}
}

// documentNodes adds the operations of nodes that clients use most. Others are forwarded, too.
func (a *api) documentNodes() {
	json := func(t reflect.Type) map[string]*huma.Schema {
		return map[string]*huma.Schema{"application/json": a.SchemaOf(t)}
	}
	unknownTip := nodeRefusal{"The node does not have the block that tip names.", plainText("Chain tip '…' not found")}
	tip := &huma.Param{
		Name: "tip", In: "query", Description: "The state to read: after the block with this index block hash (64 hex digits without 0x), or with what is not confirmed (latest). Without it, after the node's newest block. A node takes anything else for nothing.",
		Schema: &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^(latest|[0-9a-fA-F]{64})$`)},
	}
	for _, f := range []forwarded{
		{
			method: http.MethodPost, path: "/v2/transactions", id: "broadcastTransaction", summary: "Broadcast a transaction",
			about: "It is given to one node after the other until one has decided (or to all, if the operator wants it so). To send the same transaction again is harmless. " +
				"That it was taken does not mean that it will be mined.",
			request: map[string]*huma.Schema{
				"application/octet-stream": {Type: huma.TypeString, Format: "binary", Description: "The transaction as SIP-005 encodes it."},
				"application/json":         a.SchemaOf(reflect.TypeFor[nodeTransaction]()),
			},
			answer: nodeTransactionID("").Schema(nil), cacheControl: notKept,
			refusals: map[int]nodeRefusal{http.StatusBadRequest: {"The transaction was refused, or can't be read (text).", map[string]*huma.Schema{
				"application/json": a.SchemaOf(reflect.TypeFor[nodeRejection]()),
				"text/plain":       {Type: huma.TypeString, Examples: []any{"Failed to deserialize posted transaction: …"}},
			}}},
		},
		{
			method: http.MethodGet, path: "/v2/pox", id: "getPox", summary: "Stacking, its schedule, and the epochs of the network",
			parameters: []*huma.Param{tip},
			answer:     a.SchemaOf(reflect.TypeFor[nodePox]()), cacheControl: untilNextBlock,
			refusals: map[int]nodeRefusal{http.StatusNotFound: unknownTip},
		},
		{
			method: http.MethodPost, path: "/v2/contracts/call-read/{contract_address}/{contract_name}/{function}", id: "callReadOnlyFunction",
			summary: "Call a read-only function of a contract",
			about:   "It changes nothing, so it is tried on another node when one fails, and made once for all who ask the same at the same time. That the function failed is an answer of status 200, too.",
			parameters: []*huma.Param{
				{Name: "contract_address", In: "path", Required: true, Description: "The address that deployed the contract.", Schema: &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^` + schema.AddressPattern + `$`), Examples: []any{"SP000000000000000000002Q6VF78"}}},
				{Name: "contract_name", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}$`), Examples: []any{"pox-4"}}},
				{Name: "function", In: "path", Required: true, Description: "A name in Clarity, which may have characters that have to be escaped, such as ?.", Schema: &huma.Schema{Type: huma.TypeString, MinLength: schema.Ptr(1), MaxLength: schema.Ptr(128), Examples: []any{"get-pox-info"}}},
				tip,
			},
			request: json(reflect.TypeFor[nodeCall]()),
			answer:  a.SchemaOf(reflect.TypeFor[nodeCallResult]()), cacheControl: notKept,
			refusals: map[int]nodeRefusal{
				http.StatusBadRequest: {"The call can't be read, or costs more than a read may.", plainText("Execution budget exceeded")},
				http.StatusNotFound:   unknownTip,
			},
		},
		{
			method: http.MethodPost, path: "/v2/fees/transaction", id: "estimateTransactionFee", summary: "Estimate the fee of a transaction",
			about:   "Each node estimates from what it has seen itself. A server can hold the estimates against how full the last tenures were (`--fee-estimates`): while there is room, the fee is 1 µSTX for each byte.",
			request: json(reflect.TypeFor[nodeFeeRequest]()),
			answer:  a.SchemaOf(reflect.TypeFor[nodeFees]()), cacheControl: notKept,
			refusals: map[int]nodeRefusal{http.StatusBadRequest: {"The node has no estimate, or makes none at all (a JSON string); or the payload can't be read (text).", map[string]*huma.Schema{
				"application/json": {OneOf: []*huma.Schema{
					a.SchemaOf(reflect.TypeFor[nodeNoEstimate]()),
					{Type: huma.TypeString, Examples: []any{"Fee estimation not supported on this node"}},
				}},
				"text/plain": {Type: huma.TypeString, Examples: []any{"Failed to parse transaction payload"}},
			}}},
		},
		{
			method: http.MethodGet, path: "/v2/accounts/{address}", id: "getAccount", summary: "Balance and nonce of an account, as a node has them",
			about: "An account that nobody has heard of has nothing, and is no 404.",
			parameters: []*huma.Param{
				{Name: "address", In: "path", Required: true, Description: "An address or a contract.", Schema: param.PrincipalParameter("").Schema(nil)},
				tip,
				{Name: "proof", In: "query", Description: "Whether to add Merkle proofs, which are most of the answer and of its cost.", Schema: &huma.Schema{Type: huma.TypeInteger, Enum: []any{0, 1}, Default: 1}},
			},
			answer: a.SchemaOf(reflect.TypeFor[nodeAccount]()), cacheControl: untilNextBlock,
			refusals: map[int]nodeRefusal{
				http.StatusBadRequest: {"It is no principal.", plainText("Failed to parse principal")},
				http.StatusNotFound:   unknownTip,
			},
		},
	} {
		a.OpenAPI().AddOperation(a.forwarded(f))
	}
}

// forwarded is the description of an operation of a node, with what all of them have.
func (a *api) forwarded(f forwarded) *huma.Operation {
	op := &huma.Operation{
		Method: f.method, Path: f.path, OperationID: f.id, Summary: f.summary, Description: f.about, Tags: []string{"Nodes"},
		Parameters: append(f.parameters, &huma.Param{
			Name: "X-Strata-Trace", In: "header", Description: "With any value, the answer says which node it is from, and after how many tries.", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"1"}},
		}),
		Responses: map[string]*huma.Response{"200": {
			Description: "The node's answer, byte for byte.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: f.answer}},
			Headers:     nodeHeaders(f.cacheControl),
		}},
	}
	if f.request != nil {
		op.RequestBody = &huma.RequestBody{Required: true, Content: media(f.request)}
	}
	for status, r := range f.refusals {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: r.about, Content: media(r.bodies)}
	}
	failure := map[string]*huma.Schema{"application/json": a.SchemaOf(reflect.TypeFor[nodeFailure]())}
	for status, about := range map[int]string{
		http.StatusRequestEntityTooLarge: "The body is larger than this server takes.",
		http.StatusRequestURITooLong:     "The path, the query and the header are longer than a node reads.",
		http.StatusTooManyRequests:       "Too many requests from the client's address (--node-rate-limit).",
		http.StatusBadGateway:            "The node's answer ended early, or was no HTTP.",
		http.StatusServiceUnavailable:    "All nodes are busy, none can be reached (the answer then says how each is, and since when), or none are configured.",
		http.StatusGatewayTimeout:        "The node did not answer in time.",
	} {
		if status == http.StatusRequestEntityTooLarge && f.request == nil {
			continue
		}
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: about, Content: media(failure), Headers: retryHeaders(status)}
	}
	refused := op.Responses["400"]
	if refused == nil {
		refused = &huma.Response{Content: map[string]*huma.MediaType{}}
		op.Responses["400"] = refused
	}
	refused.Description = sentences(refused.Description, "A path, query or body that must not reach a node is refused before.")
	refused.Content["application/json"] = either(refused.Content["application/json"], failure["application/json"])
	op.Responses["500"] = &huma.Response{Description: "Every node that was asked has failed.", Content: media(plainText("Internal Server Error"))}
	return op
}

// either is a body of one of two kinds.
func either(one *huma.MediaType, other *huma.Schema) *huma.MediaType {
	switch {
	case one == nil:
		return &huma.MediaType{Schema: other}
	case len(one.Schema.OneOf) > 0:
		return &huma.MediaType{Schema: &huma.Schema{AnyOf: append(one.Schema.OneOf[:len(one.Schema.OneOf):len(one.Schema.OneOf)], other)}}
	}
	return &huma.MediaType{Schema: &huma.Schema{AnyOf: []*huma.Schema{one.Schema, other}}}
}

func sentences(one, other string) string {
	if one == "" {
		return other
	}
	return one + " " + other
}

func media(schemas map[string]*huma.Schema) map[string]*huma.MediaType {
	content := map[string]*huma.MediaType{}
	for contentType, schema := range schemas {
		content[contentType] = &huma.MediaType{Schema: schema}
	}
	return content
}

// nodeHeaders are those of an answer of a node.
func nodeHeaders(cacheControl string) map[string]*huma.Param {
	text := func(about, example string) *huma.Param {
		return &huma.Param{Description: about, Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{example}}}
	}
	number := func(about string) *huma.Param {
		return &huma.Param{Description: about, Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64"}}
	}
	control := text("How long the answer may be kept.", cacheControl)
	if cacheControl != notKept {
		control.Description += " With tip= and the index block hash of a block that is deep enough, a year."
	}
	return map[string]*huma.Param{
		"Cache-Control":                 control,
		"X-Canonical-Stacks-Tip-Height": number("The height of the node's tip."),
		"X-Backend-Lag":                 number("How many blocks the node is behind; absent when it is a healthy one."),
		"X-Strata-Node":                 text("With X-Strata-Trace: the node's name; cache or shared when no node was asked for this request alone.", "127.0.0.1:20443"),
		"X-Strata-Tries":                number("With X-Strata-Trace: how many nodes were tried."),
	}
}

// retryHeaders are those of a failure that may pass.
func retryHeaders(status int) map[string]*huma.Param {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return nil
	}
	return map[string]*huma.Param{"Retry-After": {Description: "Seconds after which it may be worth another try.", Schema: &huma.Schema{Type: huma.TypeInteger}}}
}
