package stream

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
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
		return nil, engine.Invalid("%s %s", name, err)
	}
	return &p, nil
}

type blocksStreamInput struct{ FromInput }

func (in *blocksStreamInput) feed() (live.Feed, error) { return live.Feed{Kind: liveBlocks}, nil }

// PrincipalStreamInput names whom to follow.
type PrincipalStreamInput struct {
	Principal param.PrincipalParameter `path:"principal"`
	FromInput
}

func (in *PrincipalStreamInput) of(kind live.Kind) (live.Feed, error) {
	account, err := in.Principal.Account()
	return live.Feed{Kind: kind, Name: account}, err
}

type transactionsStreamInput struct{ PrincipalStreamInput }

func (in *transactionsStreamInput) feed() (live.Feed, error) { return in.of(liveTransactions) }

type balancesStreamInput struct{ PrincipalStreamInput }

func (in *balancesStreamInput) feed() (live.Feed, error) { return in.of(liveBalances) }

type eventsStreamInput struct {
	Contract param.PrincipalParameter `path:"contract_id"`
	Topic    string                   `query:"topic" maxLength:"128" doc:"Only what has this topic: the text of the first of the fields topic, event, action, notification, type and name of the printed tuple."`
	FromInput
}

func (in *eventsStreamInput) feed() (live.Feed, error) {
	account, err := in.Contract.Account()
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

func (a *api) registerStreams() {
	stream[blocksStreamInput](a, engine.Operation{
		ID: "stream-blocks", Path: "/stream/v1/blocks", Summary: "Blocks of the canonical chain, as they are applied and reverted",
		Description: "What a client has that applies each `block` and takes back each `revert` is the canonical chain.",
	}, events{liveBlock: reflect.TypeFor[view.Block](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[transactionsStreamInput](a, engine.Operation{
		ID: "stream-transactions", Path: "/stream/v1/principals/{principal}/transactions", Summary: "Mined transactions of an account",
		Description: "Those that it sends or sponsors, that call or deploy it, and of which the transfer or an event moves something of it. `revert` is sent for each block that is reverted.",
	}, events{liveTransaction: reflect.TypeFor[view.TransactionBody](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[balancesStreamInput](a, engine.Operation{
		ID: "stream-balances", Path: "/stream/v1/principals/{principal}/balances", Summary: "What an account has, each time that it may have changed",
		Description: "The first event says what it has now, wherever the stream is to begin. After blocks that came together, and after a revert, there is one event for all.",
	}, events{liveBalance: reflect.TypeFor[balanceBody]()})
	stream[eventsStreamInput](a, engine.Operation{
		ID: "stream-contract-events", Path: "/stream/v1/contracts/{contract_id}/events", Summary: "What a contract prints",
		Description: "`revert` is sent for each block that is reverted.",
	}, events{liveEvent: reflect.TypeFor[contractEventBody](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[mempoolStreamInput](a, engine.Operation{
		ID: "stream-mempool", Path: "/stream/v1/mempool", Summary: "Transactions that come into the mempool, are replaced or dropped, are mined, or come back",
		Description: "`transaction` is one that waits, or was dropped, as `tx_status` says; `mined` is one that a canonical block has. " +
			"A client that comes back is told of each that has changed, as it is now. After a day, and from `log=0` on, `reset` comes first, and then all that waits.",
	}, events{liveTransaction: reflect.TypeFor[view.WaitingBody](), liveMined: reflect.TypeFor[minedBody](), liveReset: reflect.TypeFor[resetBody]()})
	a.registerSocket()
}

// events are the types of what events of a stream say, by the names of these.
type events map[string]reflect.Type

// stream adds GET of a stream.
func stream[In any, P streamedInput[In]](a *api, r engine.Operation, told events) {
	r.Tag, r.Class, r.ContentType, r.Statuses = "Streams", answer.NoStore, "text/event-stream", []int{http.StatusBadRequest}
	r.Description += streamsAbout
	told[liveEnd] = reflect.TypeFor[endBody]()
	responses := a.Responses(r, nil)
	responses["200"].Description = "The events, until one of both ends it."
	responses["200"].Content[r.ContentType].Schema = a.eventSchema(told)
	responses["200"].Headers[engine.PositionHeader] = &huma.Param{
		Description: "Where the stream begins.", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"log=4711; height=1350; index_block_hash=0x00…"}},
	}
	responses["503"].Description += " Or as many streams as may be are open: Retry-After says when to come again."
	a.Routes[http.MethodGet+" "+r.Path] = r.ID
	huma.Register(a.Huma, huma.Operation{
		Method: http.MethodGet, Path: r.Path, OperationID: r.ID, Summary: r.Summary, Description: r.Description, Tags: []string{r.Tag},
		Responses: responses, SkipValidateParams: true, // checkingAdapter has done it
	}, func(ctx context.Context, in *In) (*engine.Output, error) {
		return &engine.Output{Body: func(c huma.Context) {
			req, w := humago.Unwrap(c)
			feed, err := P(in).feed()
			from := (*live.Position)(nil)
			if err == nil {
				from, err = P(in).start()
			}
			if err == nil && engine.ChoiceOf(ctx) != nil {
				err = engine.BadRequest("streams follow the active versions: leave out %s", engine.VersionsHeader)
			}
			if err != nil {
				a.FailureAnswer(ctx, err, answer.Config{}).Serve(w, req, answer.Moment{})
				return
			}
			a.serveStream(w, req, feed, from)
		}}, nil
	})
}

// eventSchema is the schema of the events of a stream.
func (a *api) eventSchema(told events) *huma.Schema {
	schemas := a.Huma.OpenAPI().Components.Schemas
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
