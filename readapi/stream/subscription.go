package stream

import (
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"

	"strata/domain/hash"
	"strata/readapi/internal/live"
	"strata/readapi/internal/param"
	"strata/readapi/internal/schema"
	"strata/readapi/stream/internal/jsonrpc"
	"strata/readapi/stream/internal/naming"
)

// subscriptionsMost is the maximum number of subscriptions of a connection.
const subscriptionsMost = 1000

// subscription is a feed that a client subscribes to.
type subscription struct {
	feed live.Feed
	// reversible says that the feed is about blocks, so that its client also gets the reverts.
	reversible bool
}

// subscriptionParams holds the params of a request to subscribe or unsubscribe.
type subscriptionParams map[string]json.RawMessage

// text returns a parameter that is a string; empty for any other.
func (p subscriptionParams) text(name string) (text string) {
	if json.Unmarshal(p[name], &text) != nil {
		return ""
	}
	return text
}

var (
	assetText = regexp.MustCompile(`^` + schema.AddressPattern + `\.[a-zA-Z]([a-zA-Z0-9]|[-_]){0,127}::[a-zA-Z]([a-zA-Z0-9]|[-_!?+<>=/*]){0,127}$`)
	txIDText  = regexp.MustCompile(param.HashPattern)
)

// parseSubscription parses the params of a request. result repeats the parameters, in the form that the tables have.
func parseSubscription(params json.RawMessage) (s subscription, result map[string]string, failed *jsonrpc.Error) {
	var p subscriptionParams
	if json.Unmarshal(params, &p) != nil || p["event"] == nil || string(p["event"]) == "null" {
		return s, nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "subscription requests must include an event name"}
	}
	event, ok := socketEvents[p.text("event")]
	if !ok {
		return s, nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "subscription request must use a valid event name"}
	}
	s = subscription{live.Feed{Kind: event.kind}, event.reversible}
	result = map[string]string{}
	for i, name := range event.about {
		value, ok := socketParameters[name](p.text(name))
		if !ok {
			return s, nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "invalid " + name}
		}
		result[name] = value
		if i == 0 {
			s.feed.Name = value
		} else {
			s.feed.Detail = value
		}
	}
	return s, result, nil
}

// socketEvents maps the name of each event that a client may subscribe to to its feed.
var socketEvents = map[string]struct {
	kind       live.Kind
	reversible bool
	about      []string // the parameters that are the feed's name and detail
}{
	socketTransaction:   {socketTransactions, true, []string{"tx_id"}},
	socketAddress:       {socketAddresses, true, []string{"address"}},
	socketBalance:       {socketBalances, false, []string{"address"}},
	socketBlock:         {socketBlocks, true, nil},
	socketMicroblock:    {socketMicroblocks, false, nil},
	socketPending:       {socketMempool, false, nil},
	socketNFT:           {socketNFTs, true, nil},
	socketNFTAsset:      {socketNFTAssets, true, []string{"asset_identifier", "value"}},
	socketNFTCollection: {socketNFTCollections, true, []string{"asset_identifier"}},

	naming.EventAll:       {naming.SocketAll, true, nil},
	naming.EventName:      {naming.SocketName, true, []string{"name"}},
	naming.EventNamespace: {naming.SocketNamespace, true, []string{"namespace"}},
}

// socketParameters maps the name of each parameter to a function that normalises its value to the form that the tables
// have; ok is false for an invalid value.
var socketParameters = map[string]func(text string) (value string, ok bool){
	"tx_id": func(text string) (string, bool) {
		id, err := hash.Parse32(text)
		return id.String(), err == nil && txIDText.MatchString(text)
	},
	"address": func(text string) (string, bool) {
		account, err := param.PrincipalParameter(text).Account()
		return account, err == nil
	},
	"name": naming.ParseName, "namespace": naming.ParseNamespace,
	"asset_identifier": func(text string) (string, bool) { return text, assetText.MatchString(text) },
	"value": func(text string) (string, bool) {
		digits, ok := strings.CutPrefix(strings.ToLower(text), "0x")
		_, err := hex.DecodeString(digits)
		return "0x" + digits, ok && err == nil && digits != ""
	},
}

// subscribe handles a request to subscribe, which changes nothing if the client has that subscription already.
func (s *liveSocket) subscribe(params json.RawMessage) (result any, changes []live.Change, failed *jsonrpc.Error) {
	wanted, about, failed := parseSubscription(params)
	if failed != nil {
		return nil, nil, failed
	}
	if _, ok := s.subscribed[wanted]; ok {
		return about, nil, nil
	}
	if len(s.subscribed) >= subscriptionsMost {
		return nil, nil, &jsonrpc.Error{Code: jsonrpc.Refused, Message: "a connection has 1000 subscriptions at most"}
	}
	s.subscribed[wanted] = struct{}{}
	changes = []live.Change{{Feed: wanted.feed}}
	if wanted.reversible {
		if s.reversible++; s.reversible == 1 {
			changes = append(changes, live.Change{Feed: live.Feed{Kind: socketReverts}})
		}
	}
	return about, changes, nil
}

// unsubscribe handles a request to unsubscribe, which changes nothing if the client does not have that subscription.
func (s *liveSocket) unsubscribe(params json.RawMessage) (result any, changes []live.Change, failed *jsonrpc.Error) {
	unwanted, about, failed := parseSubscription(params)
	if failed != nil {
		return nil, nil, failed
	}
	if _, ok := s.subscribed[unwanted]; !ok {
		return about, nil, nil
	}
	delete(s.subscribed, unwanted)
	changes = []live.Change{{Feed: unwanted.feed, Leave: true}}
	if unwanted.reversible {
		if s.reversible--; s.reversible == 0 {
			changes = append(changes, live.Change{Feed: live.Feed{Kind: socketReverts}, Leave: true})
		}
	}
	return about, changes, nil
}
