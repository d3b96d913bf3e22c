package node

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
)

// nodeOperation describes an operation of a node, for the OpenAPI document. The package does not handle it: requests
// are forwarded to a node unchanged, and the description takes no part in checking them.
type nodeOperation struct {
	method, path, id, summary, about string
	parameters                       []*huma.Param
	// request is the schema of the request body, by content type.
	request map[string]*huma.Schema
	// answer is the schema of the answer of status 200.
	answer *huma.Schema
	// cacheControl is the header field of that answer.
	cacheControl string
	// refusals are the errors of the node itself, by status.
	refusals map[int]nodeRefusal
}

// nodeRefusal describes an error of a node; bodies are its schemas by content type.
type nodeRefusal struct {
	about  string
	bodies map[string]*huma.Schema
}

// Values of Cache-Control in the answers of nodes; package proxy sets them.
const (
	untilNextBlock = "public, max-age=2, stale-while-revalidate=5"
	noStore        = "no-store"
)

// plainText returns the schema of a plain-text error, the form of most errors of a node.
func plainText(example string) map[string]*huma.Schema {
	return map[string]*huma.Schema{"text/plain": {Type: huma.TypeString, Examples: []any{example}}}
}

// documentNodes describes the node operations that clients use most. All others are forwarded, too.
func (a *api) documentNodes() {
	json := func(t reflect.Type) map[string]*huma.Schema {
		return map[string]*huma.Schema{"application/json": a.SchemaOf(t)}
	}
	unknownTip := nodeRefusal{"The node does not have the block that tip names.", plainText("Chain tip '…' not found")}
	tip := &huma.Param{
		Name: "tip", In: "query", Description: "The state to read: after the block with this index block hash (64 hex digits without 0x), or including unconfirmed state (latest). Without it, after the node's newest block. A node ignores any other value.",
		Schema: &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^(latest|[0-9a-fA-F]{64})$`)},
	}
	for _, f := range []nodeOperation{
		{
			method: http.MethodPost, path: "/v2/transactions", id: "broadcastTransaction", summary: "Broadcast a transaction",
			about: "The server offers the transaction to one node after the other until one decides (or to all nodes, if the operator configures that). " +
				"Sending the same transaction again is harmless. An accepted transaction is not certain to be mined.",
			request: map[string]*huma.Schema{
				"application/octet-stream": {Type: huma.TypeString, Format: "binary", Description: "The transaction as SIP-005 encodes it."},
				"application/json":         a.SchemaOf(reflect.TypeFor[nodeTransaction]()),
			},
			answer: nodeTransactionID("").Schema(nil), cacheControl: noStore,
			refusals: map[int]nodeRefusal{http.StatusBadRequest: {"The transaction was refused, or cannot be decoded (text).", map[string]*huma.Schema{
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
			about:   "A call changes nothing, so the server retries it on another node when one fails, and answers equal requests at the same time with one call. A function that fails also gives an answer of status 200.",
			parameters: []*huma.Param{
				{Name: "contract_address", In: "path", Required: true, Description: "The address that deployed the contract.", Schema: &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^` + schema.AddressPattern + `$`), Examples: []any{"SP000000000000000000002Q6VF78"}}},
				{Name: "contract_name", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString, Extensions: schema.Matching(`^[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}$`), Examples: []any{"pox-4"}}},
				{Name: "function", In: "path", Required: true, Description: "The name of the function in Clarity. Escape characters such as ?.", Schema: &huma.Schema{Type: huma.TypeString, MinLength: schema.Ptr(1), MaxLength: schema.Ptr(128), Examples: []any{"get-pox-info"}}},
				tip,
			},
			request: json(reflect.TypeFor[nodeCall]()),
			answer:  a.SchemaOf(reflect.TypeFor[nodeCallResult]()), cacheControl: noStore,
			refusals: map[int]nodeRefusal{
				http.StatusBadRequest: {"The call cannot be decoded, or exceeds the cost limit of a read.", plainText("Execution budget exceeded")},
				http.StatusNotFound:   unknownTip,
			},
		},
		{
			method: http.MethodPost, path: "/v2/fees/transaction", id: "estimateTransactionFee", summary: "Estimate the fee of a transaction",
			about:   "Each node estimates from the blocks that it has seen itself. With `--fee-estimates`, the server overrides the estimates by how full the last tenures were: while blocks have room, the fee is 1 µSTX for each byte.",
			request: json(reflect.TypeFor[nodeFeeRequest]()),
			answer:  a.SchemaOf(reflect.TypeFor[nodeFees]()), cacheControl: noStore,
			refusals: map[int]nodeRefusal{http.StatusBadRequest: {"The node has no estimate, or does not estimate fees at all (a JSON string); or the payload cannot be decoded (text).", map[string]*huma.Schema{
				"application/json": {OneOf: []*huma.Schema{
					a.SchemaOf(reflect.TypeFor[nodeNoEstimate]()),
					{Type: huma.TypeString, Examples: []any{"Fee estimation not supported on this node"}},
				}},
				"text/plain": {Type: huma.TypeString, Examples: []any{"Failed to parse transaction payload"}},
			}}},
		},
		{
			method: http.MethodGet, path: "/v2/accounts/{address}", id: "getAccount", summary: "Balance and nonce of an account, according to a node",
			about: "An unknown account has a balance of zero; it is not a 404.",
			parameters: []*huma.Param{
				{Name: "address", In: "path", Required: true, Description: "An address or a contract.", Schema: param.PrincipalParameter("").Schema(nil)},
				tip,
				{Name: "proof", In: "query", Description: "Whether to include Merkle proofs, which make up most of the answer and of its cost.", Schema: &huma.Schema{Type: huma.TypeInteger, Enum: []any{0, 1}, Default: 1}},
			},
			answer: a.SchemaOf(reflect.TypeFor[nodeAccount]()), cacheControl: untilNextBlock,
			refusals: map[int]nodeRefusal{
				http.StatusBadRequest: {"The address is not a principal.", plainText("Failed to parse principal")},
				http.StatusNotFound:   unknownTip,
			},
		},
	} {
		a.OpenAPI().AddOperation(a.describe(f))
	}
}

// describe returns the OpenAPI description of a node operation, with the parameters, headers and errors that all node
// operations share.
func (a *api) describe(f nodeOperation) *huma.Operation {
	op := &huma.Operation{
		Method: f.method, Path: f.path, OperationID: f.id, Summary: f.summary, Description: f.about, Tags: []string{"Nodes"},
		Parameters: append(f.parameters, &huma.Param{
			Name: "X-Strata-Trace", In: "header", Description: "With any value, the answer names the node that it comes from, and the number of tries.", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"1"}},
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
		http.StatusRequestEntityTooLarge: "The body is larger than this server accepts.",
		http.StatusRequestURITooLong:     "The path, query and header together are longer than a node accepts.",
		http.StatusTooManyRequests:       "Too many requests from the client's address (--node-rate-limit).",
		http.StatusBadGateway:            "The node's answer ended early, or was not HTTP.",
		http.StatusServiceUnavailable:    "All nodes are busy; or none can be reached (the answer then has the state of each, and since when); or none are configured.",
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
	refused.Description = sentences(refused.Description, "The server itself refuses a path, query or body that must not reach a node.")
	refused.Content["application/json"] = either(refused.Content["application/json"], failure["application/json"], strings.ToUpper(f.id[:1])+f.id[1:]+"Refusal")
	op.Responses["500"] = &huma.Response{Description: "Every node that was tried failed.", Content: media(plainText("Internal Server Error"))}
	return op
}

// either returns the description of a body that is of one of two kinds. The union of them has the name.
func either(one *huma.MediaType, other *huma.Schema, name string) *huma.MediaType {
	switch {
	case one == nil:
		return &huma.MediaType{Schema: other}
	case len(one.Schema.OneOf) > 0:
		return &huma.MediaType{Schema: &huma.Schema{Title: name, AnyOf: append(one.Schema.OneOf[:len(one.Schema.OneOf):len(one.Schema.OneOf)], other)}}
	}
	return &huma.MediaType{Schema: &huma.Schema{Title: name, AnyOf: []*huma.Schema{one.Schema, other}}}
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

// nodeHeaders describes the headers of a node's answer.
func nodeHeaders(cacheControl string) map[string]*huma.Param {
	text := func(about, example string) *huma.Param {
		return &huma.Param{Description: about, Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{example}}}
	}
	number := func(about string) *huma.Param {
		return &huma.Param{Description: about, Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64"}}
	}
	control := text("How long the answer may be cached.", cacheControl)
	if cacheControl != noStore {
		control.Description += " One year, if tip= names the index block hash of a block that is deep enough."
	}
	return map[string]*huma.Param{
		"Cache-Control":                 control,
		"X-Canonical-Stacks-Tip-Height": number("The height of the node's tip."),
		"X-Backend-Lag":                 number("Number of blocks that the node is behind; absent when the node is healthy."),
		"X-Strata-Node":                 text("With X-Strata-Trace: the name of the node, or cache or shared when no node was asked for this request alone.", "127.0.0.1:20443"),
		"X-Strata-Tries":                number("With X-Strata-Trace: the number of nodes that were tried."),
	}
}

// retryHeaders describes the headers of a failure that may be temporary.
func retryHeaders(status int) map[string]*huma.Param {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return nil
	}
	return map[string]*huma.Param{"Retry-After": {Description: "Seconds after which a retry may succeed.", Schema: &huma.Schema{Type: huma.TypeInteger}}}
}
