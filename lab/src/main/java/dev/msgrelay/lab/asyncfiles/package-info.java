/**
 * The article on asynchronous file channels.
 *
 * <pre>
 *  AsyncFilesExperiment -> Writes (times one way)  -> RecordWriter (the ways to write small records)
 *                                                  -> Records (the records of a file, and the check that it has them)
 * </pre>
 *
 * The experiment's thread; channels answer on threads of their own.
 */
package dev.msgrelay.lab.asyncfiles;
