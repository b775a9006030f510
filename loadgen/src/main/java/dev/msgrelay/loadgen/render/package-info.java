/**
 * Tables, bars and curves for people. Knows nothing of what is reported.
 *
 * <pre>
 *  Table -- TextTable --> lines for a terminal
 *        -- HtmlWriter -> one HTML file that needs nothing else: no network, no other file, no server
 *
 *  Page -> Section -> Bars  -> Group -> Bar
 *                  -> Table -> Column, Value
 *                  -> Chart -> Axis, Series
 * </pre>
 *
 * {@link dev.msgrelay.loadgen.render.Unit} makes numbers readable, in all of them. Without scripts a page is all there but
 * the curves, and their figures are tables then. The curves are drawn by Chart.js, which comes from the class path and is
 * put into the file. Immutable, or one thread's own.
 */
package dev.msgrelay.loadgen.render;
