package dev.msgrelay.loadgen.host;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One network interface, as the system tells of it.
 *
 * @param state one word: up, down, unknown, ...
 * @param mtu in bytes; empty where the system does not tell
 * @param megabitsPerSecond the link's speed in each direction; empty where the system does not tell, as most virtual
 *     interfaces do not
 * @param duplex full or half, where it is known
 */
public record NetInterface(
        String name,
        boolean up,
        boolean loopback,
        String state,
        OptionalInt mtu,
        OptionalLong megabitsPerSecond,
        Optional<String> duplex) {}
