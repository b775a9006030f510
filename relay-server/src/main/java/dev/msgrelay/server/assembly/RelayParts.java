package dev.msgrelay.server.assembly;

import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.disk.FileDisk;
import dev.msgrelay.server.journal.disk.FirstWrite;
import dev.msgrelay.server.journal.disk.OwnFiles;
import dev.msgrelay.server.journal.format.EpochTable;
import dev.msgrelay.server.journal.recover.RecoveryProgress;
import dev.msgrelay.server.net.CongestionControl;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.stream.Orderer;
import dev.msgrelay.server.tls.TlsContext;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.Ticker;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a relay that are made before it listens. If one of them cannot be made, those before it are given back.
 *
 * @param congestion resolved for the transport
 * @param liveLoops number of loops that read or send the live stream: the first ones
 * @param loops not started yet; one more than those that are live sends from the journal, if there is one
 * @param tls null: there is no TLS
 * @param journal null: there is no journal
 * @param orderer null: the relay is alone, and makes the order itself
 */
public record RelayParts(
        Transport transport,
        CongestionControl congestion,
        int liveLoops,
        EngineLoop[] loops,
        RelayEngine engine,
        TlsContext tls,
        Journal journal,
        Orderer orderer) {
    private static final Logger LOG = LoggerFactory.getLogger("relay");

    /**
     * Makes the parts.
     *
     * @param system the files in which the system tells its limits
     * @param failure see {@link EngineAssembly}
     * @throws IOException as the start of a relay says
     */
    public static RelayParts make(
            RelayConfig config, SystemTree system, RecoveryProgress recovery, Consumer<Throwable> failure)
            throws IOException {
        MemoryPlan plan = MemoryPlan.of(config);
        plan.check(PlatformDependent.maxDirectMemory(), Runtime.getRuntime().maxMemory());
        MachineLimits.check(config, system).forEach(LOG::warn);
        try (Releases releases = new Releases()) {
            TlsContext tls = tls(config);
            releases.add(tls);
            Orderer orderer = ClusterProvider.joinIfAny(config);
            releases.add(orderer);
            long epoch = newEpoch();
            Journal journal = journal(config.journal(), config.access() != null, epoch, orderer, recovery);
            releases.add(journal);
            Transport transport = config.transport().resolve();
            CongestionControl congestion = congestion(config, transport, system);
            boolean auto = config.eventLoops() == RelayConfig.AUTO_EVENT_LOOPS;
            int live = auto ? autoLoops(Runtime.getRuntime().availableProcessors()) : config.eventLoops();
            int reading = live + config.readerLoops();
            EngineLoop[] loops =
                    loops(transport, live, reading, config.journal().on(), releases);
            EngineAssembly assembly = new EngineAssembly(
                            config,
                            new UnpooledByteBufAllocator(true),
                            Ticker.systemTicker(),
                            epoch,
                            new RelayIdentity(serverName(), config.stream().maxBody()),
                            failure,
                            Arrays.copyOf(loops, live))
                    .readers(Arrays.copyOfRange(loops, live, reading))
                    .journal(journal, journal == null ? null : loops[reading])
                    .orderer(orderer);
            RelayParts parts =
                    new RelayParts(transport, congestion, live, loops, build(assembly, plan), tls, journal, orderer);
            releases.handOver();
            return parts;
        }
    }

    private static CongestionControl congestion(RelayConfig config, Transport transport, SystemTree system) {
        CongestionControl resolved = config.congestion().resolve(transport, system.text(CongestionControl.ALLOWED));
        if (transport == Transport.EPOLL
                && config.congestion().local().equals(CongestionControl.AUTO)
                && resolved.local().equals(CongestionControl.SYSTEM)) {
            LOG.info("local congestion auto: the system gives neither cubic nor reno; local connections have its"
                    + " default, which halves their speed if that is bbr");
        }
        return resolved;
    }

    private static RelayEngine build(EngineAssembly assembly, MemoryPlan plan) throws IOException {
        try {
            return assembly.build();
        } catch (OutOfMemoryError e) {
            throw new IOException("cannot take " + plan.direct() + " bytes of direct memory: " + e.getMessage(), e);
        }
    }

    private static EngineLoop[] loops(Transport transport, int live, int reading, boolean replay, Releases releases) {
        EngineLoop[] loops = new EngineLoop[replay ? reading + 1 : reading];
        for (int i = 0; i < loops.length; i++) {
            String name = i < live ? "relay-loop-" + i : i < reading ? "relay-reader-" + (i - live) : "relay-replay";
            loops[i] = new EngineLoop(name, transport.ioHandler());
            releases.add(loops[i]::discard);
        }
        return loops;
    }

    public static int autoLoops(int cores) {
        return cores < 4 ? 1 : cores < 8 ? 2 : 3;
    }

    /** A random epoch, so that a relay that is started anew, here or elsewhere, never counts as the one before. */
    private static long newEpoch() {
        long epoch = new SecureRandom().nextLong();
        return epoch == 0 ? 1 : epoch;
    }

    private static String serverName() {
        String version = RelayParts.class.getPackage().getImplementationVersion();
        return version == null ? "relay" : "relay " + version;
    }

    /** Null: there is no TLS. */
    private static TlsContext tls(RelayConfig config) throws IOException {
        if (!config.tls().on()) {
            return null;
        }
        return new TlsContext(
                config.tls().files(),
                config.tls().provider(),
                config.clients().handshakeTimeout().toMillis(),
                config.tls().recordsPerKey());
    }

    /** Null: there is no journal. */
    private static Journal journal(
            JournalConfig config, boolean access, long epoch, Orderer orderer, RecoveryProgress recovery)
            throws IOException {
        if (!config.on()) {
            return null;
        }
        EpochTable others = orderer == null ? null : orderer.lives();
        FirstWrite.await(config.directory(), text -> LOG.warn("the relay {}", text));
        FileDisk disk = FileDisk.openOrCreate(config.directory());
        if (access) {
            OwnFiles.wide(config.directory()).ifPresent(wide -> LOG.warn("journal {}", wide));
        }
        return new JournalOpening(disk, config.settings(), epoch, System.currentTimeMillis(), others, recovery).open();
    }

    /**
     * Gives the parts back, in the order of an end.
     *
     * @param atTheEnd run between the end of all threads and that of the memory
     * @param journalFault told why not all of the stream is in the journal, where that was not known before
     */
    public void release(Runnable atTheEnd, Consumer<IOException> journalFault) throws InterruptedException {
        if (tls != null) {
            tls.closeConnections();
        }
        boolean stopped = true;
        for (EngineLoop loop : loops) {
            stopped &= loop.stop(1000);
        }
        try (Releases releases = new Releases()) {
            if (stopped) {
                // Only if all loops have ended: a loop that hangs may still touch this memory, which then stays until
                // the process ends.
                releases.add(engine::release);
            }
            releases.add(tls);
            releases.add(atTheEnd::run);
            releases.add(orderer);
            if (journal != null) {
                releases.add(() -> endJournal(journalFault));
            }
        }
    }

    /** Writes and forces the rest of the log in bounded time, then closes the journal. */
    private void endJournal(Consumer<IOException> fault) {
        boolean known = journal.failure().isPresent();
        try {
            journal.close();
        } catch (IOException e) {
            if (!known) {
                fault.accept(e);
            }
        }
    }

    /** Lets go of the log after a failure of the journal: the relay goes on in memory alone. */
    public void abandonJournal() {
        try {
            journal.abandon();
        } catch (IOException e) {
            LOG.warn("{}", e.getMessage());
        }
    }
}
