/**
 * Tables and pages for people. This package does not depend on what is reported.
 *
 * <pre>
 *  Table -- TextTable --> lines for a terminal
 *
 *  results' JSON, or a page of the lab -- HtmlPage -> one HTML file that needs nothing else: no network, no server
 * </pre>
 *
 * {@link dev.msgrelay.loadgen.render.Unit} formats the numbers in all of them. Curves are drawn by plot.js of the
 * relay's own page. All objects are immutable, or used by one thread.
 */
package dev.msgrelay.loadgen.render;
