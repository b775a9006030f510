/**
 * The article on synchronizing file writes: its event logs, each a short {@code EventLog}, and one on the Disruptor. {@code
 * EventLogGo} lets {@code BurstThread}s write into one of them; {@code EventFile} reads it back and compares {@code
 * EventTally} with {@code EventTally}.
 */
package dev.msgrelay.loadgen.lab.eventlog;
