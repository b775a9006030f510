/**
 * From the log to subscribers' sockets.
 *
 * <pre>
 *   log --LogReader--> Feed: WholeFeed | FilteredFeed --> SocketWriter       one SubscriberConnection
 *           ^                                '-- FilterBuffers                with a SlowPolicy
 *           '-- Replay: pages of the journal, where the log has moved on
 *                 '-- ReplayPages
 *   SendGroup   the subscribers of one loop, served in turn, each behind a wall of its own
 *               those that get the journal have one of their own, whose loop may wait for the disk
 *   LoopSpread -- SpreadDecision   which loops send
 *   PinRelief   cuts off those that hold the log's oldest memory, when its writer needs it
 * </pre>
 *
 * <p>A subscriber and its group belong to the thread of their loop, which may change while nothing is in flight. Spread and
 * relief are the core's.
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.server.fanout;
