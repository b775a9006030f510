package dev.msgrelay.server.session;

/**
 * What a relay tells its clients of itself.
 *
 * @param epoch tells its stream from that of another start; never 0
 * @param server name and version
 * @param maxBody longest body of a message in bytes
 */
public record RelayIdentity(long epoch, String server, int maxBody) {}
