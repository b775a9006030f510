/**
 * The article on asynchronous file channels.
 *
 * <pre>
 *  AsyncFilesExperiment -> Writes (times one way) -> RecordWriter (the ways to write small records, and the check)
 * </pre>
 *
 * The experiment's thread; channels answer on threads of their own.
 */
package dev.msgrelay.lab.asyncfiles;
