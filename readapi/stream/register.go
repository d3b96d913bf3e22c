package stream

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"strata/readapi/internal/answer"
	"strata/readapi/internal/engine"
	"strata/readapi/internal/live"
	"strata/readapi/internal/param"
	"strata/readapi/internal/view"
	"strata/readapi/stream/internal/naming"
	"strata/readapi/stream/internal/sse"
)

// FromInput holds the position from which a client follows a stream.
type FromInput struct {
	From        param.PositionText `query:"from" doc:"The position to start after, as in the header Strata-Position of any answer, such as log=4711; height=1350; index_block_hash=0x00…; log=0 starts at the beginning. By default the stream starts now."`
	LastEventID param.PositionText `header:"Last-Event-ID" doc:"The id of the last event that the client received. It takes precedence over from."`
}

// start returns the position to start after; nil to start now.
func (in *FromInput) start() (*live.Position, error) {
	text, name := in.From, "querystring/from"
	if in.LastEventID != "" {
		text, name = in.LastEventID, "headers/last-event-id"
	}
	if text == "" {
		return nil, nil
	}
	p, err := live.ParsePosition(string(text))
	if err != nil {
		return nil, engine.Invalid("%s %s", name, err)
	}
	return &p, nil
}

type blocksStreamInput struct{ FromInput }

func (in *blocksStreamInput) feed() (live.Feed, error) { return live.Feed{Kind: liveBlocks}, nil }

// PrincipalStreamInput names the principal to follow.
type PrincipalStreamInput struct {
	Principal param.PrincipalParameter `path:"principal"`
	FromInput
}

func (in *PrincipalStreamInput) feedOf(kind live.Kind) (live.Feed, error) {
	account, err := in.Principal.Account()
	return live.Feed{Kind: kind, Name: account}, err
}

type transactionsStreamInput struct{ PrincipalStreamInput }

func (in *transactionsStreamInput) feed() (live.Feed, error) { return in.feedOf(liveTransactions) }

type balancesStreamInput struct{ PrincipalStreamInput }

func (in *balancesStreamInput) feed() (live.Feed, error) { return in.feedOf(liveBalances) }

type eventsStreamInput struct {
	Contract param.PrincipalParameter `path:"contract_id"`
	Topic    string                   `query:"topic" maxLength:"128" doc:"Only events with this topic: the text of the first of the fields topic, event, action, notification, type and name that the printed tuple has."`
	FromInput
}

func (in *eventsStreamInput) feed() (live.Feed, error) {
	account, err := in.Contract.Account()
	return live.Feed{Kind: liveEvents, Name: account, Detail: in.Topic}, err
}

type namesStreamInput struct {
	Name      string `query:"name" maxLength:"128" doc:"Only this name, such as alice.btc, in both registries."`
	Namespace string `query:"namespace" maxLength:"64" doc:"Only names of this namespace, and the namespace itself. Ignored with name."`
	FromInput
}

func (in *namesStreamInput) feed() (live.Feed, error) {
	return naming.Feed(liveNames, in.Name, in.Namespace), nil
}

// streamedInput is what the input of each stream implements.
type streamedInput[In any] interface {
	*In
	feed() (live.Feed, error)
	start() (*live.Position, error)
}

type mempoolStreamInput struct{ FromInput }

func (in *mempoolStreamInput) feed() (live.Feed, error) { return live.Feed{Kind: liveMempool}, nil }

const streamsAbout = " Server-sent events. The id of an event is the client's position after it: a position in the log and a tip, as in `Strata-Position`. " +
	"To resume, in any process, send the last id as `Last-Event-ID`: no event is missed, and an event that is sent twice says the same. " +
	"`revert` says that a block was reverted; comments are sent while nothing happens; `end` says why the server ends a stream. See docs/live.md."

// untracedStream is the reason why streams can't be traced to rows.
const untracedStream = "it says what happens as it happens, and the reads of the same say what it is made of"

func (a *api) registerStreams() {
	stream[blocksStreamInput](a, engine.Operation{
		ID: "stream-blocks", Path: "/stream/v1/blocks", Summary: "Follow the blocks of the canonical chain",
		Description: "A client that applies each `block` and undoes each `revert` has the canonical chain.",
	}, eventTypes{liveBlock: reflect.TypeFor[view.Block](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[transactionsStreamInput](a, engine.Operation{
		ID: "stream-transactions", Path: "/stream/v1/principals/{principal}/transactions", Summary: "Follow the mined transactions of an account",
		Description: "The transactions that the account sends or sponsors, that call or deploy it, and that move its assets. `revert` is sent for each block that is reverted.",
	}, eventTypes{liveTransaction: reflect.TypeFor[view.TransactionBody](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[balancesStreamInput](a, engine.Operation{
		ID: "stream-balances", Path: "/stream/v1/principals/{principal}/balances", Summary: "Follow the balances of an account",
		Description: "The first event has the balances of now, wherever the stream starts. Blocks that arrive together, and a revert with the blocks that replace it, make one event.",
	}, eventTypes{liveBalance: reflect.TypeFor[balanceBody]()})
	stream[eventsStreamInput](a, engine.Operation{
		ID: "stream-contract-events", Path: "/stream/v1/contracts/{contract_id}/events", Summary: "Follow the events that a contract prints",
		Description: "`revert` is sent for each block that is reverted.",
	}, eventTypes{liveEvent: reflect.TypeFor[contractEventBody](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[namesStreamInput](a, engine.Operation{
		ID: "stream-names", Path: "/stream/v1/names", Summary: "Follow the names of both registries", Description: naming.About,
	}, eventTypes{liveName: reflect.TypeFor[naming.Body](), liveRevert: reflect.TypeFor[revertBody]()})
	stream[mempoolStreamInput](a, engine.Operation{
		ID: "stream-mempool", Path: "/stream/v1/mempool", Summary: "Follow the mempool",
		Description: "`transaction` is sent when a transaction arrives, is replaced, is dropped or comes back, as `tx_status` says; `mined` when a canonical block has it. " +
			"A client that resumes gets each transaction that has changed since, once, as it is now. After a day, and from `log=0`, it gets `reset`, and then all pending transactions.",
	}, eventTypes{liveTransaction: reflect.TypeFor[view.WaitingBody](), liveMined: reflect.TypeFor[minedBody](), liveReset: reflect.TypeFor[resetBody]()})
	a.registerSocket()
	a.registerSocketIO()
}

// eventTypes maps the name of each event of a stream to the type of its data.
type eventTypes map[string]reflect.Type

// stream registers the GET operation of a stream. types are its events, except end.
func stream[In any, P streamedInput[In]](a *api, r engine.Operation, types eventTypes) {
	r.Tag, r.Class, r.ContentType, r.Statuses = "Streams", answer.NoStore, "text/event-stream", []int{http.StatusBadRequest}
	r.Description += streamsAbout
	types[liveEnd] = reflect.TypeFor[endBody]()
	responses := a.Responses(r, nil)
	responses["200"].Description = "The events, until the client or the server ends the stream."
	responses["200"].Content[r.ContentType].Schema = sse.Schema(a.Huma.OpenAPI().Components.Schemas, r.ID, types)
	responses["200"].Headers[engine.PositionHeader] = &huma.Param{
		Description: "The position where the stream starts.", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"log=4711; height=1350; index_block_hash=0x00…"}},
	}
	responses["503"].Description += " Or the maximum number of streams is open: Retry-After says when to try again."
	a.Routes[http.MethodGet+" "+r.Path] = r.ID
	a.Untraceable(untracedStream, r.ID)
	huma.Register(a.Huma, huma.Operation{
		Method: http.MethodGet, Path: r.Path, OperationID: r.ID, Summary: r.Summary, Description: r.Description, Tags: []string{r.Tag},
		Responses: responses, SkipValidateParams: true, // engine.checkingAdapter validates them
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
