/**
 * Inspects, cuts and repairs the directory that a relay has left, also after a crash. Internal.
 *
 * <p>{@code Listing} lists files, tables and headers; {@code RecoveryWalk} walks over the records, and {@code
 * FoundNames} and {@code FoundClock} gather names, and steps of the machine's clock, from the records. The result is a
 * {@code Recovery}. None of these classes changes anything. {@code Repair} cuts torn tails and writes off damage.
 */
package dev.msgrelay.server.journal.recover;
