/**
 * Two relays that are run in turn, set against each other, and how sure the difference is. Pairs are runs that were taken one
 * right after the other. What became of runs beside their figures is counted, and compared by Fisher's exact test
 * ({@link dev.msgrelay.loadgen.compare.Frequency}).
 *
 * <p>Every figure is compared as a ratio. Its estimate and its interval are Hodges' and Lehmann's, on logarithms: they
 * need no assumption about how runs scatter, hold for as few runs as there usually are, and one run that went astray
 * hardly moves them.
 *
 * <pre>
 *  SideBySide: A B B A ... -- InTurn: pairs of runs -- HodgesLehmann --&gt; Estimate: ratio, interval
 * </pre>
 *
 * The command's thread, all of it; what it gives is immutable.
 */
package dev.msgrelay.loadgen.compare;
