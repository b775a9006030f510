/**
 * Direct memory, and the budget from which all of it is taken.
 *
 * <pre>
 *   MemoryBudget   RING | LOG | PINS | WRITER | READS | RESTS | FRAMES | FILTERS | CONNECTIONS | CONTROL | ...
 *        |              each a pool of its own: none lends to another
 *   MemoryLine     publishers that find FRAMES used up wait here: first come, first served
 *
 *   ReadWindow     the memory that a channel reads into;   Bytes   views in the machine's own byte order
 * </pre>
 *
 * <p>Any thread may use budget and line; a window belongs to the thread that reads. Internal.
 */
package dev.msgrelay.server.memory;
