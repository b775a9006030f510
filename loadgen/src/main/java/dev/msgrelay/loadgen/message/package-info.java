/**
 * The content of the messages that are sent, and the checks of received messages. There is no socket and no clock here.
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
