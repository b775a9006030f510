package dev.msgrelay.loadgen.run;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.protocol.Policy;

/**
 * The messages through the contestant: how many connections, which content, which pace.
 *
 * @param publishers connections that publish
 * @param audience those who receive
 * @param content of the messages
 * @param rate messages a second of each publisher, open loop, evenly spaced; 0: as fast as it goes
 * @param unix Unix sockets instead of TCP
 * @param clients what publishers and subscribers are
 */
public record Load(int publishers, Audience audience, Content content, int rate, boolean unix, Clients clients) {
    /** At full speed a clock per message would cost more than the message; one in so many has its latency recorded. */
    public static final int FULL_SPEED_SAMPLING = 1_024;

    /** Messages a second of one publisher, at most. */
    public static final int MAX_RATE = 10_000_000;

    /** Messages a second that a subscriber records, and up to twice as many. */
    private static final int RECORDED = 500_000;

    /** More publishers than this share so many processes evenly. */
    private static final int MAX_PUBLISHER_PROCESSES = 4;

    private static final int MAX_SUBSCRIBER_PROCESSES = 16;

    /**
     * The receivers.
     *
     * @param subscribers connections that subscribe
     * @param check of the messages
     * @param policy of the relay where one of them reads too slowly: with any but backpressure they say HELLO, so that
     *     they are told what they miss
     * @param slow subscribers that read too slowly on purpose, beside the others
     */
    public record Audience(int subscribers, Check check, Policy policy, SlowReaders slow) {}

    /**
     * Content of the messages.
     *
     * @param types that messages carry in turn, see {@link SizeTable#typeOf}
     */
    public record Content(BodySizes sizes, int types) {}

    /** 1 -> 1 as in the first command of the README. */
    public static Load oneToOne(int body) {
        return new Load(
                1,
                new Audience(1, Check.FULL, Policy.BACKPRESSURE, SlowReaders.NONE),
                new Content(BodySizes.fixed(body), 1),
                0,
                false,
                Clients.RAW);
    }

    public Load withCounts(int newPublishers, int newSubscribers) {
        Audience newAudience = new Audience(newSubscribers, audience.check(), policy(), slow());
        return new Load(newPublishers, newAudience, content, rate, unix, clients);
    }

    public Load withBody(BodySizes newSizes) {
        return withContent(new Content(newSizes, content.types()));
    }

    public Load withContent(Content newContent) {
        return new Load(publishers, audience, newContent, rate, unix, clients);
    }

    /** Evenly spaced; 0: as fast as it goes. */
    public Load withRate(int newRate) {
        return new Load(publishers, audience, content, newRate, unix, clients);
    }

    public Load withUnix(boolean newUnix) {
        return new Load(publishers, audience, content, rate, newUnix, clients);
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
        return new Load(publishers, audience, content, rate, unix, newClients);
    }

    /** Over TLS; instead of any other transport. */
    public Load withTls() {
        return withUnix(false).withClients(clients.withTls());
    }

    /** With loadgen's own clients over plain connections, as ceilings have it. */
    public Load withRawClients() {
        return withClients(Clients.RAW);
    }

    /** Whether publishers and subscribers speak TLS. */
    public boolean tls() {
        return clients.tls();
    }

    private Load withAudience(Audience newAudience) {
        return new Load(publishers, newAudience, content, rate, unix, clients);
    }

    public int subscribers() {
        return audience.subscribers();
    }

    /** Which messages subscribers choose. */
    TypeChoice choice() {
        return new TypeChoice(SizeTable.fixed(body().max()).withTypes(content.types()), clients.wanted());
    }

    /** Whether every message is checked. */
    public boolean isChecked() {
        return audience.check() == Check.FULL;
    }

    /** The relay's policy for a subscriber that reads too slowly. */
    public Policy policy() {
        return audience.policy();
    }

    public SlowReaders slow() {
        return audience.slow();
    }

    public BodySizes body() {
        return content.sizes();
    }

    /** One message in so many has its latency recorded: all of a rate that a clock for each does not disturb. */
    public int sampling() {
        long perSecond = (long) rate * publishers;
        return rate == 0
                ? FULL_SPEED_SAMPLING
                : Integer.highestOneBit((int) Math.max(1, Math.min(FULL_SPEED_SAMPLING, perSecond / RECORDED)));
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
