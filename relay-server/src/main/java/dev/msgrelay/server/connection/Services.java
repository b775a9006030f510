package dev.msgrelay.server.connection;

import dev.msgrelay.server.access.AccessControl;
import dev.msgrelay.server.config.ClientConfig;
import dev.msgrelay.server.config.LimitsConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.figures.CloseLog;
import dev.msgrelay.server.figures.Counters;
import dev.msgrelay.server.memory.MemoryBudget;
import io.netty.util.concurrent.Ticker;
import java.util.Optional;

/**
 * The services that all connections of a relay share.
 *
 * @param clients time-outs, policies and numbers of clients
 * @param limits how much memory, time and connections a client or an address may use
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
        Ticker clock) {
    public static Services of(
            RelayIdentity identity, Durability durability, RelayConfig config, MemoryBudget budget, Ticker clock) {
        Counters counters = new Counters();
        return new Services(
                identity,
                durability,
                config.clients(),
                config.limits(),
                budget,
                new Admission(config.clients(), config.limits()),
                new AccessControl(Optional.ofNullable(config.access())),
                new ConnectionTable(),
                counters,
                new CloseLog(counters),
                clock);
    }
}
