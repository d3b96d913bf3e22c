package stream

import (
	"strings"

	"strata/readapi/internal/live"
	"strata/readapi/stream/internal/naming"
	"strata/readapi/stream/internal/socketio"
)

// socketRooms maps the beginning of the name of each room, which is what Socket.IO calls a topic, to the event of WebSockets
// that has the same feed. What follows a colon in a room's name are the parameters of that event, with a plus between them.
var socketRooms = map[string]string{
	"block": socketBlock, "microblock": socketMicroblock, "mempool": socketPending,
	"transaction": socketTransaction, "address-transaction": socketAddress, "address-stx-balance": socketBalance,
	"nft-event": socketNFT, "nft-asset-event": socketNFTAsset, "nft-collection-event": socketNFTCollection,
	"names-event": naming.EventAll, "name-event": naming.EventName, "namespace-event": naming.EventNamespace,
}

// parseRoom returns the topic that the name of a room stands for; ok is false if there is none.
func parseRoom(name string) (t socketio.Topic, ok bool) {
	prefix, about, parameterised := strings.Cut(name, ":")
	event, ok := socketEvents[socketRooms[prefix]]
	if !ok || parameterised != (len(event.about) > 0) {
		return t, false
	}
	t = socketio.Topic{Feed: live.Feed{Kind: event.kind}, Reversible: event.reversible}
	values := []*string{&t.Feed.Name, &t.Feed.Detail}
	for i, parameter := range event.about {
		text := about
		if len(event.about) > 1 {
			// A plus may be part of an asset's name, but not of a value. In a query a plus stands for a space.
			plus := strings.LastIndexAny(about, "+ ")
			if plus < 0 {
				return t, false
			}
			text = []string{about[:plus], about[plus+1:]}[i]
		}
		if *values[i], ok = socketParameters[parameter](text); !ok {
			return t, false
		}
	}
	return t, true
}

// roomOf returns the name of the event that Socket.IO has for a feed, which is the name of its room, and the arguments of
// the event before its payload.
func roomOf(feed live.Feed) (event string, texts []string) {
	for prefix, event := range socketRooms {
		if socketEvents[event].kind != feed.Kind {
			continue
		}
		switch feed.Kind {
		case socketTransactions:
			return prefix + ":" + feed.Name, nil
		case socketAddresses, socketBalances, socketNFTCollections, naming.SocketName, naming.SocketNamespace:
			return prefix + ":" + feed.Name, []string{feed.Name}
		case socketNFTAssets:
			return prefix + ":" + feed.Name + "+" + feed.Detail, []string{feed.Name, feed.Detail}
		}
		return prefix, nil
	}
	return socketRevert, nil // an extension of stacks-blockchain-api, as for WebSockets
}
