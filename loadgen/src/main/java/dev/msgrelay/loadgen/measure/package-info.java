/**
 * What figures have to be read with: the machine that they were taken on, and what a process used.
 *
 * <pre>
 *  Machine          cores, CPU, JDK, kernel      once, beside each result
 *  CoreHop          from core to core            before and after each run: did the cores move?
 *  ProcessFigures   CPU time, resident memory    at both ends of the window, of each process
 *  PathMtu          of loopback                  how large a segment is
 * </pre>
 *
 * Whoever measures, on its own thread; {@code CoreHop} has a second one while it measures.
 */
package dev.msgrelay.loadgen.measure;
