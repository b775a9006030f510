/**
 * The load generator: publishers, something in the middle, subscribers, each a process of its own, and what came of it.
 *
 * <pre>
 *  cli        the commands                                          (picocli; nothing is measured here)
 *  experiment cells measured in turn, which of their runs count     (controller's thread)
 *  shootout   lanes and loads: their cells, ceilings                (controller's thread)
 *  run        one run: children, contestant, window, verdict            (controller's thread)
 *  bound      what a run was bound by: samples of /proc, a table    (a sampling thread; the table is pure)
 *  worker     what the children do: publish, subscribe, check       (processes of their own)
 *  site       where processes live: this host, a namespace         (starts JVMs)
 *  lane       what lies between two sites, real or emulated         (controller's thread)
 *  plain      what relays are held against                          (processes of their own)
 *  load       what is sent: message, sizes, packing, checks         (no sockets, no clock)
 *  link       what a link could give                                (arithmetic only)
 *  host       what the system tells: /proc, /sys, tools; core hop   (reads, changes nothing)
 *  doctor     findings about this machine                           (command's thread)
 *  result     what was measured: records, and their JSON            (immutable values)
 *  compare    two of a kind against each other, with uncertainty    (arithmetic; relays in turn)
 *  report     results for people: text, page, files; progress       (no figures of its own)
 *  render     tables, bars, curves: terminal, HTML                  (knows nothing of what it shows)
 * </pre>
 *
 * Publishers and subscribers do not know what lies between them. Whatever two things are compared, only that contestant is
 * another one.
 */
package dev.msgrelay.loadgen;
