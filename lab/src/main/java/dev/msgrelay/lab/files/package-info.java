/**
 * The article on sequential file IO.
 *
 * <pre>
 *  FilesExperiment -> FileLoop (times one way) -> SequentialFile (the four ways)
 *                                              -> Content (what a file is to hold, and the check that it does)
 * </pre>
 *
 * The experiment's thread.
 */
package dev.msgrelay.lab.files;
