// Package topic is the log as a watermill topic. The rows of log.event are the messages: nothing is stored twice,
// there is no outbox and no second table of payloads.
//
//	subscriber, err := topic.NewSubscriber(pool, topic.SubscriberConfig{
//		Offsets: topic.ProjectionOffsets{Name: "token", Version: 3},
//		Paths:   []string{"/new_block"},
//	})
//	messages, err := subscriber.Subscribe(ctx, topic.All)
//
// # Names
//
// The topic All is every event. Any other topic T is the events that were posted to Path(T), which is "/" + T with
// "/" for each ":", because watermill-sql refuses topics with a slash: "new_block" is /new_block and
// "attachments:new" is /attachments/new.
//
// # Delivery
//
// Messages come in the order of the log, one at a time: the next one after the Ack of the one before. Delivery is
// at least once. What makes an event count exactly once is the handler's own transaction, in which it moves its
// position by compare-and-set:
//
//	BEGIN
//	UPDATE strata.projection SET position = $seq WHERE name = … AND version = … AND position = $seq - 1
//	-- no row: applied before, or by somebody else; ack and leave
//	… write …
//	COMMIT
//
// The transaction of the subscriber (watermill-sql's TxFromContext) is no place for a handler's writes. watermill-sql
// commits it when a handler is cut off by Close, keeps it after a Nack, and acknowledges before it commits.
//
// # What of watermill's features there is
//
// Consumer groups (ConsumerOffsets), guaranteed order, persistence, and old messages for new groups. Not:
//
//   - Exactly-once delivery: an Ack that is not committed, for a crash or a Close in between, is delivered again.
//     Processing once is the handler's compare-and-set.
//   - Order with several active subscribers of one group at a time is kept by having one active: the others stand
//     by without a connection, and take over when it ends. A group is for failover, not for sharing work.
//   - Preserved contexts: a message goes through the database, its context does not.
//   - Publishing within a transaction of the caller: the log's head orders all writers, and a writer that keeps it
//     locked would stop everybody. Publish is a transaction of its own and returns when it is durable.
//
// # Connections
//
// A subscription holds one connection of the pool while it delivers. The pool needs more of them than there are
// subscriptions, or handlers that take one from the same pool wait for ever.
package topic
