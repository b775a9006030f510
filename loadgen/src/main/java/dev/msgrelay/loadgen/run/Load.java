package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.protocol.Policy;

/**
 * What is sent through the contestant, and to how many.
 *
 * @param publishers connections that publish
 * @param audience those who receive
 * @param content of the messages
 * @param pace when they are sent
 * @param writes how they are handed to the socket
 * @param unix Unix sockets instead of TCP
 * @param clients what publishers and subscribers are
 */
public record Load(
        int publishers, Audience audience, Content content, Pace pace, Writes writes, boolean unix, Clients clients) {
    /** At full speed a clock per message would cost more than the message; one in so many has its latency recorded. */
    public static final int FULL_SPEED_SAMPLING = 1_024;

    /** Messages a second of one publisher, at most. */
    public static final int MAX_RATE = 10_000_000;

    /** Messages a second that a subscriber records, and up to twice as many. */
    private static final int RECORDED = 500_000;

    /** Messages a second: they cost publishers well under a core. */
    private static final long LIGHT = 1_000_000;

    /** More publishers than this share so many processes evenly. */
    private static final int MAX_PUBLISHER_PROCESSES = 4;

    private static final int MAX_SUBSCRIBER_PROCESSES = 16;

    /** Messages whose arrival one subscriber notes at most, and all those of one process: 16 bytes each. */
    private static final int MAX_ARRIVALS = 64 << 10;

    private static final int MAX_PROCESS_ARRIVALS = 256 << 10;

    /**
     * Who receives.
     *
     * @param subscribers connections that subscribe
     * @param check of the messages
     * @param policy of the relay where one of them reads too slowly: with any but backpressure they say HELLO, so that
     *     they are told what they miss
     * @param slow subscribers that read too slowly on purpose, beside the others
     */
    public record Audience(int subscribers, Check check, Policy policy, SlowReaders slow) {}

    /**
     * What is in the messages.
     *
     * @param seed of the order in which different sizes come
     * @param types that messages carry in turn, see {@link SizeTable#typeOf}
     */
    public record Content(BodySizes sizes, int seed, int types) {
        public static final int DEFAULT_SEED = 1;

        /** All of one type. */
        public Content(BodySizes sizes, int seed) {
            this(sizes, seed, 1);
        }
    }

    /**
     * When messages are sent.
     *
     * @param rate messages a second of each publisher, open loop; 0: as fast as it goes
     * @param burst messages of a publisher that are due at the same moment; 1: evenly spaced
     * @param realTime whether publishers may ask the system to run before others, and to keep the cores awake
     */
    public record Pace(int rate, int burst, boolean realTime) {
        public static final Pace FULL_SPEED = of(0);

        /** The same, with another priority. */
        public Pace withRealTime(boolean newRealTime) {
            return new Pace(rate, burst, newRealTime);
        }

        /** Evenly spaced, with the usual priority. */
        public static Pace of(int rate) {
            return new Pace(rate, 1, false);
        }
    }

    /**
     * What a publisher hands to the socket in one call.
     *
     * @param bytes at full speed; 0: whole segments of the path, about 128 KiB
     * @param messages whole ones, exactly so many; 0: as {@code bytes} says, or at a fixed rate whatever is due
     */
    public record Writes(int bytes, int messages) {
        public static final Writes DEFAULT = new Writes(0, 0);
    }

    /** 1 -> 1 as in the first command of the README. */
    public static Load oneToOne(int body) {
        return new Load(
                1,
                new Audience(1, Check.FULL, Policy.BACKPRESSURE, SlowReaders.NONE),
                new Content(BodySizes.fixed(body), Content.DEFAULT_SEED),
                Pace.FULL_SPEED,
                Writes.DEFAULT,
                false,
                Clients.RAW);
    }

    public Load withCounts(int newPublishers, int newSubscribers) {
        Audience newAudience = new Audience(newSubscribers, audience.check(), policy(), slow());
        return new Load(newPublishers, newAudience, content, pace, writes, unix, clients);
    }

    public Load withBody(BodySizes newSizes) {
        return withContent(new Content(newSizes, seed(), content.types()));
    }

    public Load withContent(Content newContent) {
        return new Load(publishers, audience, newContent, pace, writes, unix, clients);
    }

    /** Evenly spaced. */
    public Load withRate(int newRate) {
        return withPace(Pace.of(newRate));
    }

    /** The same at another rate. */
    public Load atRate(int newRate) {
        return withPace(new Pace(newRate, pace.burst(), pace.realTime()));
    }

    public Load withPace(Pace newPace) {
        return new Load(publishers, audience, content, newPace, writes, unix, clients);
    }

    public Load withWrites(Writes newWrites) {
        return new Load(publishers, audience, content, pace, newWrites, unix, clients);
    }

    public Load withUnix(boolean newUnix) {
        return new Load(publishers, audience, content, pace, writes, newUnix, clients);
    }

    public Load withSlow(SlowReaders newSlow) {
        return withAudience(new Audience(subscribers(), audience.check(), policy(), newSlow));
    }

    public Load withCheck(Check newCheck) {
        return withAudience(new Audience(subscribers(), newCheck, policy(), slow()));
    }

    /** Through a relay with this policy. */
    public Load withPolicy(Policy newPolicy) {
        return withAudience(new Audience(subscribers(), audience.check(), newPolicy, slow()));
    }

    public Load withClients(Clients newClients) {
        return new Load(publishers, audience, content, pace, writes, unix, newClients);
    }

    /** Over TLS; instead of any other transport. */
    public Load withTls() {
        Clients.Ports ports = clients.ports();
        return withUnix(false)
                .withClients(clients.withPorts(new Clients.Ports(true, ports.handshakes(), ports.scrapes())));
    }

    /** At the plain ports alone. */
    public Load withPlainPorts() {
        return withClients(clients.withPorts(Clients.Ports.PLAIN));
    }

    /** Whether publishers and subscribers speak TLS. */
    public boolean tls() {
        return clients.ports().tls();
    }

    private Load withAudience(Audience newAudience) {
        return new Load(publishers, newAudience, content, pace, writes, unix, clients);
    }

    public int subscribers() {
        return audience.subscribers();
    }

    /** Which messages subscribers choose. */
    TypeChoice choice() {
        return new TypeChoice(SizeTable.fixed(body().max()).withTypes(content.types()), clients.wanted());
    }

    /** Publisher ids of the run: the publishers', and those of publishers that come and go. */
    int senders() {
        return publishers + clients.visitingPublishers();
    }

    /** Whether every message is checked. */
    public boolean isChecked() {
        return audience.check() == Check.FULL;
    }

    /** What the relay does with a subscriber that reads too slowly. */
    public Policy policy() {
        return audience.policy();
    }

    public SlowReaders slow() {
        return audience.slow();
    }

    public BodySizes body() {
        return content.sizes();
    }

    public int seed() {
        return content.seed();
    }

    /** Messages a second of each publisher; 0: as fast as it goes. */
    public int rate() {
        return pace.rate();
    }

    /** Whether publishers ask for real-time priority: not with so much to send that they could be busy all the time. */
    boolean isRealTime() {
        return pace.realTime() && rate() > 0 && (long) rate() * publishers <= LIGHT;
    }

    /** One message in so many has its latency recorded: all of a rate that a clock for each does not disturb. */
    public int sampling() {
        long perSecond = (long) rate() * publishers;
        return rate() == 0
                ? FULL_SPEED_SAMPLING
                : Integer.highestOneBit((int) Math.max(1, Math.min(FULL_SPEED_SAMPLING, perSecond / RECORDED)));
    }

    /** Whether one subscriber can be later than another, and says when it got what. */
    public boolean hasSkew() {
        return subscribers() > 1 && isChecked();
    }

    /** Messages whose arrival each subscriber notes at most, for the skew; 0 where there is none to be found. */
    int arrivals() {
        if (!hasSkew()) {
            return 0;
        }
        int mostOfAProcess = share(subscribers(), subscriberProcesses(), 0);
        return Math.min(MAX_ARRIVALS, Integer.highestOneBit(MAX_PROCESS_ARRIVALS / mostOfAProcess));
    }

    public int publisherProcesses() {
        return Math.min(publishers, MAX_PUBLISHER_PROCESSES);
    }

    public int subscriberProcesses() {
        return Math.min(subscribers(), MAX_SUBSCRIBER_PROCESSES);
    }

    /** How many of {@code total} connections process {@code index} of {@code processes} has. */
    static int share(int total, int processes, int index) {
        return total / processes + (index < total % processes ? 1 : 0);
    }
}
