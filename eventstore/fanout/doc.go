// Package fanout sends the committed log over NATS JetStream to consumers on other machines.
//
// A Publisher appends each event to a stream once it is committed. The id of its message is its position, and the stream refuses a
// message unless its last one is that of the position before: so the stream has the events in order and without gaps, however many
// publishers there are, and whenever they die.
//
// The stream only makes consumers faster. It may forget old events, lack large bodies, deliver twice, or be away: a consumer skips
// what it has, and reads what is missing from the log itself.
package fanout
