// Package topic presents the log as a watermill topic. The rows of log.event are the messages: nothing is stored twice,
// and there is no outbox.
//
//	subscriber, err := topic.NewSubscriber(pool, topic.SubscriberConfig{
//		Offsets: topic.ProjectionOffsets{Name: "token", Version: 3},
//		Paths:   []string{"/new_block"},
//	})
//	messages, err := subscriber.Subscribe(ctx, topic.All)
//
// # Names
//
// The topic All has every event. Any other topic T has the events that were posted to Path(T): "/" and T, with "/" for
// each ":", because watermill-sql refuses topics with a slash. So "new_block" means /new_block, and "attachments:new"
// means /attachments/new.
//
// # Delivery
//
// Messages arrive in the order of the log, one at a time: each after the Ack of the one before. Delivery is at least
// once. To process an event exactly once, the handler moves its position by compare-and-set in its own transaction:
//
//	BEGIN
//	UPDATE strata.projection SET position = $seq WHERE name = … AND version = … AND position = $seq - 1
//	-- no row: it was applied before, or by another process; ack and return
//	… write …
//	COMMIT
//
// A handler must not write in the subscriber's transaction (watermill-sql's TxFromContext). watermill-sql commits it when
// Close interrupts a handler, keeps it after a Nack, and acknowledges before it commits.
//
// # Supported features of watermill
//
// Consumer groups (ConsumerOffsets), guaranteed order, persistence, and old messages for new groups. Not supported, or
// limited:
//
//   - Exactly-once delivery: if a crash or a Close prevents the commit of an Ack, the message is delivered again. The
//     handler's compare-and-set prevents that it is processed twice.
//   - Several active subscribers of a group: only one is active, which keeps the order. The others stand by without a
//     connection, and one takes over when it ends. A group is for failover, not for sharing work.
//   - Preserved contexts: a message goes through the database, its context does not.
//   - Publishing in a transaction of the caller: the log's head orders all writers, so a caller that keeps it locked would
//     stop all of them. Publish uses its own transaction and returns when it is durable.
//
// # Connections
//
// A subscription holds one connection of the pool while it delivers. If the pool has no more connections than there are
// subscriptions, handlers that take one from the same pool wait for ever.
package topic
