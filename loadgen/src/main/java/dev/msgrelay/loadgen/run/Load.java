package dev.msgrelay.loadgen.run;

/**
 * What is sent through the middle, and to how many.
 *
 * @param publishers connections that publish
 * @param subscribers connections that subscribe
 * @param body bytes of every message's body, at least {@link dev.msgrelay.loadgen.load.LoadMessage#MIN_BODY}
 * @param rate messages a second of each publisher; 0: as fast as it goes
 * @param verify subscribers check every message; otherwise they only walk the frames
 * @param writeSize bytes of a publisher's write at full speed; 0: four segments of the path
 * @param unix Unix sockets instead of TCP
 * @param slow subscribers that read too slowly on purpose, beside the others
 */
public record Load(
        int publishers,
        int subscribers,
        int body,
        int rate,
        boolean verify,
        int writeSize,
        boolean unix,
        SlowReaders slow) {
    /** At full speed a clock per message would cost more than the message; one in so many has its latency recorded. */
    public static final int FULL_SPEED_SAMPLING = 1_024;

    /** More publishers than this share so many processes evenly. */
    private static final int MAX_PUBLISHER_PROCESSES = 4;

    private static final int MAX_SUBSCRIBER_PROCESSES = 16;

    /** 1 -> 1 as in the first command of the README. */
    public static Load oneToOne(int body) {
        return new Load(1, 1, body, 0, true, 0, false, SlowReaders.NONE);
    }

    public Load withCounts(int newPublishers, int newSubscribers) {
        return new Load(newPublishers, newSubscribers, body, rate, verify, writeSize, unix, slow);
    }

    public Load withRate(int newRate) {
        return new Load(publishers, subscribers, body, newRate, verify, writeSize, unix, slow);
    }

    public Load withUnix(boolean newUnix) {
        return new Load(publishers, subscribers, body, rate, verify, writeSize, newUnix, slow);
    }

    public Load withSlow(SlowReaders newSlow) {
        return new Load(publishers, subscribers, body, rate, verify, writeSize, unix, newSlow);
    }

    public Load withVerify(boolean newVerify) {
        return new Load(publishers, subscribers, body, rate, newVerify, writeSize, unix, slow);
    }

    /** One message in so many has its latency recorded. */
    public int sampling() {
        return rate == 0 ? FULL_SPEED_SAMPLING : 1;
    }

    public int publisherProcesses() {
        return Math.min(publishers, MAX_PUBLISHER_PROCESSES);
    }

    public int subscriberProcesses() {
        return Math.min(subscribers, MAX_SUBSCRIBER_PROCESSES);
    }

    /** How many of {@code total} connections process {@code index} of {@code processes} has. */
    static int share(int total, int processes, int index) {
        return total / processes + (index < total % processes ? 1 : 0);
    }
}
