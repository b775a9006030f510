/**
 * The figures, log lines and rows that an operator sees, and limits on the number of lines.
 *
 * <pre>
 *   Counter (name, unit, help) -- Counters      sums that grow as things happen
 *   TimeHistogram, Stopwatch                    durations of an operation, and the total time of a state
 *   RelayStats                                  all figures of a relay at one moment
 *   ConnectionRow, ClusterStatus                one connection, a relay in its cluster, at one moment
 *   CloseLog -- TokenBucket                     counts ended connections, logs a few a second, keeps the last
 *            -- ProbeLog                        connections without a byte: one line an hour for each address
 *   RepeatedWarning                             a warning that comes often: one line for each interval
 *   QueuedOutput                                output that never blocks
 * </pre>
 *
 * <p>Any thread. A {@code TokenBucket} is guarded by its owner's lock.
 *
 * <p><b>Public API:</b> {@code Counter}, {@code RelayStats}, {@code ConnectionRow} and {@code ClusterStatus}, which
 * {@code RelayServer} returns. All else is internal.
 */
package dev.msgrelay.server.figures;
