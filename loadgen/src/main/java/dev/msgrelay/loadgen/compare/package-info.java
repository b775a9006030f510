/**
 * Two shootouts set against each other: only cells of equal parameters, only runs that count, only of one regime; and
 * how sure the difference is.
 *
 * <p>Every figure is compared as a ratio. Its estimate and its interval are Hodges' and Lehmann's, on logarithms: they
 * need no assumption about how runs scatter, hold for as few runs as there usually are, and one run that went astray
 * hardly moves them.
 */
package dev.msgrelay.loadgen.compare;
