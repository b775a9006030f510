/**
 * Results for people: on a terminal and as files.
 *
 * <pre>
 *  Results -- RunText      one run in some 20 lines
 *          -- ResultsText  several lanes: LaneSummary first, then details and remarks
 *  two     -- DiffText     their differences, and which figures may be compared
 *          -- ResultFiles  results.json, and report.html, which draws itself from the same JSON
 * </pre>
 *
 * All code runs on the command's thread.
 */
package dev.msgrelay.loadgen.report;
