/**
 * The load generator: publishers, something in the middle, subscribers, each a process of its own, and what came of it.
 *
 * <pre>
 *  cli        the commands: run, calibrate, bench, doctor, ceiling  (picocli; nothing is measured here)
 *  bench      cases, rounds, ceilings, medians                      (controller's thread)
 *  run        one run: children, middle, window, verdict            (controller's thread)
 *  worker     what the children do: publish, subscribe, check       (processes of their own)
 *  site       where processes live: this host, another place        (starts JVMs)
 *  plain      the two ceilings' processes: plain relay, pre-packed  (processes of their own)
 *  inprocess  a relay with its publishers in one process            (a process of its own)
 *  load       what is sent: message, packing, schedule, checks      (no sockets, no clock)
 *  link       what a link could give                                (arithmetic only)
 *  host       what the system tells of itself: /proc, /sys, tools   (reads, changes nothing)
 *  doctor     findings about this machine                           (command's thread)
 *  measure    core-to-core hop, CPU and memory of processes, machine
 *  report     tables, JSON, the progress line
 * </pre>
 *
 * Publishers and subscribers do not know what lies between them. Whatever two things are compared, only that middle is
 * another one.
 */
package dev.msgrelay.loadgen;
