/**
 * Tables, bars and curves for people. Knows nothing of what is reported.
 *
 * <pre>
 *  Table -- TextTable --> lines for a terminal
 *
 *  Page -> Section -> Table -> Column, Value
 *                  -> Chart -> Axis, Series
 *       -- HtmlPage   -> one HTML file that needs nothing else: no network, no other file, no server
 *  results' JSON -- HtmlPage -> the same: its script makes the sections
 * </pre>
 *
 * {@link dev.msgrelay.loadgen.render.Unit} makes numbers readable, in all of them. The curves are drawn by Chart.js, which comes from the class path and is
 * put into the file. Immutable, or one thread's own.
 */
package dev.msgrelay.loadgen.render;
