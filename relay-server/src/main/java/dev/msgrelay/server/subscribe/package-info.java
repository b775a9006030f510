/**
 * Sends the stream from the log to subscribers' sockets.
 *
 * <pre>
 *   SubscriberConnection   uses the parts below, and moves from group to group
 *     Inbox                control frames from the client
 *     Join                 the client's requests: types, start, policy
 *     Delivery             log --LogReader--> Feed: WholeFeed | FilteredFeed --> SocketWriter
 *                                  ^                           '-- FilterBuffers
 *                                  '-- CatchUp, ReplayPages: from the journal, where the log has dropped messages
 *     SlowReader           the client's limits: policy, lag, rate, time without progress
 *
 *   SendGroup   the subscribers of one loop; one group is sent the journal, and its loop may wait for the disk
 *   PinRelief   cuts off subscribers that pin the log's oldest memory, when the log's writer needs it
 * </pre>
 *
 * <p>A subscriber belongs to the thread of its loop. The loop may change while nothing is in flight. Internal.
 */
package dev.msgrelay.server.subscribe;
