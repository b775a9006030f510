/**
 * The way of the stream from the log to subscribers' sockets.
 *
 * <pre>
 *   SubscriberConnection   decides, between two writes, which of these has its turn; moves from group to group
 *     Inbox                frames from the subscriber
 *     Join                 its requests: types; from HELLO to WELCOME the start, the policy
 *     Delivery             log --LogReader--> Feed: WholeFeed | FilteredFeed --> SocketWriter
 *                                  ^                           '-- FilterBuffers
 *                                  '-- CatchUp, ReplayPages: from the journal, where the log has moved on
 *     SlowReader           its limits: policy, lag, rate, time without progress
 *
 *   SendGroup   the subscribers of one loop, served in turn, each behind a wall of its own
 *               those that get the journal have one of their own, whose loop may wait for the disk
 *   PinRelief   cuts off subscribers that pin the log's oldest memory, when its writer needs it
 * </pre>
 *
 * <p>A subscriber and its group belong to the thread of their loop, which may change while nothing is in flight. Relief
 * is the core's. Internal.
 */
package dev.msgrelay.server.subscribe;
