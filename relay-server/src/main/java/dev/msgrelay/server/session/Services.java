package dev.msgrelay.server.session;

import dev.msgrelay.server.access.AccessControl;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.ops.Admission;
import dev.msgrelay.server.ops.CloseLog;
import dev.msgrelay.server.ops.Counters;
import io.netty.util.concurrent.Ticker;

/**
 * The services that all connections of a relay share.
 *
 * @param identity the relay, as clients are told of it
 * @param durability what of the stream outlives it
 * @param clients what clients may ask for
 * @param limits what they may cost
 * @param budget the memory that they may cause to be taken
 * @param admission how many there may be, of one address too
 * @param access who may do what
 * @param table who is connected
 * @param counters what is counted of them
 * @param closes counts and logs their ends
 * @param clock the time, of all that has a deadline
 */
public record Services(
        RelayIdentity identity,
        Durability durability,
        ClientConfig clients,
        LimitsConfig limits,
        MemoryBudget budget,
        Admission admission,
        AccessControl access,
        ConnectionTable table,
        Counters counters,
        CloseLog closes,
        Ticker clock) {}
