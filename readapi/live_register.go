package readapi

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/live"
)

// FromInput says from where on a stream is.
type FromInput struct {
	From        string `query:"from" maxLength:"200" doc:"From where on: a position, as Strata-Position of any answer has it, such as log=4711; height=1350; index_block_hash=0x00…; log=0 is from the beginning. Default from now on."`
	LastEventID string `header:"Last-Event-ID" doc:"The id of the last event that the client has got. It goes before from."`
}

// start is the position; nil for now.
func (in *FromInput) start() (*live.Position, error) {
	text, name := in.From, "querystring/from"
	if in.LastEventID != "" {
		text, name = in.LastEventID, "headers/last-event-id"
	}
	if text == "" {
		return nil, nil
	}
	p, err := live.ParsePosition(text)
	if err != nil {
		return nil, invalid("%s %s", name, err)
	}
	return &p, nil
}

type blocksStreamInput struct{ FromInput }

func (in *blocksStreamInput) feed() (live.Feed, error) { return live.Feed{Kind: liveBlocks}, nil }

// PrincipalStreamInput names whom to follow.
type PrincipalStreamInput struct {
	Principal principalParameter `path:"principal"`
	FromInput
}

func (in *PrincipalStreamInput) of(kind live.Kind) (live.Feed, error) {
	account, err := in.Principal.account()
	return live.Feed{Kind: kind, Name: account}, err
}

type transactionsStreamInput struct{ PrincipalStreamInput }

func (in *transactionsStreamInput) feed() (live.Feed, error) { return in.of(liveTransactions) }

type balancesStreamInput struct{ PrincipalStreamInput }

func (in *balancesStreamInput) feed() (live.Feed, error) { return in.of(liveBalances) }

type eventsStreamInput struct {
	Contract principalParameter `path:"contract_id"`
	Topic    string             `query:"topic" maxLength:"128" doc:"Only what has this topic: the text of the first of the fields topic, event, action, notification, type and name of the printed tuple."`
	FromInput
}

func (in *eventsStreamInput) feed() (live.Feed, error) {
	account, err := in.Contract.account()
	return live.Feed{Kind: liveEvents, Name: account, Detail: in.Topic}, err
}

// streamedInput is the input of a stream.
type streamedInput[In any] interface {
	*In
	feed() (live.Feed, error)
	start() (*live.Position, error)
}

type mempoolStreamInput struct{ FromInput }

func (in *mempoolStreamInput) feed() (live.Feed, error) { return live.Feed{Kind: liveMempool}, nil }

const streamsAbout = " Server-sent events. The id of an event is the position in the log and the tip that the client has with it, as in `Strata-Position`: " +
	"send the last one as `Last-Event-ID` to go on from there, in any process; nothing is left out, and what was sent twice says the same. " +
	"What is reverted is told by `revert`; comments are sent while nothing happens; `end` says why the server ends a stream. See docs/live.md."

func (a *API) registerStreams() {
	stream[blocksStreamInput](a, resource{
		id: "stream-blocks", path: "/stream/v1/blocks", summary: "Blocks of the canonical chain, as they are applied and reverted",
		about: "What a client has that applies each `block` and takes back each `revert` is the canonical chain.",
	}, events{liveBlock: reflect.TypeFor[block](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[transactionsStreamInput](a, resource{
		id: "stream-transactions", path: "/stream/v1/principals/{principal}/transactions", summary: "Mined transactions of an account",
		about: "Those that it sends or sponsors, that call or deploy it, and of which the transfer or an event moves something of it. `revert` is sent for each block that is reverted.",
	}, events{liveTransaction: reflect.TypeFor[transactionBody](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[balancesStreamInput](a, resource{
		id: "stream-balances", path: "/stream/v1/principals/{principal}/balances", summary: "What an account has, each time that it may have changed",
		about: "The first event says what it has now, wherever the stream is to begin. After blocks that came together, and after a revert, there is one event for all.",
	}, events{liveBalance: reflect.TypeFor[balanceBody]()})
	stream[eventsStreamInput](a, resource{
		id: "stream-contract-events", path: "/stream/v1/contracts/{contract_id}/events", summary: "What a contract prints",
		about: "`revert` is sent for each block that is reverted.",
	}, events{liveEvent: reflect.TypeFor[contractEventBody](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[mempoolStreamInput](a, resource{
		id: "stream-mempool", path: "/stream/v1/mempool", summary: "Transactions that come into the mempool, are replaced or dropped, are mined, or come back",
		about: "`transaction` is one that waits, or was dropped, as `tx_status` says; `mined` is one that a canonical block has. " +
			"A client that comes back is told of each that has changed, as it is now. After a day, and from `log=0` on, `reset` comes first, and then all that waits.",
	}, events{liveTransaction: reflect.TypeFor[waitingBody](), liveMined: reflect.TypeFor[minedBody](), liveReset: reflect.TypeFor[resetBody]()})
	a.registerSocket()
}

// events are the types of what events of a stream say, by the names of these.
type events map[string]reflect.Type

// stream adds GET of a stream.
func stream[In any, P streamedInput[In]](a *API, r resource, told events) {
	r.tag, r.class, r.contentType, r.statuses = "Streams", answer.NoStore, "text/event-stream", []int{http.StatusBadRequest}
	r.about += streamsAbout
	told[liveEnd] = reflect.TypeFor[endBody]()
	responses := a.responses(r, nil)
	responses["200"].Description = "The events, until one of both ends it."
	responses["200"].Content[r.contentType].Schema = a.eventSchema(told)
	responses["200"].Headers[positionHeader] = &huma.Param{
		Description: "Where the stream begins.", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"log=4711; height=1350; index_block_hash=0x00…"}},
	}
	responses["503"].Description += " Or as many streams as may be are open: Retry-After says when to come again."
	a.routes[http.MethodGet+" "+r.path] = r.id
	huma.Register(a.huma, huma.Operation{
		Method: http.MethodGet, Path: r.path, OperationID: r.id, Summary: r.summary, Description: r.about, Tags: []string{r.tag},
		Responses: responses, SkipValidateParams: true, // checkingAdapter has done it
	}, func(ctx context.Context, in *In) (*written, error) {
		return &written{Body: func(c huma.Context) {
			req, w := humago.Unwrap(c)
			feed, err := P(in).feed()
			from := (*live.Position)(nil)
			if err == nil {
				from, err = P(in).start()
			}
			if err == nil && choiceOf(ctx) != nil {
				err = badRequest("streams follow the active versions: leave out %s", versionsHeader)
			}
			if err != nil {
				a.failed(ctx, err, answer.Config{}).Serve(w, req, answer.Moment{})
				return
			}
			a.serveStream(w, req, feed, from)
		}}, nil
	})
}

// eventSchema is the schema of the events of a stream.
func (a *API) eventSchema(told events) *huma.Schema {
	schemas := a.huma.OpenAPI().Components.Schemas
	s := &huma.Schema{Type: huma.TypeArray, Description: "Server-sent events, one after the other.", Items: &huma.Schema{}}
	for _, name := range slices.Sorted(maps.Keys(told)) {
		s.Items.OneOf = append(s.Items.OneOf, &huma.Schema{
			Type: huma.TypeObject, Title: "Event " + name, Required: []string{"event", "data"},
			Properties: map[string]*huma.Schema{
				"id":    {Type: huma.TypeString, Description: "What the client has with it."},
				"event": {Type: huma.TypeString, Enum: []any{name}},
				"data":  schemas.Schema(told[name], true, ""),
			},
		})
	}
	return s
}
