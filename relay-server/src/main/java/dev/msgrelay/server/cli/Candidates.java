package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.SlowSubscriberPolicy;
import dev.msgrelay.server.transport.Transport;
import java.util.Arrays;
import java.util.Iterator;

/** The names that help texts list. */
final class Candidates {
    private Candidates() {}

    /** {@link Transport}. */
    static final class Transports implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Transport.values()).map(Transport::flag).iterator();
        }
    }

    /** {@link SlowSubscriberPolicy}. */
    static final class Policies implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(SlowSubscriberPolicy.values())
                    .map(SlowSubscriberPolicy::flag)
                    .iterator();
        }
    }
}
