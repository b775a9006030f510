/**
 * What the processes of a run do. Each speaks JSON lines with its controller ({@link
 * dev.msgrelay.loadgen.worker.Control}), and may stay for several runs ({@link dev.msgrelay.loadgen.worker.Jobs}).
 *
 * <pre>
 *  PublisherMain   PublishConnection  &lt;- FullSpeed (a thread each) | Paced (one thread for all)
 *  SubscriberMain  Receiver (a thread each)
 *                    socket [-&gt; SlowChannel] -&gt; MeasuredChannel -&gt; FrameReader -&gt; Verifier: MessageCheck, ToldStream
 *                                                               -&gt; bytes are counted (--check none)
 *                  drain, listen a little longer, report; CheckCost
 *  RelayMain       relay-server, ended with its controller
 * </pre>
 */
package dev.msgrelay.loadgen.worker;
