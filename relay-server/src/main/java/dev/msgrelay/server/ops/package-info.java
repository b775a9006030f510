/**
 * The figures, lines and rows that an operator sees, and the limits that keep them readable.
 *
 * <pre>
 *   Counter (name, unit, help) -- Counters      sums that grow as things happen
 *   RelayStats                                  all figures of a relay at one moment
 *   ConnectionRow                               one connection at one moment
 *   CloseLog -- TokenBucket                     every end counted, a few lines a second logged, the last remembered
 *            -- ProbeLog                        connections without a byte: one line an hour for an address
 *   Admission -- TokenBucket                    limits on connections, in all and by address
 *   GarbageCollections                          the process's garbage collections
 * </pre>
 *
 * <p>Any thread; a bucket is guarded by its owner's lock.
 *
 * <p><b>Public API:</b> {@code Counter}, {@code RelayStats} and {@code ConnectionRow}, as {@code RelayServer} hands them out. All else is
 * internal.
 */
package dev.msgrelay.server.ops;
