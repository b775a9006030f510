package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.server.config.JournalConfig;
import dev.msgrelay.server.net.Transport;
import dev.msgrelay.server.tls.TlsProvider;
import java.util.Arrays;
import java.util.Iterator;

/** The words that help texts list. */
final class Candidates {
    private Candidates() {}

    static final class Transports implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Transport.values()).map(Transport::flag).iterator();
        }
    }

    static final class TlsProviders implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(TlsProvider.values()).map(TlsProvider::flag).iterator();
        }
    }

    static final class Failures implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(JournalConfig.Failure.values())
                    .map(JournalConfig.Failure::flag)
                    .iterator();
        }
    }

    static final class Policies implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Policy.DECIDED.toArray(Policy[]::new))
                    .map(Policy::flag)
                    .iterator();
        }
    }
}
