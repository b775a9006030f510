/**
 * Several relays with one stream, by Aeron Cluster.
 *
 * <pre>
 *   publishers            node 1                                       node 2, node 3: the same
 *      |   ^ ACK
 *      v   |
 *   core of relay-server --ClusterOrderer--> Outgoing --Ingress--> leader ==> log of the cluster, on each node
 *      ^                                                                          |
 *      |                                                                          v
 *   PacketLog &lt;-- NetworkBatchHandler &lt;-- second ring &lt;-- ClusterState &lt;-- RelayService
 *      |                                     (duplicates are dropped)
 *      v
 *   subscribers
 * </pre>
 *
 * <p>A message is in the stream, and is acknowledged, once a majority of the nodes has it in the log. From the same log
 * each node makes the same stream: the same order, sequences and epochs.
 *
 * <p>Threads: the core of relay-server; Aeron's driver, archive and consensus; the service ({@code RelayService},
 * {@code ClusterState}); the ingress ({@code Ingress}); the upkeep ({@code Upkeep}), a few times a second. {@code
 * Outgoing} is written by the core and read by the ingress; the second ring is written by the service and read by the
 * core.
 */
package dev.msgrelay.cluster;
