/**
 * Results for people: on a terminal and as files.
 *
 * <pre>
 *  Results -- RunText      one run in 15 lines
 *          -- ResultsText  lanes beside each other: LaneSummary first, then further tables and remarks
 *  two     -- DiffText     what differs between them, and what may be compared
 *          -- ResultFiles  results.json, and report.html, which draws itself from the same JSON
 * </pre>
 *
 * The command's thread.
 */
package dev.msgrelay.loadgen.report;
