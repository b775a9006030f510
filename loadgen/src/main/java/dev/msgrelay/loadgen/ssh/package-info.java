/**
 * A second host: the load generator's own processes, started there by ssh, and the lane to it. {@code docs/second-host.md}
 * has it for users.
 *
 * <pre>
 *  here                                                    there
 *  SshHost      --- ssh: look, copy the jar, once ----&gt;    ~/.cache/relay-loadgen/loadgen-CHECKSUM.jar
 *  HostTalk     &lt;-- ssh: facts, clock, signals ------&gt;    HostMain: kills what it watches when the controller is gone
 *  SshProcess   &lt;-- ssh: stdin, stdout, stderr ------&gt;    a worker
 *  SshProcess   &lt;-- ssh ... -------------------------&gt;    a worker
 *  relay        &lt;========= the load, as it is ========&gt;    connections of the workers
 * </pre>
 *
 * The controller's thread; a thread for each process's output, and {@code HostTalk}'s own.
 */
package dev.msgrelay.loadgen.ssh;
