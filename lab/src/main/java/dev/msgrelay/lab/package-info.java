/**
 * Experiments of articles, which are repeated on this machine: contestants in turn, rounds, spreads, claims and
 * verdicts.
 *
 * <pre>
 *  cli.LabMain     "loadgen lab": knows all experiments and options
 *  Experiment      one article's question: its needs, its tables
 *    LabTable      columns, contestants (the rows), the article's figures, claims and plots
 *      Contestant  one go gives a Measurement, or a WrongResultException
 *  Lab             runs and shows them: LabRun is the loop over rounds and contestants
 *  LabResult       TableResult with a figure for each row and column
 *    Claim         the article's words; its Verdict judges direction and size apart
 *  LabReport       the results as text, page and JSON
 * </pre>
 *
 * Each experiment is in a package of its own. The command's thread runs everything. A contestant ends the threads that
 * it starts.
 */
package dev.msgrelay.lab;
