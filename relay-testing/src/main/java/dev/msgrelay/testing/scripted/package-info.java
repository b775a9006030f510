/**
 * A relay that does what a test says, for the tests of clients, in Java by {@link
 * dev.msgrelay.testing.scripted.ScriptedRelay} and in any language by {@code bin/relay-fake}; and the conformance kit,
 * {@code bin/relay-conformance}, which drives a client of any language through the same cases.
 */
package dev.msgrelay.testing.scripted;
