/**
 * Sends the stream from the log to subscribers' sockets.
 *
 * <pre>
 *   SubscriberConnection   calls these, and moves from group to group
 *     Inbox                control frames from the client
 *     Join                 the client's requests: types, start, policy
 *     Delivery             log --LogReader--> Feed: WholeFeed | FilteredFeed --> SocketWriter
 *                                  ^                           '-- FilterBuffers
 *                                  '-- CatchUp, ReplayPages: from the journal, where the log has dropped messages
 *     SlowReader           the client's limits: policy, lag, rate, time without progress
 *
 *   SendGroup   the subscribers of one loop; those of one group are sent the journal: its loop may wait for the disk
 *   PinRelief   cuts off subscribers that pin the log's oldest memory, when its writer needs it
 * </pre>
 *
 * <p>A subscriber belongs to the thread of its loop, which may change while nothing is in flight. Internal.
 */
package dev.msgrelay.server.subscribe;
