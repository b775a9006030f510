/**
 * Back pressure: holds publishers back, and lets them go on.
 *
 * <pre>
 *   log's writer --allows(position)?--> WindowGate <--wakeIfRoom-- limits: the slowest counts
 *                                           |
 *   publisher, no room --> HeldSources      '--signal--> writer, once half of the window is free
 *                              '--resume, all together, once there is plenty of room
 * </pre>
 *
 * <p>The gate is asked by the core's thread; limits come, move and go on any. Sources add themselves on their own threads,
 * the core resumes them. {@code HeldTime} adds up how long, for reports: any thread.
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.server.flow;
