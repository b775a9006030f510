package dev.msgrelay.simulation;

import static dev.msgrelay.server.config.RelayOption.*;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Features;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.ProducerId;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.server.LocalPublishers;
import dev.msgrelay.server.Sessions;
import dev.msgrelay.server.assembly.EngineAssembly;
import dev.msgrelay.server.assembly.RelayEngine;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.config.StreamConfig;
import dev.msgrelay.server.connection.EngineLoop;
import dev.msgrelay.server.connection.RefusedConnection;
import dev.msgrelay.server.connection.RelayIdentity;
import dev.msgrelay.server.connection.Session;
import dev.msgrelay.server.figures.ConnectionRow;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.figures.RelayStats;
import dev.msgrelay.server.journal.Journal;
import dev.msgrelay.server.journal.JournalException;
import dev.msgrelay.server.journal.SimDisk;
import dev.msgrelay.server.journal.read.BlockReader;
import dev.msgrelay.server.memory.MemoryBudget.Kind;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import dev.msgrelay.server.publish.PublisherConnection;
import dev.msgrelay.server.state.StateIndex;
import dev.msgrelay.server.subscribe.SendGroup;
import dev.msgrelay.server.subscribe.SubscriberConnection;
import dev.msgrelay.testing.ThisMachine;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * One run: a relay's engine, clients of every kind, and faults, all from one seed.
 *
 * <pre>
 *   step:  a loop goes round | a client does something | time passes | a client connects -> checks of what must hold
 *   end:   faults stop, everybody does what is right -> nothing is owed -> the relay ends -> no byte is left
 *
 *   with a journal:  step  |  one of its threads does something  |  the relay ends, or the machine  ->  the next life
 * </pre>
 */
final class Simulation {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int ROUNDS = 2_000;
    private static final int CYCLES_PER_ROUND = 400;
    private static final int CYCLES_PER_END = 4;
    private static final int MOST_CONNECTIONS = 24;
    /** Handshakes take longer than steps. */
    private static final int SEEDS_PER_TLS = 10;
    /** Starting anew takes longer, too. */
    private static final int SEEDS_PER_JOURNAL = 20;

    private static final int FIRST_OF_JOURNAL = 4;
    /** All of it is read again in each life. */
    private static final int MOST_VOLUME = 4;

    private static final int MOST_BYTES = 6 << 20;

    private static final long FIRST_EPOCH = 0x5EED;
    private static final long NO_EPOCH = 77;
    /** Those that a subscriber may ask for; the relay grants no other one. */
    private static final List<Policy> POLICIES = List.copyOf(EnumSet.range(Policy.RELAY_DEFAULT, Policy.REPLAY));

    private static final List<Policy> POLICIES_WITH_STATE = List.copyOf(EnumSet.allOf(Policy.class));

    private static final Set<Counter> NOTHING_LEFT = EnumSet.of(
            Counter.PUBLISHERS,
            Counter.SUBSCRIBERS,
            Counter.RING_USED_CELLS,
            Counter.LOCAL_PUBLISHERS,
            Counter.ASSEMBLY_WAITING);

    /** No address of any host, so that nobody asks this one's interfaces for long. */
    private static final InetSocketAddress LOCAL = new InetSocketAddress("203.0.113.1", 7400);

    final World world;
    private final RelayConfig config;
    private final StreamModel model;
    private final Lives lives;
    private final List<Producer> producers;
    // Of subscribers that were there when a relay ended.
    private final List<SimSubscriber.Resumed> resumed = new ArrayList<>();

    // What this run is like.
    private final int cycleWeight;
    private final int timeWeight;
    private final int subscriberKinds;
    private final int publisherKinds;
    private final int patience;
    private final int localPublishers;
    private final int localWeight;
    // Null: it has none.
    private final TlsPort tls;
    private final SimJournal journal;
    private final int loopCount;
    private final int readerCount;
    // Steps that a relay with a journal lives for, more or less.
    private final int lifespan;

    // Of one life of the relay: see begin.
    private UnpooledByteBufAllocator allocator;
    // Those that read and send, those that read only, and with a journal that of its replays.
    private final List<SimLoop> loops;
    private RelayEngine engine;
    private LocalPublishers publishers;
    private final List<Peer> peers = new ArrayList<>();
    private final List<SimPublisher> gone = new ArrayList<>();
    private final List<LocalPeer> locals = new ArrayList<>();
    private int before;
    private int connected;
    private Map<CloseReason, Long> closes;
    private RelayStats lastStats;
    private boolean ending;
    private boolean journalEnded;
    private boolean withoutJournal;

    private int channels;

    Simulation(long seed) {
        world = new World(seed);
        loopCount = world.oneOf(1, 1, 1, 2, 2, 3, 3);
        readerCount = world.oneOf(0, 0, 1, 2);
        boolean journaled =
                ThisMachine.isSet("sim.journal") || Math.floorMod(seed, SEEDS_PER_JOURNAL) == FIRST_OF_JOURNAL;
        boolean secured =
                !journaled && (ThisMachine.isSet("sim.tls") || Math.floorMod(seed, SEEDS_PER_TLS) == SEEDS_PER_TLS - 1);
        if (journaled) {
            world.atMost(MOST_VOLUME, MOST_BYTES);
        }
        RelayConfig.Builder drawn = config(loopCount);
        config = (secured ? withTls(drawn) : journaled ? withJournal(drawn) : drawn).build();
        world.config = config;
        tls = secured ? new TlsPort(world) : null;
        loops = world.loops;
        producers = world.producers;
        world.lives = lives = new Lives(world);
        world.journal =
                journal = journaled ? new SimJournal(world, config.journal().settings(), this::meanwhile) : null;
        lifespan = journaled ? world.oneOf(100, 300, 1000) : 0;
        world.model = model = new StreamModel(world);
        cycleWeight = world.between(30, 70);
        timeWeight = world.between(1, 8);
        world.malicious = world.onceIn(3);
        subscriberKinds = world.between(1, 7);
        publisherKinds = world.between(1, 3);
        patience = world.oneOf(2, 5, 20);
        localPublishers = world.oneOf(0, 0, 1, 2);
        localWeight = world.oneOf(3, 3, 30);
        begin();
        int names = (publisherKinds & 2) != 0 || journaled ? world.between(1, 3) : 0;
        for (int i = 0; i < names; i++) {
            boolean contested = world.onceIn(3);
            for (int k = contested ? 2 : 1; k > 0; k--) {
                producers.add(new Producer(
                        "name-" + i,
                        new ProducerId(world.nextLong(), world.nextLong() | 1),
                        model.newSource(size()),
                        contested,
                        world.onceIn(8) ? world.between(1, 200) : 0,
                        journaled && !world.onceIn(4) ? level() : null));
            }
        }
    }

    private Level level() {
        return world.oneOf(List.of(Level.values()));
    }

    /** A life of the relay: without a journal there is one. */
    private void begin() {
        allocator = new UnpooledByteBufAllocator(true, true);
        int live = loopCount + readerCount;
        loops.clear();
        EngineLoop[] engineLoops = new EngineLoop[live + 1];
        for (int i = 0; i < (journal == null ? live : live + 1); i++) {
            engineLoops[i] = new SimLoop(world).loop;
        }
        long epoch = lives.count() == 0 ? FIRST_EPOCH : world.nextLong() | 1;
        Journal opened = journal == null ? null : journal.open(epoch);
        before = opened == null ? 0 : (int) opened.goesOnAt().sequence() - 1;
        engine = new EngineAssembly(
                        config,
                        allocator,
                        world.clock,
                        epoch,
                        new RelayIdentity("simulated", config.stream().maxBody()),
                        this::engineFailed,
                        Arrays.copyOf(engineLoops, loopCount))
                .readers(Arrays.copyOfRange(engineLoops, loopCount, live))
                .journal(Optional.ofNullable(opened), Optional.ofNullable(engineLoops[live]))
                .build();
        publishers = new LocalPublishers(engine, config.stream().maxBody());
        model.goesOn(engine.log(), before);
        lives.begin(epoch, before, engine.services().durability());
        producers.forEach(Producer::relayBegins);
        connected = 0;
        closes = Map.of();
        lastStats = null;
        ending = false;
        world.draining = false;
        journalEnded = false;
        withoutJournal = false;
        for (int i = 0; i < localPublishers && model.hasRoomForSources(); i++) {
            locals.add(new LocalPeer(world, publishers.next(), model.newSource(size())));
        }
        loops.get(0).beforeSleep = () -> {
            if (!locals.isEmpty() && world.onceIn(3)) {
                world.oneOf(locals).act();
            }
        };
    }

    /** Segments are short, so that there are many; what does not fit into one is refused. */
    private RelayConfig.Builder withJournal(RelayConfig.Builder drawn) {
        StreamConfig stream = drawn.build().stream();
        int longest = Math.max(stream.maxBody() + 8, stream.packetBytes());
        int segment = Math.max(16 << 10, longest / 3 * 4 + 8) * world.oneOf(1, 2, 4);
        drawn.set(JOURNAL, Path.of("simulated"))
                .set(JOURNAL_SEGMENT, segment)
                .set(JOURNAL_FORCE, Duration.ofMillis(world.oneOf(1, 50, 1000)))
                .set(JOURNAL_FAILURE, world.onceIn(2) ? JournalConfig.Failure.EXIT : JournalConfig.Failure.MEMORY);
        drawn.set(ALLOW_POLICIES, EnumSet.range(Policy.DISCONNECT, Policy.LATEST))
                .set(SLOW_SUBSCRIBER, world.onceIn(3) ? Policy.REPLAY : Policy.DISCONNECT)
                .set(REPLAY_SIZE, (BlockReader.PAGE_BYTES + stream.maxBody() + 8) * world.oneOf(1, 2, 4));
        return switch (world.below(3)) {
            case 0 -> drawn.set(JOURNAL_KEEP, JournalConfig.UNLIMITED);
            case 1 -> drawn.set(JOURNAL_KEEP, (long) segment * world.between(2, 8));
            default -> drawn.set(JOURNAL_KEEP_TIME, Duration.ofMillis(world.oneOf(1, 1000, 100_000)));
        };
    }

    private RelayConfig.Builder withTls(RelayConfig.Builder drawn) {
        return drawn.set(TLS_FILES, TlsPort.FILES)
                .set(TLS_SIZE, world.oneOf(1 << 20, 4 << 20))
                .set(TLS_RECORDS, (long) world.oneOf(50, 500, 1 << 20, 1 << 20));
    }

    private RelayConfig.Builder config(int loopCount) {
        int maxBody = world.oneOf(100, 1000, 20_000, 100_000, 300_000, 1 << 20);
        int frame = maxBody + 8;
        int log = Math.max(3 << 20, maxBody == 1 << 20 ? 6 << 20 : 3 << 20);
        Set<Policy> policies = EnumSet.of(Policy.DISCONNECT, Policy.SKIP, Policy.BACKPRESSURE, Policy.LATEST);
        int heartbeat = world.oneOf(100, 500, 5000);
        return RelayConfig.builder()
                .set(MTU, world.oneOf(576, 1500, 9000))
                .set(MAX_BODY, maxBody)
                .set(STATE, world.onceIn(2) ? 0 : (int) StateIndex.leastSize(maxBody) + world.skewed(1 << 20))
                .set(CONFLATE_AFTER, world.oneOf(1 << 10, 64 << 10, 256 << 10))
                .set(RING_SIZE, maxBody > 200_000 ? 4 << 20 : 1 << 20)
                .set(LOG_SIZE, log + world.below(2) * (1 << 20))
                .set(EVENT_LOOPS, loopCount)
                .set(READER_LOOPS, readerCount)
                .set(SLOW_SUBSCRIBER, world.oneOf(0, 1) == 0 ? Policy.DISCONNECT : Policy.SKIP)
                .set(ALLOW_POLICIES, policies)
                .set(PIN_SIZE, (2 << 19) + Math.max(1 << 19, frame) + world.below(3) * (1 << 19))
                .set(ASSEMBLY_SIZE, 2 * frame + 4096 + world.skewed(frame))
                .set(FILTER_SIZE, (64 << 10) * world.oneOf(1, 2, 8))
                .set(CONTROL_SIZE, world.oneOf(32 << 10, 64 << 10, 1 << 20))
                .set(CONTROL_SIZE_PER_CONNECTION, 32 << 10)
                .set(HEARTBEAT, Duration.ofMillis(heartbeat))
                .set(IDLE_TIMEOUT, Duration.ofMillis(heartbeat * (long) world.oneOf(3, 10)))
                .set(HANDSHAKE_TIMEOUT, Duration.ofMillis(world.oneOf(200, 5000)))
                .set(FRAME_TIMEOUT, Duration.ofMillis(world.oneOf(300, 3000)))
                .set(MIN_RATE, world.oneOf(10, 1000))
                .set(MAX_CONNECTIONS, world.oneOf(6, 12, MOST_CONNECTIONS, 100, 100))
                .set(MAX_PUBLISHERS, world.oneOf(2, 5, MOST_CONNECTIONS, MOST_CONNECTIONS))
                .set(MAX_PER_ADDRESS, world.oneOf(4, 100, 100))
                .set(HANDSHAKES_PER_ADDRESS, world.oneOf(5, 1000, 1000))
                .set(REPLAYS_PER_ADDRESS, world.oneOf(2, 1000))
                .set(MAX_HEARTBEAT, Duration.ofMillis(world.oneOf(200, 60_000)))
                .set(PUBLISHER_SILENCE, Duration.ofMillis(world.oneOf(0, 0, 2000)))
                .set(NAME_HOLD, Duration.ofMillis(world.oneOf(0, 100, 2000)))
                .set(STALL_TIMEOUT, Duration.ofMillis(world.oneOf(200, 2000)));
    }

    private Source.Size size() {
        boolean notSmall = world.volume >= 16 && world.onceIn(2);
        Source.Size least = notSmall ? Source.Size.MEDIUM : Source.Size.TINY;
        return world.oneOf(List.copyOf(EnumSet.range(least, Source.Size.MIXED)));
    }

    private void engineFailed(Throwable cause) {
        if (cause instanceof JournalException && journal != null && journal.failed()) {
            journalEnded = true;
        } else if (cause instanceof SimDisk.Crash crash) {
            journal.crashes(crash);
        } else if (cause != SimLoop.ASLEEP) {
            world.fail("the engine stops: " + cause, cause);
        }
    }

    // ---- the run -------------------------------------------------------------------------------------------------

    /** Runs so many steps, then to the end. */
    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            if (journal == null) {
                step();
                looked();
            } else {
                stepOfALife();
            }
        }
        calm();
        end();
        engine.stats().closes().forEach((reason, times) -> world.saw(reason.name(), times));
    }

    /** As any other, and at any time the relay ends, or the machine does. */
    private void stepOfALife() {
        try {
            journal.disturb();
            step();
            looked();
        } catch (SimDisk.Crash crash) {
            endAtOnce("crash");
            return;
        }
        if (journalEnded && config.journal().failure() == JournalConfig.Failure.EXIT) {
            endAtOnce("failed");
        } else if (journalEnded && !withoutJournal) {
            withoutJournal = true;
            world.saw("without journal", 1);
            journal.abandon();
        } else if (world.onceIn(lifespan)) {
            if (world.onceIn(4)) {
                endInOrder();
            } else {
                endAtOnce("killed");
            }
        }
    }

    /** Everybody else, while one of the journal's threads waits for the disk. */
    private void meanwhile() {
        if (!ending) {
            step();
            looked();
        }
    }

    private void looked() {
        if (journal != null) {
            journal.throwIfCrashed();
        }
        check();
        world.throwIfFailed();
    }

    private void step() {
        world.step++;
        if (tls != null && !tls.tasks.isEmpty() && world.onceIn(4)) {
            tls.tasks.remove().run();
            return;
        }
        if (journal != null && world.onceIn(4)) {
            journal.step();
            return;
        }
        int dice = world.below(100);
        if (dice < cycleWeight) {
            cycle(world.oneOf(loops));
        } else if (dice < cycleWeight + timeWeight) {
            passTime();
        } else if (dice < cycleWeight + timeWeight + 2) {
            somebodyComes();
        } else if (!locals.isEmpty() && dice >= 100 - localWeight) {
            world.oneOf(locals).act();
        } else if (!peers.isEmpty()) {
            world.oneOf(peers).act();
        } else {
            somebodyComes();
        }
    }

    private boolean cycle(SimLoop loop) {
        boolean did = isOfReplays(loop) ? journal.readBy(loop::cycle) : loop.cycle();
        model.sync();
        return did;
    }

    private boolean isOfReplays(SimLoop loop) {
        return journal != null && loop == loops.get(loops.size() - 1);
    }

    private void passTime() {
        long nanos =
                switch (world.below(20)) {
                    case 0 -> world.below(100 * patience) * MILLI;
                    case 1, 2, 3 -> world.below(20) * MILLI;
                    default -> 1 + world.below(1_000_000);
                };
        world.advance(nanos);
    }

    // ---- who comes -----------------------------------------------------------------------------------------------

    private void somebodyComes() {
        if (peers.size() >= MOST_CONNECTIONS || !model.hasRoomForSources()) {
            return;
        }
        int dice = world.below(8);
        if (dice < 4) {
            subscriber();
        } else if (dice < 6 && (publisherKinds & 1) != 0 || producers.isEmpty()) {
            connect(new SimPublisher(world, newChannel(), model.newSource(size())));
        } else {
            producers();
        }
    }

    private void producers() {
        // Now and then before it knows that its connection has ended.
        producers.stream()
                .filter(p -> p.wantsToConnect() || (p.goesOn() && !world.calm && world.onceIn(20)))
                .findFirst()
                .ifPresent(this::named);
    }

    private SimChannel newChannel() {
        int number = ++channels;
        return new SimChannel(
                world,
                number,
                world.onceIn(2) ? LOCAL : null,
                new InetSocketAddress("10.0.0." + world.below(4), 10_000 + number));
    }

    private void named(Producer producer) {
        connect(new NamedPublisher(world, newChannel(), producer));
    }

    private void subscriber() {
        SimSubscriber subscriber = new SimSubscriber(world, newChannel(), channels);
        if ((subscriberKinds & 1) == 0 || world.onceIn(2)) {
            subscriber.sayHello(hello());
        }
        connect(subscriber);
    }

    private HelloFrame hello() {
        HelloFrame.Builder hello = HelloFrame.subscriber()
                .policy(world.oneOf(config.state().on() ? POLICIES_WITH_STATE : POLICIES))
                .heartbeatMillis(world.oneOf(0, 100, 1000, 600_000))
                .name(world.onceIn(2) ? "reader-" + channels : "");
        if ((subscriberKinds & 2) != 0 && world.onceIn(2)) {
            hello.types(SimSubscriber.someTypes(world));
            if (world.onceIn(2)) {
                hello.features(Features.SEQUENCES);
            }
        }
        if ((journal != null || (subscriberKinds & 4) != 0) && world.onceIn(2)) {
            if (world.onceIn(2)) {
                hello.fromEarliest();
            } else if (journal != null && world.onceIn(4)) {
                hello.fromTime(journal.someTime());
            } else {
                int back = world.skewed(Math.max(1, model.count));
                long first = Math.max(1, model.count + (world.onceIn(10) ? 3 : 1) - back);
                long any = lives.someEpoch();
                long epoch = world.oneOf(List.of(0L, any, any, world.onceIn(5) ? NO_EPOCH : any));
                hello.fromSequence(epoch, first);
            }
        }
        if (config.state().on() && world.onceIn(2)) {
            long number =
                    world.onceIn(2) ? world.below(2) : Math.max(0, model.count + 1 - world.skewed(model.count + 1));
            long any = lives.someEpoch();
            hello.fromState(world.oneOf(List.of(0L, any, any, world.onceIn(5) ? NO_EPOCH : any)), number);
            if (world.onceIn(2)) {
                hello.features(Features.SEQUENCES);
            }
        }
        if (journal != null && world.onceIn(2)) {
            hello.level(level());
        }
        if (!resumed.isEmpty() && world.onceIn(2)) {
            SimSubscriber.Resumed one = resumed.remove(world.below(resumed.size()));
            hello.fromSequence(one.epoch(), one.next()).level(one.level());
        }
        if (hello.build().policy() == Policy.LATEST) {
            hello.level(Level.STREAM);
            if (world.onceIn(2)) {
                hello.intervalMillis(world.oneOf(0, 10, 10, 30, 1000, SimSubscriber.LONG_INTERVAL));
            }
        }
        return hello.build();
    }

    private void connect(Peer peer) {
        SimChannel channel = peer.channel;
        model.sync();
        boolean secured = tls != null && world.onceIn(2);
        if (secured) {
            peer.speakTls();
        }
        int[] seats = seats();
        EngineLoop loop = engine.place(channel, peer.role, secured ? Optional.of(tls.context) : Optional.empty());
        if (peer.role == Role.SUBSCRIBER && channel.pipeline().get(Session.class) != null) {
            checkPlace(loop, seats);
        }
        world.trace(peer.name, "connects", channels, peer.role == Role.PUBLISHER ? 1 : 0);
        peers.add(peer);
        peer.placed();
        EventLoop io = loop.io();
        io.register(channel);
    }

    // ---- what must hold ------------------------------------------------------------------------------------------

    private void check() {
        connected += (int) peers.stream().filter(Peer::takeArrival).count();
        checkEnds();
        for (Peer peer : List.copyOf(peers)) {
            peer.endOfStep();
            world.check(
                    !peer.channel.isForgotten(), peer + " has ended its output and was told why, and is not closed");
            if (peer.closedByRelay) {
                peer.checkTold();
                peers.remove(peer);
                if (peer instanceof SimPublisher publisher) {
                    gone.add(publisher);
                }
            }
        }
        checkMemory();
        checkPlaces();
        if ((world.step & 7) == 0) {
            checkStats();
        }
        long ended = closes.values().stream().mapToLong(n -> n).sum();
        int live = engine.services().table().live().size();
        world.check(live == connected - ended, "of " + connected + " " + ended + " have ended, and " + live + " live");
    }

    /** Whether no channel is left: one in the middle of a TLS handshake is in no table, and has a seat. */
    private boolean allHaveLeft() {
        return engine.services().table().allGone()
                && (tls == null || tls.isEmpty())
                && Arrays.stream(seats()).sum() == 0;
    }

    /** Subscribers of each loop that may send, as the relay counts them. */
    private int[] seats() {
        SendGroup[] groups = Sessions.groups(engine);
        return Arrays.stream(groups)
                .mapToInt(g -> Sessions.<AtomicInteger>get(g, "seats").get())
                .toArray();
    }

    /** Of those loops that send, one with the fewest gets a subscriber that comes. */
    private void checkPlace(EngineLoop loop, int[] seats) {
        int first = loopCount == 1 ? 0 : 1;
        int fewest = Arrays.stream(seats, first, loopCount).min().orElseThrow();
        int at = loops.indexOf(world.loopOf(loop.io()));
        world.check(
                at >= first && at < loopCount && seats[at] == fewest,
                "a subscriber came to loop " + at + ", and the loops had " + Arrays.toString(seats));
    }

    /** Each connection is where its kind belongs, unless it is on its way or at its end. */
    private void checkPlaces() {
        for (Peer peer : peers) {
            SimLoop at = peer.channel.at;
            if (at != null && peer.connection != null && !mayBeAt(peer, at)) {
                world.fail(peer + " is on " + at + " of " + loopCount + " and " + readerCount + " that read");
            }
        }
    }

    private boolean mayBeAt(Peer peer, SimLoop at) {
        int number = loops.indexOf(at);
        boolean sends = loopCount == 1 ? number == 0 : number > 0 && number < loopCount;
        if (peer.connection.role() instanceof SubscriberConnection subscriber) {
            boolean ends = subscriber.session().state().ended();
            return isOfReplays(at) ? subscriber.replays() || ends : sends;
        }
        boolean reads = number >= loopCount && number < loopCount + readerCount;
        if (reads && peer instanceof SimPublisher) {
            world.seen.put("publishers on reader loops", 1);
            return true;
        }
        return number == 0;
    }

    /** Each end is counted once, for a reason that it may have. */
    private void checkEnds() {
        List<Peer> who = peers.stream().filter(Peer::takeEnd).toList();
        if (who.isEmpty()) {
            return;
        }
        Map<CloseReason, Long> now = engine.stats().closes();
        long counted = 0;
        List<Peer> unexplained = new ArrayList<>(who);
        for (Map.Entry<CloseReason, Long> entry : now.entrySet()) {
            CloseReason reason = entry.getKey();
            long more = entry.getValue() - closes.getOrDefault(reason, 0L);
            if (more > 0) {
                counted += more;
                long able = who.stream().filter(p -> p.mayEndBy(reason)).count();
                unexplained.removeIf(p -> p.mayEndBy(reason));
                if (who.size() == 1) {
                    who.get(0).endedBy = reason;
                }
                world.trace(who.get(0).name, reason.name(), more, who.size());
                world.check(able >= more, who + " ended, " + more + " of them by " + reason + ", which they may not");
            }
        }
        world.check(counted == who.size(), who + " ended, " + counted + " ends were counted");
        world.check(unexplained.isEmpty(), unexplained + " ended for a reason that they have not given: " + now);
        closes = now;
    }

    private void checkMemory() {
        engine.services().budget().pools().forEach((part, pool) -> {
            if (pool.used() < 0 || pool.used() > pool.limit()) {
                world.fail(part + ": " + pool.used() + " of " + pool.limit() + " bytes are used");
            }
        });
        long used = allocator.metric().usedDirectMemory() + (tls == null ? 0 : tls.ofTheLibrary());
        long reserved = engine.services().budget().used(Kind.DIRECT)
                - engine.services().budget().pool(Part.JOURNAL).used();
        // What has been granted in the line for a long frame may not have been taken yet.
        long mayWait = engine.services().budget().pool(Part.FRAMES).used() + (tls == null ? 0 : tls.mayBeGone());
        if (used > reserved || (used < reserved - mayWait && used < reserved - mayWait - maySay())) {
            world.fail("direct memory: " + used + " bytes are taken, " + reserved + " are in the budget: " + pools());
        }
    }

    /** What may be said to a connection is reserved as long as it is there, and taken while it is in flight. */
    private long maySay() {
        long told = engine.services().table().present().stream()
                .mapToLong(s ->
                        s.kind() == Role.PUBLISHER ? PublisherConnection.SAID_BYTES : SubscriberConnection.SAID_BYTES)
                .sum();
        return told + (long) RefusedConnection.Newest.MOST * RefusedConnection.SAID_BYTES;
    }

    private Map<Part, Long> pools() {
        Map<Part, Long> used = new EnumMap<>(Part.class);
        engine.services().budget().pools().forEach((part, pool) -> used.put(part, pool.used()));
        return used;
    }

    private void checkStats() {
        RelayStats now = engine.stats();
        for (Counter counter : Counter.values()) {
            long value = now.get(counter);
            long first = counter == Counter.JOURNAL_FREE_BYTES ? -1 : 0;
            long least = counter.total() && lastStats != null ? lastStats.get(counter) : first;
            if (value < least) {
                world.fail(counter + " is " + value + ", and was " + least + " or more");
            }
        }
        lastStats = now;
        if (now.get(Counter.FAILURES) > world.injected) {
            world.fail(now.get(Counter.FAILURES) + " faults of the relay, " + world.injected + " were made: ");
        }
        if (now.get(Counter.MESSAGES_IN) != model.count - before) {
            world.fail(now.get(Counter.MESSAGES_IN) + " messages in, " + (model.count - before) + " are there");
        }
        if ((world.step & 127) == 0) {
            for (ConnectionRow row : engine.rows()) {
                if (row.lagBytes() < 0 || row.lagMessages() < 0 || row.messages() < 0 || row.ageMillis() < 0) {
                    world.fail("a row that cannot be: " + row);
                }
            }
        }
    }

    // ---- the end of a life ---------------------------------------------------------------------------------------

    /** The process ends, or the machine: the relay gets to do nothing any more. */
    private void endAtOnce(String how) {
        boolean power = world.onceIn(2);
        world.saw(how + (power ? ", power lost" : ""), 1);
        world.trace("relay", power ? "loses power" : "is killed", model.count, lives.count());
        ending = true;
        model.sync();
        leave();
        journal.letGo();
        // What is left of it in this process is cleared away, and nobody sees how.
        engine.closeConnections();
        clearAway(false);
        journal.ends(power);
        begin();
    }

    /** It ends as SIGTERM has it end, with as much patience as the seed says. */
    private void endInOrder() {
        world.saw("in order", 1);
        world.trace("relay", "ends", model.count, lives.count());
        journal.disk.heal();
        ending = true;
        locals.forEach(LocalPeer::close);
        stopTaking();
        for (int round = world.below(30); round > 0 && !engine.drained(); round--) {
            peers.forEach(Peer::act);
            cycleAll(true);
        }
        engine.closeConnections();
        clearAway(true);
        begin();
    }

    private void stopTaking() {
        world.draining = true;
        engine.sayGoAway(1000);
        publishers.close();
        engine.stopReading(1000);
    }

    private void leave() {
        for (Peer peer : peers) {
            if (peer instanceof SimSubscriber subscriber && subscriber.resumed() != null) {
                resumed.add(subscriber.resumed());
            }
            peer.relayGone();
        }
        peers.clear();
        gone.clear();
    }

    /** @param seen whether it still is a relay, for its clients and for its journal */
    private void clearAway(boolean seen) {
        world.saw("replays", engine.stats().get(Counter.JOURNAL_REPLAYS_BEGUN));
        loops.get(0).beforeSleep = () -> {};
        for (int round = 0; round < ROUNDS && !engine.services().table().allGone(); round++) {
            cycleAll(seen);
            world.advance(20 * MILLI);
        }
        world.check(engine.services().table().allGone(), "a relay that ends does not get rid of " + engine.rows());
        locals.forEach(LocalPeer::close);
        locals.clear();
        cycleAll(seen);
        if (seen) {
            closeJournal();
            leave();
        }
        loops.forEach(SimLoop::end);
        release();
    }

    private void release() {
        engine.release();
        long left = allocator.metric().usedDirectMemory();
        world.check(left == 0, "of a relay that has ended " + left + " bytes of direct memory are left");
        world.throwIfFailed();
    }

    private void cycleAll(boolean seen) {
        for (int i = 0; i < CYCLES_PER_END; i++) {
            for (SimLoop loop : loops) {
                world.step++;
                if (seen) {
                    cycle(loop);
                    looked();
                } else {
                    loop.cycle();
                }
            }
            if (seen) {
                journal.settle();
            }
        }
    }

    /** All that is in the stream is on the disk then, and stays. */
    private void closeJournal() {
        boolean failed = journal.failed();
        journal.close();
        if (!failed) {
            lives.promise(Level.FORCED, model.count, "whoever ended it");
            lives.promise(Level.WRITTEN, model.count, "whoever ended it");
        }
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    /** Faults stop, everybody does what is right: in the end nothing is owed. */
    private void calm() {
        world.calm = true;
        if (journal != null) {
            journal.disk.heal();
            if (journal.failed()) {
                endAtOnce("failed");
            }
        }
        world.trace("all", "behave", 0, 0);
        goOnUntil(this::nothingIsOwed, 5);
        String owed = owed();
        world.check(
                owed.isEmpty(), "in the end something is owed: " + owed + "; " + engine.stats() + "; " + engine.rows());
        world.throwIfFailed();
    }

    private boolean nothingIsOwed() {
        boolean reconnects = world.onceIn(8);
        producers.stream()
                .filter(p -> reconnects && !p.owed().isEmpty() && p.wantsToConnect())
                .forEach(this::reconnect);
        return owed().isEmpty();
    }

    private void reconnect(Producer producer) {
        named(producer);
        if (peers.get(peers.size() - 1).connection == null) {
            // Somebody has to make room.
            world.oneOf(peers).leave(true);
        }
        looked();
    }

    /** Until all loops sleep. */
    private void goRound() {
        int cycles = 0;
        boolean more = true;
        Pool filters = engine.services().budget().pool(Part.FILTERS);
        Pool batches = engine.services().budget().pool(Part.STATE_BATCHES);
        Pool pages = engine.services().budget().pool(Part.REPLAYS);
        boolean memoryShort = false;
        while (more) {
            more = false;
            while (tls != null && !tls.tasks.isEmpty()) {
                tls.tasks.remove().run();
            }
            if (journal != null) {
                more |= journal.settle();
            }
            for (SimLoop loop : loops) {
                world.step++;
                more |= cycle(loop);
                // Without a journal there are no pages, and nobody waits for one.
                boolean pagesShort = journal != null && pages.used() + BlockReader.PAGE_BYTES > pages.limit();
                // A long message of a state waits until none is on its way.
                boolean longOfState = batches.used() % (64 << 10) != 0;
                memoryShort |= filters.used() == filters.limit() || pagesShort || longOfState;
                looked();
            }
            if (++cycles > CYCLES_PER_ROUND) {
                world.fail("the loops do not come to rest: "
                        + peers.stream().map(p -> p + ": " + p.channel.state()).toList());
                world.throwIfFailed();
            }
        }
        world.saw("sleeps looked at without a journal", journal == null && !memoryShort ? 1 : 0);
        for (SimLoop loop : loops) {
            long before = progress();
            loop.poke();
            model.sync();
            // Who waits for memory that another loop has let go of looks again when its time has come.
            if (progress() != before && !engine.log().starved() && !memoryShort) {
                world.fail(loop + " slept, and nobody woke it although there was something to do; " + pools());
            }
            looked();
        }
    }

    /** Grows with whatever the relay does. */
    private long progress() {
        long progress = model.end;
        for (Peer peer : peers) {
            SimChannel channel = peer.channel;
            boolean late = journal != null && peer instanceof NamedPublisher named && named.isSettled();
            progress += (late ? 0 : channel.taken) - channel.unread();
        }
        return progress;
    }

    private String owed() {
        return Stream.of(
                        producers.stream().map(Producer::owed),
                        locals.stream().map(LocalPeer::owed),
                        peers.stream().map(Peer::owedOrLate),
                        gone.stream().map(SimPublisher::lost))
                .flatMap(owed -> owed)
                .filter(owed -> !owed.isEmpty())
                .findFirst()
                .orElse("");
    }

    private void end() {
        if (world.onceIn(2)) {
            drain();
        } else {
            engine.closeConnections();
        }
        goOnUntil(this::allHaveLeft, 20);
        world.check(engine.services().table().allGone(), "in the end somebody is connected: " + peers);
        world.throwIfFailed();
        locals.forEach(LocalPeer::close);
        // A closed stage is forgotten when it has been empty for a moment.
        goRound();
        world.advance(2 * MILLI);
        goRound();
        RelayStats last = engine.stats();
        for (Counter gauge : NOTHING_LEFT) {
            world.check(last.get(gauge) == 0, "in the end " + gauge + " is " + last.get(gauge));
        }
        if (journal != null) {
            closeJournal();
        }
        world.check(
                Arrays.stream(seats()).sum() == 0,
                "in the end the loops count these subscribers: " + Arrays.toString(seats()));
        release();
        pools().forEach((part, used) -> world.check(
                used == 0 || part.takenAtStart(), "in the end " + used + " bytes of " + part + " are not given back"));
        world.throwIfFailed();
        if (journal != null) {
            journal.checkEnd();
        }
    }

    private void goOnUntil(BooleanSupplier done, int millis) {
        int round = 0;
        do {
            peers.forEach(Peer::behave);
            goRound();
            world.advance(millis * MILLI);
        } while (++round < ROUNDS && !done.getAsBoolean());
    }

    /** As {@link RelayParts#drain} does it. */
    private void drain() {
        world.trace("all", "drain", 0, 0);
        stopTaking();
        goOnUntil(engine::drained, 5);
        world.check(engine.drained(), "the relay does not drain");
        peers.forEach(Peer::behave);
        for (Peer peer : peers) {
            boolean lacks = peer instanceof SimSubscriber subscriber && subscriber.waitsForItsTick();
            world.check(!lacks, "the relay has drained, and has not sent the state to " + peer);
        }
        engine.closeConnections();
    }
}
