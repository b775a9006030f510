/**
 * A report as one HTML file that needs nothing else: no network, no other file, no server. A {@link
 * dev.msgrelay.loadgen.page.Page} says what is on it, {@link dev.msgrelay.loadgen.page.HtmlWriter} writes it. Knows
 * nothing of what is reported.
 *
 * <pre>
 *  Page -> Section -> Table -> Row -> TableCell
 *                  -> Chart -> Series
 * </pre>
 *
 * Without scripts it is all there but the curves, and their figures are tables then. The curves are drawn by Chart.js,
 * which comes from the class path and is put into the file.
 */
package dev.msgrelay.loadgen.page;
