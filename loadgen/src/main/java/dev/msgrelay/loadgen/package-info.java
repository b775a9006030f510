/**
 * The load generator: it starts publishers, a relay and subscribers as separate processes, and measures them.
 *
 * <pre>
 *  cli        the commands                                          (picocli; nothing is measured here)
 *  experiment runs in alternation, comparisons                      (controller's thread)
 *  rig        one run: processes, contestant, window, verdict       (controller's thread)
 *  worker     the processes that publish, subscribe and check       (processes of their own)
 *  plan       the records sent to these processes and back          (JSON lines)
 *  message    content of messages, and their checks                 (no sockets, no clock)
 *  lane       the network between two sites, real or emulated       (controller's thread)
 *  evidence   the bottleneck of a run: samples of /proc, rules      (a sampling thread; the rules are pure)
 *  host       facts of the system: /proc, /sys, tools; core hop     (reads, changes nothing)
 *  result     results: records, and their JSON                      (immutable values)
 *  report     results for people: text, page, files; progress       (no figures of its own)
 *  render     tables for a terminal, HTML pages                     (independent of what it shows)
 * </pre>
 *
 * A contestant connects publishers to subscribers: a relay, for example. All contestants get the same publishers and
 * subscribers, so that two results differ only by the contestant.
 */
package dev.msgrelay.loadgen;
