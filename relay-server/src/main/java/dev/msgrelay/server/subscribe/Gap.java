package dev.msgrelay.server.subscribe;

import dev.msgrelay.protocol.GapReason;

/** The messages that a subscriber does not get, from the first to the last of them. */
record Gap(long from, long to, GapReason reason) {}
