/**
 * Two of a kind set against each other, and how sure the difference is.
 *
 * <p>Two results of shootouts ({@link dev.msgrelay.loadgen.compare.Comparer}): only cells of equal parameters, only runs that
 * count. Two relays that are run in turn ({@link dev.msgrelay.loadgen.compare.InTurn}): pairs of runs that were taken one
 * right after the other. What became of runs beside their figures is counted, and compared by Fisher's exact test
 * ({@link dev.msgrelay.loadgen.compare.Frequency}).
 *
 * <p>Every figure is compared as a ratio. Its estimate and its interval are Hodges' and Lehmann's, on logarithms: they
 * need no assumption about how runs scatter, hold for as few runs as there usually are, and one run that went astray
 * hardly moves them.
 *
 * <pre>
 *  two results.json -- Comparer: cells of equal parameters -----------------.
 *                                                                            &gt;-- HodgesLehmann --&gt; Estimate: ratio, interval
 *  two relays       -- SideBySide: A B B A ... -- InTurn: pairs in time ----'
 * </pre>
 *
 * The command's thread, all of it; what it gives is immutable.
 */
package dev.msgrelay.loadgen.compare;
