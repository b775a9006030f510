package dev.msgrelay.server.connection;

/**
 * The relay, as it presents itself to its clients.
 *
 * @param server name and version
 * @param maxBody longest body of a message in bytes
 * @param ports its ports, for clients at the wrong one
 */
public record RelayIdentity(String server, int maxBody, Ports ports) {}
