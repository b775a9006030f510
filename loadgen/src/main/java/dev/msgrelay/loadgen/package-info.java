/**
 * The load generator: publishers, something in the middle, subscribers, each a process of its own, and what came of it.
 *
 * <pre>
 *  cli        the commands                                            (picocli; nothing is measured here)
 *  experiment cells measured in turn, and one side against another    (controller's thread)
 *  rig        one run: children, contestant, window, verdict          (controller's thread)
 *  worker     what the children do: publish, subscribe, check         (processes of their own)
 *  plan       the records that go to the children and come back       (JSON lines)
 *  message    what is sent, and whether it came                       (no sockets, no clock)
 *  lane       what lies between the two sites, real or emulated       (controller's thread)
 *  evidence   what a run was bound by: samples of /proc, a table      (a sampling thread; the table is pure)
 *  host       what the system tells: /proc, /sys, tools; core hop     (reads, changes nothing)
 *  result     what was measured: records, and their JSON              (immutable values)
 *  report     results for people: text, page, files; progress         (no figures of its own)
 *  render     tables, bars, curves: terminal, HTML                    (knows nothing of what it shows)
 * </pre>
 *
 * Publishers and subscribers do not know what lies between them. Whatever two things are compared, only that contestant
 * is another one.
 */
package dev.msgrelay.loadgen;
