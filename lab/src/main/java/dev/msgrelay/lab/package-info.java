/**
 * The articles' experiments, run again: contestants in turn, rounds, spreads, claims and what became of them.
 *
 * <pre>
 *  cli.LabMain     "loadgen lab": the experiments as commands; LabOptions is what all of them can be told
 *  Experiment      one article's question: what it needs, its tables
 *    LabTable      columns, contestants (the rows), the article's figures, claims and plots
 *      Contestant  one go gives a Measurement, or a WrongResultException
 *  Lab             runs and shows them: LabRun has a table's goes measured by loadgen's engine
 *  LabResult       what came of it: TableResult with a figure for each row and column
 *    Claim         what the article says; its Verdict judges direction and size apart
 *  LabReport       all that as text, page and JSON
 * </pre>
 *
 * The experiments are the packages below, and only {@code cli} knows them all. One thread, the command's, runs it all;
 * what threads a contestant starts, it ends.
 */
package dev.msgrelay.lab;
