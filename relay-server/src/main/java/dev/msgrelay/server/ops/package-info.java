/**
 * What an operator sees, and the limits that keep it readable.
 *
 * <pre>
 *   Counter (name, unit, help) -- Counters      what is added up as it happens
 *   ConnectionRow                               one connection, as it stood
 *   CloseLog -- TokenBucket                     every end counted, a few lines a second logged, the last remembered
 *   Admission -- TokenBucket                    how many connections, of one address too
 *   GarbageCollections                          those of the process
 *   PeerText                                    what a peer says, made fit for a line
 * </pre>
 *
 * <p>Any thread; a bucket is guarded by its owner's lock.
 *
 * <p><b>Public API:</b> {@code Counter} and {@code ConnectionRow}, as {@code RelayServer} hands them out. All else is
 * internal.
 */
package dev.msgrelay.server.ops;
