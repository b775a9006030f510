/**
 * Results for people: on a terminal, as a page and as files.
 *
 * <pre>
 *  Results -- Tables --> ResultsText  a terminal
 *                    --> ResultsPage  report.html: bars, tables, Curves
 *          -- RunTable               one run in 15 lines
 *          -- ResultFiles            results.json, report.html
 * </pre>
 *
 * The command's thread.
 */
package dev.msgrelay.loadgen.report;
