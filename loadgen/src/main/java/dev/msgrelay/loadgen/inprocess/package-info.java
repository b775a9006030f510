/**
 * The relay embedded in a worker, with publishers that are threads of it.
 *
 * <pre>
 *  InProcessMain   RelayServer &lt;- LocalPublisher &lt;- LocalOutlet &lt;- PublishConnection (a thread each)
 *                       | sockets
 *                  subscribers: processes of their own
 * </pre>
 */
package dev.msgrelay.loadgen.inprocess;
