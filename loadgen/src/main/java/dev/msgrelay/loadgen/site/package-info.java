/**
 * Where the processes of a run live: on this host, in a network namespace of it, on another host. A site starts JVMs and
 * says at which address what listens there is reached; nothing here knows what the JVMs do.
 */
package dev.msgrelay.loadgen.site;
