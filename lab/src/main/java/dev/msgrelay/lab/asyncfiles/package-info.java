/**
 * The article on asynchronous file channels.
 *
 * <pre>
 *  AsyncFilesExperiment -> Writes (times one way) -> RecordWriter (the ways to write small records, and the check)
 * </pre>
 *
 * All code runs on the experiment's thread, and the callbacks on threads of the channels.
 */
package dev.msgrelay.lab.asyncfiles;
