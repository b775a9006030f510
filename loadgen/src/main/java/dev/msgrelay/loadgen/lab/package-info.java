/**
 * The frame in which every experiment of the articles runs again: contestants in turn, rounds, spreads, findings.
 *
 * <pre>
 *  Experiment      one article's question: what it needs, its tables
 *    LabTable      columns, contestants (the rows), the article's figures, charts, and who judges
 *      Contestant  one go gives a Measurement, or a WrongResultException
 *  LabRun          runs experiments; Rounds runs one table: warm-up, then A B C A B C
 *  LabResult       what came of it: TableResult, RowResult, Figure, Finding
 *  Findings        sentences computed from figures
 * </pre>
 *
 * The experiments are the packages below; {@code output} shows results. One thread, the command's, runs it all; what
 * threads a contestant starts, it ends.
 */
package dev.msgrelay.loadgen.lab;
