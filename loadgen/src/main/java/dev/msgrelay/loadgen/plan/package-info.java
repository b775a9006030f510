/**
 * The records that the controller and its worker processes exchange, and the load that they describe.
 *
 * <pre>
 *  controller -- Job {relay, access, Load} --&gt; worker         JSON lines, the same record on both sides
 *             -- Window                    --&gt;
 *             &lt;-- Progress, once a second   --
 *             &lt;-- Sent {Published, Punctuality}, Got {Received: SubscriberResult, latency, order}
 *
 *  Json   all of them as text, and back; also the results
 * </pre>
 *
 * Immutable values.
 */
package dev.msgrelay.loadgen.plan;
