/** The command {@code loadgen lab}: its options, and which experiments there are. One thread, the command's. */
package dev.msgrelay.lab.cli;
