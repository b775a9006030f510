/**
 * What is sent, and whether it came: no sockets, no clock.
 *
 * <pre>
 *  sizes    BodySizes -&gt; SizeTable: the size of each message from its stamp, the same for who sends and who checks
 *  sending  SizeTable: LoadMessage, Padding -&gt; FrameBatch -&gt; MessageStream; Schedule
 *  checking MessageCheck: each byte -&gt; SequenceCheck: each publisher's numbers
 *                                   -&gt; OrderTrace: one order for all subscribers
 * </pre>
 *
 * Each publisher or subscriber has objects of its own, which its thread owns.
 */
package dev.msgrelay.loadgen.message;
