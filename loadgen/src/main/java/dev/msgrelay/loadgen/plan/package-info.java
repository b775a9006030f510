/**
 * The records that travel between the controller and its workers, and the load that they are about.
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
