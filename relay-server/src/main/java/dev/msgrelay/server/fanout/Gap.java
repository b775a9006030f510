package dev.msgrelay.server.fanout;

import dev.msgrelay.protocol.GapReason;

/**
 * Messages that a subscriber does not get.
 *
 * @param from number of the first of them
 * @param to number of the last of them
 */
record Gap(long from, long to, GapReason reason) {}
