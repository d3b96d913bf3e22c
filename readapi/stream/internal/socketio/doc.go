// Package socketio speaks Socket.IO (protocol 5, over Engine.IO 4) with clients that subscribe to topics. A library carries
// the packets, over WebSockets and long polling; this package gives them their meaning, and sends what a hub has queued for
// a client only as fast as the client reads. docs/decisions/019-socket-io.md says why it is divided like that.
package socketio
