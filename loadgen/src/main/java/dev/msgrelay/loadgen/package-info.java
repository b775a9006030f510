/**
 * The load generator: publishers, something in the middle, subscribers, each a process of its own, and what came of it.
 *
 * <pre>
 *  cli        the commands                                          (picocli; nothing is measured here)
 *  shootout   lanes and loads against each other, rounds, searches  (controller's thread)
 *  lab        the articles' experiments, a package for each         (command's thread, processes where it says so)
 *  bench      cases, rounds, ceilings, medians                      (controller's thread)
 *  run        one run: children, middle, window, verdict            (controller's thread)
 *  bound      what a run was bound by: samples of /proc, a table    (a sampling thread; the table is pure)
 *  worker     what the children do: publish, subscribe, check       (processes of their own)
 *  site       where processes live: this host, another place        (starts JVMs)
 *  lane       what lies between two sites, real or emulated         (controller's thread)
 *  agent      a second host's processes, for one controller         (threads of its own)
 *  plain      the two ceilings' processes: plain relay, pre-packed  (processes of their own)
 *  inprocess  a relay with its publishers in one process            (a process of its own)
 *  load       what is sent: message, sizes, packing, checks, skew   (no sockets, no clock)
 *  link       what a link could give                                (arithmetic only)
 *  host       what the system tells of itself: /proc, /sys, tools   (reads, changes nothing)
 *  doctor     findings about this machine                           (command's thread)
 *  measure    core-to-core hop, CPU and memory of processes, machine
 *  result     what a shootout gave, its files and its page          (immutable values)
 *  compare    two results against each other, with uncertainty      (arithmetic only)
 *  page       a report as one HTML file                             (knows nothing of what it shows)
 *  report     tables, JSON, the progress line
 * </pre>
 *
 * Publishers and subscribers do not know what lies between them. Whatever two things are compared, only that middle is
 * another one.
 */
package dev.msgrelay.loadgen;
