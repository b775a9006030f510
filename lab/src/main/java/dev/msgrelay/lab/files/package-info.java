/**
 * The article on sequential file IO.
 *
 * <pre>
 *  FilesExperiment -> Loop (times one way) -> SequentialFile (the four ways)
 *                                          -> Content (the bytes of a file, and the check that it has them)
 * </pre>
 *
 * All code runs on the experiment's thread.
 */
package dev.msgrelay.lab.files;
