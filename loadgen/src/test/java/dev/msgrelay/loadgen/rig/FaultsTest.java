package dev.msgrelay.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.message.BodySizes;
import dev.msgrelay.loadgen.plan.Access;
import dev.msgrelay.loadgen.plan.Load;
import dev.msgrelay.loadgen.plan.Timing;
import dev.msgrelay.loadgen.rig.FakeRelay.Fault;
import dev.msgrelay.protocol.Policy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A relay that does one thing wrong fails the run, with a word for it: at a fixed rate; in thorough tests at full
 * speed, too, and where publishers are threads of its own process. A run takes a second, or three where messages are
 * waited for in vain.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultsTest {
    private static final Timing SHORT = new Timing(Duration.ofMillis(100), Duration.ofMillis(200));
    private static final int PUBLISHERS = 2;
    private static final int SUBSCRIBERS = 2;
    private static final int RATE = 2_000;

    private final Places places = new Places();

    private enum Pace {
        /**
         * Everything that was scheduled is sent, seconds late too. The fault is over before one publisher can have sent
         * its 600 messages, so that others of each come behind it, in whatever order the two are sent.
         */
        FIXED_RATE(100),
        FULL_SPEED(2_000);

        private final long distance;

        Pace(long distance) {
            this.distance = distance;
        }

        Load load() {
            return Load.oneToOne(100).withCounts(PUBLISHERS, SUBSCRIBERS).withRate(this == FIXED_RATE ? RATE : 0);
        }
    }

    @AfterAll
    void endAll() {
        places.close();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource(Pace.class)
    void withoutAFaultTheRunPasses(Pace pace) throws Exception {
        expectPass(Fault.NONE, pace, Policy.SKIP);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @EnumSource(Pace.class)
    void differentSizesPassToo(Pace pace) throws Exception {
        Load mixed = pace.load().withBody(BodySizes.parse("16-2000"));
        assertThat(faults(Fault.NONE, pace, mixed)).isEmpty();
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            BIT_IN_NUMBER           | 1 message corrupted
            BIT_IN_PADDING          | 1 message corrupted
            PADDING_ZEROED          | messages corrupted
            BIT_IN_TIME             | 1 message corrupted
            TIMES_ZEROED            | messages corrupted
            FOREIGN_TYPE            | 1 message foreign
            FOREIGN_PUBLISHER       | 1 message foreign
            DUPLICATE_IN_THE_MIDDLE | 1 message duplicated
            DUPLICATE_AFTER_THE_END | 1 message duplicated
            FIRST_FIVE_LOST         | 5 messages lost
            ONE_LOST                | 1 message lost
            PUBLISHERS_SWAPPED_FOR_ONE_SUBSCRIBER | got the messages of different publishers in another order
            OWN_MESSAGES_SWAPPED    | 1 message reordered
            WRONG_LENGTH            | connection ended
            """)
    void aFaultFailsTheRun(Fault fault, String word) throws Exception {
        expectFail(fault, Pace.FIXED_RATE, Policy.BACKPRESSURE, word);
    }

    /** Thorough, as the rules are those of the runs at a fixed rate, and the waiting is, too. */
    @Tag("thorough")
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest(name = "{0}")
    @EnumSource(value = Pace.class, names = "FULL_SPEED")
    void faultsFailTheRunAtOtherPacesToo(Pace pace) throws Exception {
        expectFail(Fault.BIT_IN_PADDING, pace, Policy.BACKPRESSURE, "1 message corrupted");
        expectFail(Fault.DUPLICATE_IN_THE_MIDDLE, pace, Policy.BACKPRESSURE, "1 message duplicated");
        expectFail(Fault.FIRST_FIVE_LOST, pace, Policy.BACKPRESSURE, "5 messages lost");
        expectFail(Fault.ONE_LOST, pace, Policy.BACKPRESSURE, "1 message lost");
        expectFail(Fault.LAST_LOST, pace, Policy.BACKPRESSURE, "1 message not delivered within ");
        expectFail(Fault.OWN_MESSAGES_SWAPPED, pace, Policy.BACKPRESSURE, "1 message reordered");
        expectFail(Fault.DROPPED_WITHOUT_A_GAP, pace, Policy.SKIP, "300 messages lost without a word");
        expectFail(Fault.CUT_OFF_WITHOUT_AN_ERROR, pace, Policy.DISCONNECT, "connection ended: closed by the relay");
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest(name = "{0}: {2}")
    @CsvSource(delimiter = '|', textBlock = """
            DROPPED_WITHOUT_A_GAP    | SKIP       | 300 messages lost without a word
            GAP_ONE_TOO_SHORT        | SKIP       | 1 message lost without a word
            GAP_ONE_TOO_LONG         | SKIP       | told that 301 messages do not come, 1 more than are missing
            CUT_OFF_WITHOUT_AN_ERROR | DISCONNECT | connection ended: closed by the relay
            """)
    void aLossThatIsNotToldFailsTheRunUnderAPolicyThatPermitsLosses(Fault fault, Policy policy, String word)
            throws Exception {
        expectFail(fault, Pace.FIXED_RATE, policy, word);
    }

    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @CsvSource({"DROPPED_AND_TOLD, SKIP", "CUT_OFF_AND_TOLD, DISCONNECT"})
    void aLossThatIsToldPassesUnderAPolicyThatPermitsIt(Fault fault, Policy policy) throws Exception {
        expectPass(fault, Pace.FIXED_RATE, policy);
    }

    private void expectPass(Fault fault, Pace pace, Policy policy) throws Exception {
        assertThat(faults(fault, pace, pace.load().withPolicy(policy)))
                .as("%s under %s at %s", fault, policy, pace)
                .isEmpty();
    }

    private void expectFail(Fault fault, Pace pace, Policy policy, String word) throws Exception {
        assertThat(faults(fault, pace, pace.load().withPolicy(policy)))
                .as("%s under %s at %s", fault, policy, pace)
                .anyMatch(line -> line.contains(word));
    }

    private List<String> faults(Fault fault, Pace pace, Load load) throws Exception {
        Policy answer = load.policy() == Policy.BACKPRESSURE ? null : load.policy();
        return Places.faults(places.at(place -> {
            try (FakeRelay relay = new FakeRelay(fault, pace.distance, answer, PUBLISHERS, SUBSCRIBERS)) {
                Contestant.Started started = relay.started();
                Contestant fake = new RemoteRelay(
                        started.publish(),
                        started.subscribe(),
                        load.policy(),
                        Access.OPEN,
                        Duration.ofSeconds(5),
                        null);
                return place.through(started, fake, load, SHORT, relay);
            }
        }));
    }
}
