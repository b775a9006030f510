/**
 * Tables and pages for people. Knows nothing of what is reported.
 *
 * <pre>
 *  Table -- TextTable --> lines for a terminal
 *
 *  results' JSON, or a page of the lab -- HtmlPage -> one HTML file that needs nothing else: no network, no server
 * </pre>
 *
 * {@link dev.msgrelay.loadgen.render.Unit} makes numbers readable, in all of them. Curves are drawn by plot.js of the
 * relay's own page. Immutable, or one thread's own.
 */
package dev.msgrelay.loadgen.render;
