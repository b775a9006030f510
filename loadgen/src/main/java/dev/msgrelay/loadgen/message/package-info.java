/**
 * The content of sent messages, and the checks of received messages. This package uses no socket and no clock.
 *
 * <pre>
 *  sizes    BodySizes -&gt; SizeTable: the size of each message by its stamp, for publishers and subscribers
 *  sending  SizeTable: LoadMessage, Padding -&gt; FrameBatch -&gt; MessageStream; Schedule
 *  checking MessageCheck: each byte -&gt; SequenceCheck: each publisher's numbers
 *                                   -&gt; OrderTrace: one order for all subscribers
 * </pre>
 *
 * Each publisher or subscriber has objects of its own, which its thread owns.
 */
package dev.msgrelay.loadgen.message;
