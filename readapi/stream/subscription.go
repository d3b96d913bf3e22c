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
)

// subscriptionsMost is how much a client may subscribe to on a connection.
const subscriptionsMost = 1000

// subscription is an event with what it is about.
type subscription struct {
	feed live.Feed
	// reversible says that what it tells is taken back when its block is.
	reversible bool
}

// subscriptionParams are the params of a request that name a subscription.
type subscriptionParams map[string]json.RawMessage

// text is a parameter that is a text; empty for any other.
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

// parseSubscription reads the params of a request. result repeats what the subscription is about.
func parseSubscription(params json.RawMessage) (s subscription, result map[string]string, failed *rpcError) {
	var p subscriptionParams
	if json.Unmarshal(params, &p) != nil || p["event"] == nil || string(p["event"]) == "null" {
		return s, nil, &rpcError{rpcInvalidParams, "subscription requests must include an event name"}
	}
	event, ok := socketEvents[p.text("event")]
	if !ok {
		return s, nil, &rpcError{rpcInvalidParams, "subscription request must use a valid event name"}
	}
	s = subscription{live.Feed{Kind: event.kind}, event.reversible}
	result = map[string]string{}
	for i, name := range event.about {
		value, ok := socketParameters[name](p.text(name))
		if !ok {
			return s, nil, &rpcError{rpcInvalidParams, "invalid " + name}
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

// socketEvents are what clients may subscribe to.
var socketEvents = map[string]struct {
	kind       live.Kind
	reversible bool
	about      []string // parameters: the name and the detail of the feed
}{
	socketTransaction:   {socketTransactions, true, []string{"tx_id"}},
	socketAddress:       {socketAddresses, true, []string{"address"}},
	socketBalance:       {socketBalances, false, []string{"address"}},
	socketBlock:         {socketBlocks, true, nil},
	socketMicroblock:    {socketMicroblocks, false, nil},
	socketWaiting:       {socketMempool, false, nil},
	socketNFT:           {socketNFTs, true, nil},
	socketNFTAsset:      {socketNFTAssets, true, []string{"asset_identifier", "value"}},
	socketNFTCollection: {socketNFTCollections, true, []string{"asset_identifier"}},
}

// socketParameters bring parameters into the form that the tables have; ok is false for what is none.
var socketParameters = map[string]func(text string) (value string, ok bool){
	"tx_id": func(text string) (string, bool) {
		id, err := hash.Parse32(text)
		return id.String(), err == nil && txIDText.MatchString(text)
	},
	"address": func(text string) (string, bool) {
		account, err := param.PrincipalParameter(text).Account()
		return account, err == nil
	},
	"asset_identifier": func(text string) (string, bool) { return text, assetText.MatchString(text) },
	"value": func(text string) (string, bool) {
		digits, ok := strings.CutPrefix(strings.ToLower(text), "0x")
		_, err := hex.DecodeString(digits)
		return "0x" + digits, ok && err == nil && digits != ""
	},
}

// subscribe does nothing for what the client has subscribed to already.
func (s *liveSocket) subscribe(params json.RawMessage) (result any, changes []live.Change, failed *rpcError) {
	wanted, about, failed := parseSubscription(params)
	if failed != nil {
		return nil, nil, failed
	}
	if _, ok := s.subscribed[wanted]; ok {
		return about, nil, nil
	}
	if len(s.subscribed) >= subscriptionsMost {
		return nil, nil, &rpcError{rpcRefused, "a connection has 1000 subscriptions at most"}
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

// unsubscribe does nothing for what the client has not subscribed to.
func (s *liveSocket) unsubscribe(params json.RawMessage) (result any, changes []live.Change, failed *rpcError) {
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
