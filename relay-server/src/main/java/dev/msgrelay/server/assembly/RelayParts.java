package dev.msgrelay.server.assembly;

import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.host.SystemTree;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalOpening;
import dev.msgrelay.server.journal.JournalSettings;
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
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a relay that are made before it listens. If a part cannot be made, the parts before it are released.
 *
 * @param congestion congestion control, resolved for the transport
 * @param liveLoops number of loops, the first ones, that order and send the live stream; reader loops follow them
 * @param loops not started yet; with a journal, the last one sends the journal
 * @param orderer that of a cluster; if empty, the core makes the order
 */
public record RelayParts(
        Transport transport,
        CongestionControl congestion,
        int liveLoops,
        EngineLoop[] loops,
        RelayEngine engine,
        Optional<TlsContext> tls,
        Optional<Journal> journal,
        Optional<Orderer> orderer) {
    private static final Logger LOG = LoggerFactory.getLogger("relay");
    private static final long LOOK_NANOS = 1_000_000;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /** Makes the parts. Throws what the start of a relay throws. {@code failure} is as in {@link EngineAssembly}. */
    public static RelayParts make(
            RelayConfig config, SystemTree system, RecoveryProgress recovery, Consumer<Throwable> failure)
            throws IOException {
        MemoryPlan plan = MemoryPlan.of(config);
        plan.check(PlatformDependent.maxDirectMemory(), Runtime.getRuntime().maxMemory());
        MachineLimits.check(config, system).forEach(LOG::warn);
        try (Releases releases = new Releases()) {
            Optional<TlsContext> tls = tls(config);
            tls.ifPresent(releases::add);
            Optional<Orderer> orderer = ClusterProvider.joinIfAny(config);
            orderer.ifPresent(releases::add);
            long epoch = newEpoch();
            Optional<Journal> journal = journal(config, epoch, orderer, recovery);
            journal.ifPresent(releases::add);
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
                    .journal(journal, journal.map(kept -> loops[reading]))
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

    /** A random epoch, so that clients do not confuse the next relay at this address with this one. */
    private static long newEpoch() {
        long epoch = new SecureRandom().nextLong();
        return epoch == 0 ? 1 : epoch;
    }

    private static String serverName() {
        String version = RelayParts.class.getPackage().getImplementationVersion();
        return version == null ? "relay" : "relay " + version;
    }

    private static Optional<TlsContext> tls(RelayConfig config) throws IOException {
        if (!config.tls().on()) {
            return Optional.empty();
        }
        return Optional.of(new TlsContext(
                config.tls().files(),
                config.tls().provider(),
                config.clients().handshakeTimeout().toMillis(),
                config.tls().recordsPerKey()));
    }

    private static Optional<Journal> journal(
            RelayConfig config, long epoch, Optional<Orderer> orderer, RecoveryProgress recovery) throws IOException {
        if (!config.journal().on()) {
            return Optional.empty();
        }
        Path directory = config.journal().directory();
        FirstWrite.await(directory, text -> LOG.warn("the relay {}", text));
        FileDisk disk = FileDisk.openOrCreate(directory);
        if (config.access() != null) {
            OwnFiles.wide(directory).ifPresent(wide -> LOG.warn("journal {}", wide));
        }
        JournalSettings settings = config.journal().settings();
        EpochTable others = orderer.map(Orderer::lives).orElse(null);
        return Optional.of(
                new JournalOpening(disk, settings, epoch, System.currentTimeMillis(), others, recovery).open());
    }

    /** Ends all connections, in steps of bounded time. The threads continue to run. */
    public void drain(Entrances entrances, Duration drainTimeout) {
        int millis = (int) Math.min(Integer.MAX_VALUE, drainTimeout.toMillis());
        // 1. No new connections.
        entrances.close();
        // 2. Subscribers that said HELLO get GOAWAY, and still get the stream.
        engine.sayGoAway(millis);
        // 3. No more input from publishers, of this process or other ones. Bytes still in sockets are not read.
        engine.stopReading(millis);
        // 4. Subscribers get the rest of the stream.
        await(onCore(engine::drained), drainTimeout);
        // 5. Every client gets the reason why its connection is closed.
        engine.closeConnections();
        await(() -> engine.services().table().allGone(), CLOSE_TIMEOUT);
    }

    /** Returns the core's last answer to a question, which is asked again after each answer; false before the first. */
    private BooleanSupplier onCore(BooleanSupplier question) {
        AtomicBoolean asked = new AtomicBoolean();
        AtomicBoolean answer = new AtomicBoolean();
        return () -> {
            // Only one question at a time, since questions would pile up if the core hangs.
            if (asked.compareAndSet(false, true)) {
                engine.core().io().execute(() -> {
                    answer.set(question.getAsBoolean());
                    asked.set(false);
                });
            }
            return answer.get();
        };
    }

    private static void await(BooleanSupplier done, Duration atMost) {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!done.getAsBoolean() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /**
     * Releases the parts, in the order in which they have to end.
     *
     * @param atTheEnd runs after the end of all threads, and before the memory is released
     * @param journalFault called if the end of the stream cannot be written to a journal that has not failed before
     */
    public void release(Runnable atTheEnd, Consumer<IOException> journalFault) throws InterruptedException {
        tls.ifPresent(TlsContext::closeConnections);
        boolean stopped = true;
        for (EngineLoop loop : loops) {
            stopped &= loop.stop(1000);
        }
        try (Releases releases = new Releases()) {
            releases.add(stopped ? engine::release : this::releaseLater);
            tls.ifPresent(releases::add);
            releases.add(atTheEnd::run);
            orderer.ifPresent(releases::add);
            journal.ifPresent(kept -> releases.add(() -> endJournal(kept, journalFault)));
        }
    }

    /** Gives the memory back when all loops have ended. One that hangs may still use it, and nobody waits for that. */
    private void releaseLater() {
        Thread later = new Thread(
                () -> {
                    try {
                        for (EngineLoop loop : loops) {
                            loop.awaitEnd();
                        }
                        engine.release();
                    } catch (InterruptedException e) {
                        // The memory stays until the process ends.
                        Thread.currentThread().interrupt();
                    }
                },
                "relay-late-release");
        later.setDaemon(true);
        later.start();
    }

    /** Writes and forces the rest of the log in bounded time, then closes the journal. */
    private static void endJournal(Journal journal, Consumer<IOException> fault) {
        boolean known = journal.failure().isPresent();
        try {
            journal.close();
        } catch (IOException e) {
            if (!known) {
                fault.accept(e);
            }
        }
    }

    /** Makes a failed journal stop reading the log, so that the relay goes on in memory alone. */
    public void abandonJournal() {
        try {
            journal.orElseThrow().abandon();
        } catch (IOException e) {
            LOG.warn("{}", e.getMessage());
        }
    }
}
