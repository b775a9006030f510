/**
 * The article on asynchronous file channels: ways to write small records, each a short {@code RecordWriter}; {@code WriteGo}
 * times one of them, {@code Records} says what a file is to hold.
 */
package dev.msgrelay.loadgen.lab.asyncfiles;
