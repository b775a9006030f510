package dev.msgrelay.loadgen.plan;

import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.message.Check;
import dev.msgrelay.loadgen.message.SizeTable;
import dev.msgrelay.protocol.FrameLayout;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.net.CongestionControl;
import java.util.Locale;

/**
 * The messages of a run: number of connections, content, and rate.
 *
 * @param rate messages a second of each publisher, evenly spaced, whatever the latency is; 0: full speed
 * @param policy the relay's policy for slow subscribers. With any policy but backpressure subscribers send HELLO, so
 *     that the relay reports which messages they miss.
 * @param localCongestion TCP congestion control of loadgen's own senders, for connections within their host: a kernel's
 *     name, {@link CongestionControl#SYSTEM}, or {@link CongestionControl#AUTO} if neither cubic nor reno is available
 * @param fromState whether subscribers start with the state; then one publisher sends the whole stream, so that they
 *     know it. Otherwise they start with the first message that comes
 * @param intervalMillis time from one batch of changes to the next, which subscribers ask for with the policy latest,
 *     in milliseconds; 0: none, each message comes
 */
public record Load(
        int publishers,
        int subscribers,
        BodySizes body,
        int types,
        int rate,
        Transport transport,
        Clients clients,
        Check check,
        Policy policy,
        SlowReaders slow,
        String localCongestion,
        boolean fromState,
        int intervalMillis) {
    /**
     * At full speed, one of this many latencies is recorded, since reading the clock for each message would cost more
     * than the message itself.
     */
    public static final int FULL_SPEED_SAMPLING = 1_024;

    public static final int MAX_RATE = 10_000_000;

    /** At a high rate, a subscriber records from this many to twice as many latencies a second. */
    private static final int RECORDED = 500_000;
    /** The largest number of publisher processes. More publishers are distributed evenly over these. */
    private static final int MAX_PUBLISHER_PROCESSES = 4;

    private static final int MAX_SUBSCRIBER_PROCESSES = 16;

    private static final int STATE_ENTRY = 70;
    private static final int STATE_FIRST_PIECE = 28;
    private static final int STATE_PIECE = 60;
    private static final long STATE_SPARE = 4L * FrameLayout.DEFAULT_MAX_BODY;

    /** Additional subscribers that read too slowly on purpose, and the policy for which they ask in their HELLO. */
    public record SlowReaders(int count, int bytesPerSecond, Policy policy) {
        public static final SlowReaders NONE = new SlowReaders(0, 0, Policy.SKIP);
    }

    /** The kinds of sockets to which clients connect, if the relay runs on this host. */
    public enum Transport {
        TCP,
        /** Publishers use the relay's Unix socket, and subscribers TCP. */
        UNIX_IN,
        UNIX;

        public boolean isUnixIn() {
            return this != TCP;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }

    public static Load oneToOne(int body) {
        return new Load(
                1,
                1,
                BodySizes.fixed(body),
                1,
                0,
                Transport.TCP,
                Clients.RAW,
                Check.FULL,
                Policy.BACKPRESSURE,
                SlowReaders.NONE,
                CongestionControl.SYSTEM,
                false,
                0);
    }

    public Load withCounts(int newPublishers, int newSubscribers) {
        return copy(newPublishers, newSubscribers, body, types, rate, transport, clients, check, policy, slow);
    }

    public Load withBody(BodySizes newBody) {
        return copy(publishers, subscribers, newBody, types, rate, transport, clients, check, policy, slow);
    }

    public Load withRate(int newRate) {
        return copy(publishers, subscribers, body, types, newRate, transport, clients, check, policy, slow);
    }

    public Load withTransport(Transport newTransport) {
        return copy(publishers, subscribers, body, types, rate, newTransport, clients, check, policy, slow);
    }

    public Load withClients(Clients newClients) {
        return copy(publishers, subscribers, body, types, rate, transport, newClients, check, policy, slow);
    }

    public Load withCheck(Check newCheck) {
        return copy(publishers, subscribers, body, types, rate, transport, clients, newCheck, policy, slow);
    }

    public Load withPolicy(Policy newPolicy) {
        return copy(publishers, subscribers, body, types, rate, transport, clients, check, newPolicy, slow);
    }

    public Load withSlow(SlowReaders newSlow) {
        return copy(publishers, subscribers, body, types, rate, transport, clients, check, policy, newSlow);
    }

    private Load copy(
            int newPublishers,
            int newSubscribers,
            BodySizes newBody,
            int newTypes,
            int newRate,
            Transport newTransport,
            Clients newClients,
            Check newCheck,
            Policy newPolicy,
            SlowReaders newSlow) {
        return new Load(
                newPublishers,
                newSubscribers,
                newBody,
                newTypes,
                newRate,
                newTransport,
                newClients,
                newCheck,
                newPolicy,
                newSlow,
                localCongestion,
                fromState,
                intervalMillis);
    }

    public Load withLocalCongestion(String name) {
        return with(types, name, fromState, intervalMillis);
    }

    public Load withFromState(boolean newFromState) {
        return with(types, localCongestion, newFromState, intervalMillis);
    }

    public Load withInterval(int millis) {
        return with(types, localCongestion, fromState, millis);
    }

    public Load withTypes(int newTypes) {
        return with(newTypes, localCongestion, fromState, intervalMillis);
    }

    private Load with(int newTypes, String name, boolean newFromState, int newInterval) {
        return new Load(
                publishers,
                subscribers,
                body,
                newTypes,
                rate,
                transport,
                clients,
                check,
                policy,
                slow,
                name,
                newFromState,
                newInterval);
    }

    /**
     * Returns the size of a relay's state that has room for every type, in bytes: 70 for each, as many again for each
     * further 60 bytes of a body beyond 28, and some for what is on its way out.
     */
    public long stateBytes() {
        long pieces = 1 + Math.max(0, body.max() - STATE_FIRST_PIECE + STATE_PIECE - 1) / STATE_PIECE;
        return STATE_SPARE + types * pieces * STATE_ENTRY * 9 / 8;
    }

    public Load withTls() {
        return withTransport(Transport.TCP).withClients(clients.withTls());
    }

    /**
     * Returns this load as the plain relay supports it: one publisher, which sends what all send together, but at most
     * {@link #MAX_RATE}; loadgen's own clients; no slow reader.
     */
    public Load ofPlainRelay() {
        return withCounts(1, subscribers)
                .withClients(Clients.RAW)
                .withSlow(SlowReaders.NONE)
                .withFromState(false)
                .withInterval(0)
                .withRate((int) Math.min(MAX_RATE, wanted()));
    }

    public boolean unix() {
        return transport == Transport.UNIX;
    }

    public SizeTable sizes() {
        return SizeTable.of(body).withTypes(types);
    }

    public boolean isChecked() {
        return check == Check.FULL;
    }

    /** Whether newer messages of their types stand for those that a subscriber does not get. */
    public boolean hasInterval() {
        return intervalMillis > 0;
    }

    public boolean isPaced() {
        return rate > 0;
    }

    public double wanted() {
        return (double) rate * publishers;
    }

    /**
     * Returns the number of messages for each recorded latency. At a low rate every latency is recorded, as reading the
     * clock for each message does no harm there.
     */
    public int sampling() {
        return rate == 0
                ? FULL_SPEED_SAMPLING
                : Integer.highestOneBit((int) Math.max(1, Math.min(FULL_SPEED_SAMPLING, (long) wanted() / RECORDED)));
    }

    public int publisherProcesses() {
        return Math.min(publishers, MAX_PUBLISHER_PROCESSES);
    }

    public int subscriberProcesses() {
        return Math.min(subscribers, MAX_SUBSCRIBER_PROCESSES);
    }

    public static int share(int total, int processes, int index) {
        return total / processes + (index < total % processes ? 1 : 0);
    }

    public String pace() {
        return (rate == 0 ? "full speed" : String.format(Locale.ROOT, "%,d msg/s", rate))
                + (types == 1 ? "" : ", " + types + " types")
                + (fromState ? ", from the state" : "")
                + (hasInterval() ? ", every " + intervalMillis + " ms" : "")
                + clients.text();
    }

    @Override
    public String toString() {
        return publishers + " -> " + subscribers + ", body " + body + ", " + pace()
                + (transport == Transport.UNIX_IN ? ", Unix in" : "");
    }
}
