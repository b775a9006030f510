/**
 * The newest message of each type, and the walks of readers over it.
 *
 * <p>{@code StateIndex} is the core's: a table from type to entry, and the entries in the order of their numbers, in
 * {@code Cells} of one slab. The last messages of the stream wait in {@code Arrivals}, the newest of each type, until
 * the order is needed. {@code StateDesk} is where a reader's {@code Walk} asks for its next batch, and the core
 * answers. Readers of one interval that have the same types share a {@code CommonWalk}, and each {@code Batch} of it.
 * {@code TypeSet} is for the one who makes a snapshot, on another thread.
 */
package dev.msgrelay.server.state;
