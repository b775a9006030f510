/**
 * Two of a kind set against each other, and how sure the difference is.
 *
 * <p>Two results of shootouts ({@link dev.msgrelay.loadgen.compare.Comparer}): only cells of equal parameters, only runs that
 * count, only of one regime. Two relays that are run in turn ({@link dev.msgrelay.loadgen.compare.InTurn}): pairs of
 * runs of one regime.
 *
 * <p>Every figure is compared as a ratio. Its estimate and its interval are Hodges' and Lehmann's, on logarithms: they
 * need no assumption about how runs scatter, hold for as few runs as there usually are, and one run that went astray
 * hardly moves them.
 *
 * <pre>
 *  two results.json -- Comparer: cells of equal parameters -----------------.
 *                                                                            &gt;-- HodgesLehmann --&gt; Estimate: ratio, interval
 *  two relays       -- SideBySide: A B B A ... -- InTurn: pairs of a regime-'
 * </pre>
 *
 * The command's thread, all of it; what it gives is immutable.
 */
package dev.msgrelay.loadgen.compare;
