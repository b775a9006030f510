/**
 * The article on sequential file IO.
 *
 * <pre>
 *  FilesExperiment -> FileLoop (times one way) -> SequentialFile (the four ways)
 *                                              -> Content (what a file is to hold, and the check that it does)
 * </pre>
 */
package dev.msgrelay.lab.files;
