/**
 * Where the processes of a run live: on this host, in a network namespace of it. A site starts JVMs and
 * says at which address what listens there is reached; nothing here knows what the JVMs do.
 *
 * <pre>
 *  Site ---- HostSite           this host
 *       '--- a lane's sites     a network namespace
 *     starts a JVM --&gt; its stdin, stdout, stderr
 * </pre>
 *
 * The controller's thread.
 */
package dev.msgrelay.loadgen.site;
