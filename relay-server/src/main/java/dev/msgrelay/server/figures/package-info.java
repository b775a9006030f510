/**
 * The figures, lines and rows that an operator sees, and the limits that keep them readable.
 *
 * <pre>
 *   Counter (name, unit, help) -- Counters      sums that grow as things happen
 *   TimeHistogram, Stopwatch                    times of something, and the time of a state
 *   RelayStats                                  all figures of a relay at one moment
 *   ConnectionRow, ClusterStatus                one connection, a relay in its cluster, at one moment
 *   CloseLog -- TokenBucket                     counts every end, logs a few a second, remembers the last
 *            -- ProbeLog                        connections without a byte: one line an hour for an address
 *   RepeatedWarning                             a warning that comes often: one line for each interval
 *   QueuedOutput                                output that never blocks
 * </pre>
 *
 * <p>Any thread; a bucket is guarded by its owner's lock.
 *
 * <p><b>Public API:</b> {@code Counter}, {@code RelayStats}, {@code ConnectionRow} and {@code ClusterStatus}, as {@code
 * RelayServer} hands them out. All else is internal.
 */
package dev.msgrelay.server.figures;
