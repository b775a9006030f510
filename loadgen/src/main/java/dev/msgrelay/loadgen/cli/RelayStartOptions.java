package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.run.RelayContestant;
import dev.msgrelay.protocol.Policy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** How a relay of a run's own is started. */
final class RelayStartOptions extends Options {
    @Option(
            names = "--transport",
            paramLabel = "NAME",
            description = "Of the relay: auto, epoll, nio or io_uring (the relay's default).")
    private String transport;

    @Option(names = "--event-loops", paramLabel = "N", description = "Of the relay (the relay's default).")
    private Integer eventLoops;

    @Option(
            names = "--slow-subscriber",
            paramLabel = "POLICY",
            defaultValue = "backpressure",
            converter = PolicyConverter.class,
            completionCandidates = PolicyConverter.class,
            description = "What the relay does with a slow subscriber: ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}: at"
                    + " full speed somebody is always slow). Of a relay that runs already: what it is known to do.")
    private Policy policy;

    @Option(
            names = RelayContestant.JOURNAL,
            paramLabel = "DIR",
            description =
                    "The relay keeps a journal in this directory; temp: in a temporary one, of 1 GiB, which goes with"
                            + " the relay; temp:DIR: in one in DIR, so on its disk (no journal).")
    private String journal;

    @Option(
            names = "--relay-arg",
            paramLabel = "ARG",
            description = "Any further argument of relay-server; repeatable.")
    private List<String> relayArgs = new ArrayList<>();

    @Option(
            names = "--relay-java-opts",
            paramLabel = "OPTS",
            description = "Options of the relay's JVM, instead of the usual ones; separated by spaces.")
    private String javaOptions;

    Policy policy() {
        return policy;
    }

    /**
     * All arguments of relay-server, beside ports and sockets.
     *
     * @param mtu of the links, or null for the relay's default
     */
    List<String> arguments(Integer mtu) {
        List<String> args = new ArrayList<>(List.of("--slow-subscriber", policy.flag()));
        add(args, "--transport", transport);
        add(args, "--event-loops", eventLoops);
        add(args, "--mtu", mtu);
        add(args, RelayContestant.JOURNAL, journal);
        args.addAll(relayArgs);
        checkRelay(args);
        return args;
    }

    private static void add(List<String> args, String option, Object value) {
        if (value != null) {
            args.addAll(List.of(option, value.toString()));
        }
    }

    List<String> jvmOptions() {
        return javaOptions == null
                ? RelayContestant.JAVA_OPTIONS
                : List.of(javaOptions.trim().split("\\s+"));
    }

    /** {@link Policy}, by its flag, for picocli; also the names that help texts list. */
    static final class PolicyConverter implements ITypeConverter<Policy>, Iterable<String> {
        @Override
        public Policy convert(String value) {
            try {
                return Policy.ofFlag(value);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }

        @Override
        public Iterator<String> iterator() {
            return Policy.DECIDED.stream().map(Policy::flag).iterator();
        }
    }
}
