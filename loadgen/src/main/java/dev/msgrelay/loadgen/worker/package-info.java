/**
 * What the processes of a run do. Each speaks JSON lines with its controller ({@link
 * dev.msgrelay.loadgen.worker.Control}), and may stay for several runs.
 *
 * <pre>
 *  PublisherMain   PublishConnection (a thread each) | Paced (one thread for all) -&gt; Outlet: a socket, relay-client;
 *                  frames come from a FrameBatch, at full speed from a MessageStream
 *  SubscriberMain  Receiver (a thread each)
 *                    socket -&gt; MeasuredChannel -&gt; FrameReader -&gt; Verifier: MessageCheck, ToldStream
 *                                                               -&gt; bytes are counted (--check none)
 *                  drain, listen a little longer, report
 *  PlainRelayMain  publisher -&gt; read a buffer, write it on -&gt; subscribers in turn     (the second ceiling)
 *  PrepackedMain   prepared frames -&gt; one subscriber                               (the first ceiling)
 *  RelayMain       relay-server, ended with its controller
 * </pre>
 */
package dev.msgrelay.loadgen.worker;
