/**
 * The article on asynchronous file channels.
 *
 * <pre>
 *  AsyncFilesExperiment -> WriteGo (times one way) -> RecordWriter (the ways to write small records)
 *                                                  -> Records (what a file is to hold, and the check that it does)
 * </pre>
 *
 * The experiment's thread; channels answer on threads of their own.
 */
package dev.msgrelay.lab.asyncfiles;
