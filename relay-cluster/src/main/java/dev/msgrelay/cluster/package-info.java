/**
 * Several relays that are one, on Aeron Cluster.
 *
 * <pre>
 *   publishers            node 1                                       node 2, node 3: the same
 *      |   ^ ACK
 *      v   |
 *   core of relay-server --ClusterOrderer--> Outgoing --Ingress--> leader ==> log of the cluster, on each node
 *      ^                                                                          |
 *      |                                                                          v
 *   PacketLog &lt;-- NetworkBatchHandler &lt;-- second ring &lt;-- ClusterState &lt;-- RelayService
 *      |                                     (dropped: what was sent twice)
 *      v
 *   subscribers
 * </pre>
 *
 * <p>A message is in the stream, and acknowledged, once the log has it: a majority of the nodes. Each node makes the
 * same stream of the same log: same order, same sequences, the same epochs.
 *
 * <p>Threads: the core of relay-server; Aeron's driver, archive and consensus; the service ({@code RelayService},
 * {@code ClusterState}); the ingress ({@code Ingress}); the upkeep ({@code Upkeep}), a few times a second. {@code
 * Outgoing} is written by the core and read by the ingress; the second ring is written by the service and read by the
 * core.
 */
package dev.msgrelay.cluster;
