/**
 * The code of the worker processes. Each process exchanges JSON lines with its controller ({@link
 * dev.msgrelay.loadgen.worker.Control}), and may serve several runs.
 *
 * <pre>
 *  PublisherMain   PublishConnection (a thread each) | Paced (one thread for all) -&gt; Outlet: a socket, relay-client;
 *                  frames come from a FrameBatch, at full speed from a MessageStream
 *  SubscriberMain  Receiver (a thread each)
 *                    socket -&gt; MeasuredChannel -&gt; FrameReader -&gt; Verifier: MessageCheck, ToldStream
 *                                                               -&gt; or only counts bytes (--check none)
 *                  wait for the last messages and a little longer, report
 *  PlainRelayMain  publisher -&gt; copies bytes -&gt; subscribers in turn                 (the second ceiling)
 *  PrepackedMain   prepared frames -&gt; one subscriber                               (the first ceiling)
 *  RelayMain       relay-server; ends with its controller
 * </pre>
 */
package dev.msgrelay.loadgen.worker;
