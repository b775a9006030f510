/**
 * The command {@code relay-cluster}.
 *
 * <pre>
 *   RelayClusterMain -- demo ------> LocalCluster: three relay-servers, a publisher and a subscriber beside them
 *                    |- local -----> the same, for any client
 *                    |- snapshot --> a counter of the leader's
 *                    '- restore ---> Aeron's ClusterBackup
 * </pre>
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.cluster.cli;
