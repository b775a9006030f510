package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queue;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Signals.LinkShare;
import dev.msgrelay.loadgen.evidence.Signals.Rates;
import dev.msgrelay.loadgen.evidence.Signals.RelayHolds;
import dev.msgrelay.loadgen.evidence.Signals.Standstills;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.plan.Still;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassifierTest {
    private static final Map<String, Rates> RATES = Map.of(
            "full", new Rates(0, 700, 650, 0, 10, 0, true),
            "kept", new Rates(1_000, 995, 995, 0, 10, 0, true),
            "late", new Rates(1_000, 995, 995, 0.3, 10, 0, true),
            "direct", new Rates(0, Double.NaN, 650, 0, 10, 0, true),
            "missed", new Rates(1_000, 700, 650, 0.3, 10, 0, true),
            "conflated", new Rates(1_000, 995, 20, 0, 10, 0, false),
            "edge", new Rates(1_000, 900, 900, 0, 10, 100, true));

    /**
     * One run each.
     *
     * @param cpu of publisher, relay and subscriber: the part of the time that the busiest thread ran; "0.5+0.4": and
     *     waited; "-": not seen
     * @param queues in the order of the way: part of the samples in which something waits
     * @param machine idle and in network interrupts, of all cores
     * @param holds held back, backpressure
     * @param link in, out; "same": there can be none
     * @param still ms that machine, publishers, subscribers and deliveries stood still
     */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
                    the relay's thread is all busy and messages wait        | relay           | full   | 0.5 0.97 0.5     | 1 1 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... though it waits for cores, where some are idle      | relay           | full   | 0.5 0.6+0.37 0.5 | 1 1 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... and waits for one, where none is                    | machine         | full   | 0.5 0.6+0.37 0.5 | 1 1 0 0   | 0.05 0  | 0 0     | ?       | 0 0 0 0
                    its sockets are not seen                                | relay           | full   | 0.5 0.97 0.5     | - - - -   | 0.5 0   | -       | same    | 0 0 0 0
                    ... and the publishers want as much                     | unclear         | full   | 0.97 0.97 0.5    | - - - -   | 0.5 0   | -       | same    | 0 0 0 0
                    ... and no core is idle                                 | machine         | full   | 0.97 0.97 0.5    | - - - -   | 0.05 0  | -       | same    | 0 0 0 0
                    it held publishers back for most of the time            | relay           | full   | 0.5 0.5 0.5      | 1 1 0 0   | 0.5 0   | 0.8 0   | ?       | 0 0 0 0
                    ... for its subscriber's sake                           | unclear         | full   | 0.5 0.5 0.5      | 1 1 0 0   | 0.5 0   | 0.8 0.8 | ?       | 0 0 0 0
                    it wants a core for most of the time                    | relay           | full   | 0.5 0.75 0.5     | 1 1 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... and got it for the half of that, where none is idle | machine         | full   | 0.5 0.41+0.42 0.5 | 1 1 0 0  | 0.0 0   | 0 0     | ?       | 0 0 0 0
                    ... which some are                                      | relay           | full   | 0.5 0.41+0.42 0.5 | 1 1 0 0  | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... and held publishers back meanwhile                  | machine         | full   | 0.5 0.3+0.3 0.5  | 1 1 0 0   | 0.0 0   | 0.8 0   | ?       | 0 0 0 0
                    ... for half of it                                      | unclear         | full   | 0.6 0.5 0.5      | 1 1 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    the link in is full                                     | link            | full   | 0.5 0.97 0.5     | 1 1 0 0   | 0.5 0   | 0 0     | 0.96 0  | 0 0 0 0
                    the link out is full                                    | link            | full   | 0.5 0.97 0.5     | 1 1 1 0   | 0.5 0   | 0 0     | 0 0.96  | 0 0 0 0
                    the relay cannot send what the subscriber would read    | link            | full   | 0.5 0.5 0.5      | 1 1 1 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... for want of a core for the network                  | machine         | full   | 0.5 0.5 0.5      | 1 1 1 0   | 0.05 .3 | 0 0     | ?       | 0 0 0 0
                    the subscriber has not read                             | subscriber      | full   | 0.5 0.5 0.97     | 1 1 1 1   | 0.5 0   | 0.8 0.8 | ?       | 0 0 0 0
                    ... and got no core                                     | machine         | full   | 0.5 0.5 0.6+0.37 | 1 1 1 1   | 0.05 0  | 0.8 0.8 | ?       | 0 0 0 0
                    ... but holds no publisher back                         | publisher       | full   | 0.97 0.5 0.97    | 0 0 1 1   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    only the relay tells of a slow subscriber               | subscriber      | full   | 0.5 0.5 0.5      | - - - -   | 0.5 0   | 0.8 0.8 | same    | 0 0 0 0
                    the relay runs elsewhere, between full and empty queues | relay or its host | full | 0.5 - 0.5        | 1 - - 0   | 0.5 0   | -       | ?       | 0 0 0 0
                    ... and says that a subscriber's link is slow           | link            | full   | 0.5 - 0.5        | 1 - - 0   | 0.5 0   | 0 0.8   | ?       | 0 0 0 0
                    the publisher cannot send what the relay would read     | link            | full   | 0.5 0.5 0.5      | 1 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... on one machine                                      | unclear         | full   | 0.5 0.5 0.5      | 1 0 0 0   | 0.5 0   | 0 0     | same    | 0 0 0 0
                    the publisher's thread is all busy and nothing waits    | publisher       | full   | 0.97 0.5 0.5     | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    the publisher does nothing and nothing waits            | publisher       | full   | 0.1 0.1 0.1      | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    nothing is busy but the machine                         | machine         | full   | 0.6 0.5 0.5      | 0 0 0 0   | 0.05 0  | 0 0     | ?       | 0 0 0 0
                    nothing is                                              | unclear         | full   | 0.6 0.5 0.5      | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    a sender without a relay, all busy                      | publisher       | direct | 0.97 - 0.5       | - - 0 0   | 0.5 0   | -       | same    | 0 0 0 0
                    ... which waited for a core                             | machine         | direct | 0.5+0.47 - 0.5   | - - 0 0   | 0.0 0   | -       | same    | 0 0 0 0
                    ... and the subscriber does not read                    | subscriber      | direct | 0.5 - 0.97       | - - 1 1   | 0.5 0   | -       | same    | 0 0 0 0
                    ... and nothing came for long                           | publisher       | direct | 0.5 - 0.5        | - - 0 0   | 0.5 0   | -       | same    | 0 0 0 4000
                    a rate that was kept                                    | nothing         | kept   | 0.5 0.97 0.5     | 1 1 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... where newer messages stand for others               | nothing         | conflated | 0.5 0.5 0.5   | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 4000
                    ... but for messages on the window's edges              | nothing         | edge   | 0.5 0.97 0.5     | 1 1 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... late, and the publisher waited for a core           | machine         | late   | 0.5+0.4 0.5 0.5  | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... late, and nothing says why                          | unclear         | late   | 0.5 0.5 0.5      | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... late, for the relay did not take them               | relay           | late   | 0.5 0.5 0.5      | .4 .4 0 0 | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    ... which waited for a core                             | machine         | late   | 0.5 0.3+0.4 0.5  | .4 .4 0 0 | 0.0 0   | 0 0     | ?       | 0 0 0 0
                    ... late, for the relay waited for a subscriber         | subscriber      | late   | 0.5 0.5 0.5      | 0 0 0 0   | 0.5 0   | 0.4 0.4 | ?       | 0 0 0 0
                    a rate that was missed                                  | relay           | missed | 0.5 0.97 0.5     | 1 1 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 0
                    deliveries stood still, and so did the machine          | machine         | full   | 0.5 0.97 0.5     | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 3000 0 0 4000
                    ... the publishers                                      | publisher       | full   | 0.5 0.97 0.5     | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 3000 0 4000
                    ... the subscribers                                     | subscriber      | full   | 0.5 0.97 0.5     | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 3000 4000
                    ... nobody who says so                                  | relay           | full   | 0.5 0.2 0.5      | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 4000
                    ... for a moment                                        | publisher       | full   | 0.97 0.5 0.5     | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 300
                    a paced run stood still                                 | relay           | kept   | 0.5 0.2 0.5      | 0 0 0 0   | 0.5 0   | 0 0     | ?       | 0 0 0 300
                    """)
    void bound(
            String what,
            String by,
            String rates,
            String cpu,
            String queues,
            String machine,
            String holds,
            String link,
            String still) {
        String[] busy = cpu.split(" ");
        String[] waiting = queues.split(" ");
        String[] cores = machine.split(" +");
        String[] stood = still.split(" ");
        Signals signals = new Signals(
                RATES.get(rates),
                new Sampled(
                        20,
                        Stream.of(
                                        share(Role.PUBLISHER, busy[0]),
                                        share(Role.RELAY, busy[1]),
                                        share(Role.SUBSCRIBER, busy[2]))
                                .flatMap(Optional::stream)
                                .toList(),
                        true,
                        new MachineShare(4, number(cores[0]), number(cores[1]), 0, 0, 0, "", 1),
                        null,
                        new Queues(queue(waiting[0]), queue(waiting[1]), queue(waiting[2]), queue(waiting[3])),
                        Double.NaN),
                holds.equals("-")
                        ? RelayHolds.UNKNOWN
                        : new RelayHolds(number(holds.split(" ")[0]), number(holds.split(" ")[1]), 0.5),
                link(link),
                new Standstills(
                        still(stood[0]),
                        still(stood[1]),
                        still(stood[2]),
                        still(stood[3]),
                        still(stood[3]).longestNanos()));
        BoundBy bound = Classifier.classify(signals);
        assertThat(bound.kind()).as("%s: %s", what, bound.reasons()).hasToString(by);
        assertThat(bound.reasons()).isNotEmpty();
    }

    private static Optional<CpuShare> share(Role role, String text) {
        String[] parts = text.split("\\+");
        return text.equals("-")
                ? Optional.empty()
                : Optional.of(new CpuShare(
                        role, role + "", "main", number(parts[0]), parts.length == 1 ? 0 : number(parts[1])));
    }

    private static Queue queue(String text) {
        return text.equals("-") ? Queue.UNSEEN : new Queue(1, 20, number(text), 64 << 10);
    }

    private static LinkShare link(String text) {
        return switch (text) {
            case "?" -> new LinkShare(Double.NaN, Double.NaN, true, true);
            case "same" -> new LinkShare(Double.NaN, Double.NaN, false, false);
            default -> new LinkShare(number(text.split(" +")[0]), number(text.split(" +")[1]), true, true);
        };
    }

    private static Still still(String millis) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(millis));
        return nanos == 0 ? Still.NONE : new Still(nanos, 1, nanos);
    }

    private static double number(String text) {
        return Double.parseDouble(text);
    }
}
