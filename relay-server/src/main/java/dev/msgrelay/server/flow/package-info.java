/**
 * The gate that holds publishers back and resumes them.
 *
 * <pre>
 *   log's writer --allows(position)?--> WindowGate <--wakeIfRoom-- limits: the slowest counts
 *                                           |
 *   publisher, no room --> HeldSources      '--signal--> writer, once half of the window is free
 *                              '--resume, all together, once there is plenty of room
 * </pre>
 *
 * <p>A subscriber sees the gate as a {@code ReaderGate}, which holds nobody back under most policies. The core's thread
 * asks the gate; limits come, move and go on any thread. Sources add themselves on their own threads, the core resumes
 * them. {@code HeldTime} adds up held time, and {@code TimeHistogram} counts times, for reports on any thread. Internal.
 */
package dev.msgrelay.server.flow;
