package dev.msgrelay.loadgen.evidence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.msgrelay.loadgen.evidence.Sampled.CpuShare;
import dev.msgrelay.loadgen.evidence.Sampled.MachineShare;
import dev.msgrelay.loadgen.evidence.Sampled.Queue;
import dev.msgrelay.loadgen.evidence.Sampled.Queues;
import dev.msgrelay.loadgen.evidence.Watched.Role;
import dev.msgrelay.loadgen.host.CpuGroups;
import dev.msgrelay.loadgen.host.CpuGroups.Quota;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Samples of a recorded /proc, at times that the test says. */
class SamplerTest {
    private static final long RELAY = 100;
    private static final long PUBLISHER = 200;
    private static final long SUBSCRIBER = 300;
    private static final int PUBLISH_PORT = 9000;
    private static final int SUBSCRIBE_PORT = 8999;
    private static final Offset<Double> NEAR = within(1e-6);
    private static final int KIB = 1 << 10;

    private final RecordedProc proc = new RecordedProc();
    private final RecordedProc host = new RecordedProc();
    private final Watched watched = new Watched(
            List.of(
                    new Watched.Process(Role.RELAY, "relay", RELAY, false),
                    new Watched.Process(Role.PUBLISHER, "publisher 0", PUBLISHER, false),
                    new Watched.Process(Role.SUBSCRIBER, "subscriber 0", SUBSCRIBER, false)),
            PUBLISH_PORT,
            SUBSCRIBE_PORT);

    @Test
    void theBusiestThreadOfEachProcess() {
        proc.thread(RELAY, 101, "relay-loop-0", 5_000, 100).thread(RELAY, 102, "VM Thread", 90, 0);
        proc.thread(PUBLISHER, 201, "java", 1_000, 0);
        Sampler sampler = sampler(watched);
        sampler.first(0);
        proc.thread(RELAY, 101, "relay-loop-0", 5_970, 120).thread(RELAY, 102, "VM Thread", 100, 0);
        proc.thread(PUBLISHER, 201, "java", 1_300, 250);
        sampler.last(millis(1_000));

        Sampled sampled = sampler.sampled();
        assertThat(sampled.waitsKnown()).isTrue();
        assertThat(sampled.cpu()).hasSize(2);
        expect(sampled.busiest(Role.RELAY), "relay", "relay-loop-0", 0.97, 0.02);
        expect(sampled.busiest(Role.PUBLISHER), "publisher 0", "main", 0.3, 0.25);
        assertThat(sampled.busiest(Role.SUBSCRIBER).isSeen()).isFalse();
    }

    @Test
    void segmentsThatAreSentAgainAreAddedUpOverTheNamespaces() {
        proc.namespace(RELAY, "near").namespace(PUBLISHER, "near").namespace(SUBSCRIBER, "far");
        resent(RELAY, 7).resent(PUBLISHER, 7).resent(SUBSCRIBER, 100);
        Sampler sampler = sampler(watched);
        sampler.first(0);
        resent(RELAY, 10).resent(PUBLISHER, 10).resent(SUBSCRIBER, 101);
        sampler.last(millis(1_000));
        assertThat(sampler.sampled().resentSegments()).isEqualTo(4);
    }

    @Test
    void whatTheRelaySentAgainElsewhereIsNotKnown() {
        resent(PUBLISHER, 7);
        Sampler sampler = sampler(new Watched(watched.processes().subList(1, 2), PUBLISH_PORT, SUBSCRIBE_PORT));
        sampler.first(0);
        sampler.last(millis(1_000));
        assertThat(sampler.sampled().resentSegments()).isNaN();
    }

    @Test
    void whereTheSystemDoesNotTellNothingWasSentAgainThatIsKnown() {
        proc.with(RELAY + "/net/snmp", "Tcp: RtoAlgorithm RtoMin\nTcp: 1 200\n");
        Sampler sampler = sampler(watched);
        sampler.first(0);
        sampler.last(millis(1_000));
        assertThat(sampler.sampled().resentSegments()).isNaN();
    }

    private SamplerTest resent(long pid, int segments) {
        proc.with(
                pid + "/net/snmp",
                "Ip: Forwarding\nIp: 1\nTcp: RtoAlgorithm OutSegs RetransSegs InErrs\nTcp: 1 900 " + segments + " 0\n");
        return this;
    }

    @Test
    void compilersAreNotOnTheWayOfAMessage() {
        proc.thread(RELAY, 101, "relay-loop-0", 0, 0).thread(RELAY, 102, "C2 CompilerThre", 0, 0);
        Sampler sampler = sampler(watched);
        sampler.first(0);
        proc.thread(RELAY, 101, "relay-loop-0", 300, 0).thread(RELAY, 102, "C2 CompilerThre", 990, 0);
        sampler.last(millis(1_000));
        expect(sampler.sampled().busiest(Role.RELAY), "relay", "relay-loop-0", 0.3, 0);
    }

    @Test
    void threadsThatComeAndGoCountForWhatTheyRan() {
        proc.thread(RELAY, 101, "goes", 7_000, 0);
        Sampler sampler = sampler(watched);
        sampler.first(0);
        proc.thread(RELAY, 101, "goes", 11_000, 0);
        sampler.next(millis(5_000));
        proc.without(RELAY + "/task/101");
        proc.thread(RELAY, 103, "comes", 500, 0);
        sampler.last(millis(10_000));
        expect(sampler.sampled().busiest(Role.RELAY), "relay", "goes", 0.4, 0);

        proc.thread(RELAY, 103, "comes", 9_500, 0);
        sampler.last(millis(20_000));
        expect(sampler.sampled().busiest(Role.RELAY), "relay", "comes", 0.475, 0);
    }

    @Test
    void aThreadThatEndedBeforeTheLastLookGetsWhatItsProcessHasUsedBeyondTheOthers() {
        proc.thread(PUBLISHER, 201, "main", 100, 0).thread(PUBLISHER, 202, "publisher-0", 3_000, 0);
        proc.thread(PUBLISHER, 203, "C2 CompilerThre", 4_000, 0).process(PUBLISHER, 1, "java", 7_100);
        Sampler sampler = sampler(watched);
        sampler.first(0);
        proc.without(PUBLISHER + "/task/202").without(PUBLISHER + "/task/203");
        proc.thread(PUBLISHER, 201, "main", 110, 0).process(PUBLISHER, 1, "java", 7_960);
        sampler.last(millis(1_000));
        expect(sampler.sampled().busiest(Role.PUBLISHER), "publisher 0", "publisher-0", 0.85, 0);
    }

    @Test
    void otherProgramsAreNamed() {
        proc.thread(RELAY, 101, "relay-loop-0", 0, 0).process(RELAY, 1, "java", 1_000);
        proc.process(7, 1, "yes", 500).process(8, 2, "ksoftirqd/0", 100).process(9, 1, "sh", 100);
        proc.with("stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1\ncpu1 1 1 1 1 1 1 1 1\n");
        proc.with("cpuinfo", "cpu MHz : 3000.0\n");
        Sampler sampler = sampler(watched);
        sampler.first(0);
        proc.thread(RELAY, 101, "relay-loop-0", 900, 0).process(RELAY, 1, "java", 1_900);
        proc.process(7, 1, "yes", 1_100).process(8, 2, "ksoftirqd/0", 900);
        proc.with("stat", "cpu  250 0 140 810 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1\ncpu1 1 1 1 1 1 1 1 1\n");
        proc.with("cpuinfo", "cpu MHz : 2400.0\n");
        sampler.last(millis(1_000));
        MachineShare machine = sampler.sampled().machine();
        assertThat(machine.own()).isCloseTo(0.45, NEAR);
        // By the machine's books 0.95 were not idle and 0.45 are ours; the kernel's threads are in there.
        assertThat(machine.others()).isCloseTo(0.5, NEAR);
        assertThat(machine.busiest()).isEqualTo("yes (pid 7)");
        assertThat(machine.clock()).isCloseTo(0.8, NEAR);
    }

    @Test
    void threadsAreLookedAtEveryFiveSeconds() {
        proc.thread(RELAY, 101, "relay-loop-0", 0, 0);
        Sampler sampler = sampler(watched);
        sampler.first(0);
        for (int i = 1; i < 25; i++) {
            sampler.next(millis(500L * i));
        }
        sampler.last(millis(12_500));
        assertThat(proc.reads(RELAY + "/task/101/schedstat")).isEqualTo(4);
        assertThat(proc.reads(RELAY + "/task/101/comm")).isEqualTo(1);
        assertThat(sampler.sampled().samples()).isEqualTo(26);
    }

    @Test
    void withoutSchedulerStatisticsTheTicksOfStatServe() {
        String stat = "101 (a (b) c) R 1 101 101 0 -1 4194560 1 0 0 0 %d %d 0 0 20 0 30 0 2\n";
        proc.with(RELAY + "/task/101/comm", "relay-loop-0\n")
                .with(RELAY + "/task/101/stat", String.format(Locale.ROOT, stat, 100, 50));
        Sampler sampler = sampler(watched);
        sampler.first(0);
        proc.with(RELAY + "/task/101/stat", String.format(Locale.ROOT, stat, 150, 80));
        sampler.last(millis(1_000));
        assertThat(sampler.sampled().waitsKnown()).isFalse();
        expect(sampler.sampled().busiest(Role.RELAY), "relay", "relay-loop-0", 0.8, 0);
    }

    @Test
    void queuesOfEachEndInOneNamespace() {
        proc.namespace(RELAY, "1").namespace(PUBLISHER, "1").namespace(SUBSCRIBER, "1");
        proc.connections(RELAY, new int[][] {
            {PUBLISH_PORT, 50_001, 0, 500 * KIB},
            {50_001, PUBLISH_PORT, 4_000 * KIB, 0},
            {SUBSCRIBE_PORT, 50_002, 100 * KIB, 0},
            {50_002, SUBSCRIBE_PORT, 0, 64 * KIB},
            {40_000, 40_001, 900 * KIB, 900 * KIB}
        });
        Queues queues = sampleOften().queues();
        assertThat(queues)
                .isEqualTo(new Queues(
                        new Queue(1, 5, 1, 4_000 * KIB),
                        new Queue(1, 5, 1, 500 * KIB),
                        new Queue(1, 5, 1, 100 * KIB),
                        new Queue(1, 5, 1, 64 * KIB)));
        assertThat(proc.reads(RELAY + "/net/tcp")).isEqualTo(5);
        assertThat(proc.reads(RELAY + "/net/tcp6"))
                .as("nothing of the run is in it")
                .isEqualTo(1);
        assertThat(proc.reads(PUBLISHER + "/net/tcp"))
                .as("the same namespace is read once")
                .isZero();
    }

    @Test
    void inSeveralNamespacesEachEndIsSeenByItsOwnProcess() {
        proc.namespace(RELAY, "1").namespace(PUBLISHER, "1").namespace(SUBSCRIBER, "2");
        proc.connections(
                RELAY,
                new int[] {SUBSCRIBE_PORT, 50_002, 2_000 * KIB, 0},
                // Not this relay's subscriber: none of them lives here.
                new int[] {50_003, SUBSCRIBE_PORT, 0, 777 * KIB});
        proc.connections(
                SUBSCRIBER,
                new int[] {50_002, SUBSCRIBE_PORT, 0, 10},
                // Another program's port of the same number.
                new int[] {SUBSCRIBE_PORT, 50_004, 777 * KIB, 0});
        Queues queues = sampleOften().queues();
        assertThat(queues.relaySend()).isEqualTo(new Queue(1, 5, 1, 2_000 * KIB));
        assertThat(queues.subscriberReceive()).isEqualTo(new Queue(1, 5, 0, 10));
    }

    @Test
    void whereNamespacesCannotBeToldEachProcessIsAsked() {
        proc.connections(SUBSCRIBER, new int[] {50_002, SUBSCRIBE_PORT, 0, 10});
        assertThat(sampleOften().queues().subscriberReceive()).isEqualTo(new Queue(1, 5, 0, 10));
    }

    @Test
    void theConnectionThatWaitsMostOftenSpeaks() {
        Sampler sampler = sampler(watched);
        for (int i = 0; i < 10; i++) {
            int now = i < 4 ? 1_000 * KIB : 0;
            proc.connections(
                    RELAY,
                    new int[] {SUBSCRIBE_PORT, 50_001, now, 0},
                    new int[] {SUBSCRIBE_PORT, 50_002, 40 * KIB, 0},
                    new int[] {SUBSCRIBE_PORT, 50_003, Queue.LONG_BYTES - 1, 0});
            sampler.next(millis(100L * i));
        }
        Queue queue = sampler.sampled().queues().relaySend();
        assertThat(queue).isEqualTo(new Queue(3, 10, 1, 40 * KIB));
        assertThat(queue.isFull()).isTrue();
    }

    @Test
    void whoHoldsNobodyBackCountsForTheMachineAlone() {
        long slow = 400;
        proc.namespace(RELAY, "1").namespace(SUBSCRIBER, "1").namespace(slow, "1");
        int[][] connections = {
            {SUBSCRIBE_PORT, 50_002, 0, 0, 71},
            {50_002, SUBSCRIBE_PORT, 0, 0, 72},
            {SUBSCRIBE_PORT, 50_003, 2_000 * KIB, 0, 73},
            {50_003, SUBSCRIBE_PORT, 0, 2_000 * KIB, 74}
        };
        proc.connections(RELAY, connections).connections(slow, connections);
        proc.socket(slow, 3, 70).socket(slow, 4, 74).thread(slow, 401, "java", 0, 0);
        Sampler sampler = sampler(new Watched(
                List.of(
                        new Watched.Process(Role.RELAY, "relay", RELAY, false),
                        new Watched.Process(Role.SUBSCRIBER, "subscriber 0", SUBSCRIBER, false),
                        new Watched.Process(Role.SUBSCRIBER, "slow subscriber", slow, true)),
                PUBLISH_PORT,
                SUBSCRIBE_PORT));
        proc.with("stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1\n");
        sampler.first(0);
        sampler.next(millis(100));
        proc.thread(slow, 401, "java", 500, 0);
        proc.with("stat", "cpu  150 0 100 850 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1\n");
        sampler.last(millis(1_000));
        Sampled sampled = sampler.sampled();
        assertThat(sampled.queues().relaySend()).isEqualTo(new Queue(1, 3, 0, 0));
        assertThat(sampled.queues().subscriberReceive()).isEqualTo(new Queue(1, 3, 0, 0));
        assertThat(sampled.busiest(Role.SUBSCRIBER).isSeen()).isFalse();
        assertThat(sampled.machine().own()).isCloseTo(0.5, NEAR);
    }

    @Test
    void whatWasHardlySeenIsUnknown() {
        proc.connections(RELAY, new int[] {SUBSCRIBE_PORT, 50_001, 1_000 * KIB, 0});
        Sampler sampler = sampler(watched);
        sampler.first(0);
        sampler.last(millis(10));
        assertThat(sampler.sampled().queues()).isEqualTo(Queues.UNSEEN);
    }

    @Test
    void unixSocketsAreNotLookedFor() {
        proc.connections(RELAY, new int[] {SUBSCRIBE_PORT, 50_001, 1_000 * KIB, 0});
        Sampler sampler = sampler(new Watched(watched.processes(), -1, -1));
        for (int i = 0; i < 5; i++) {
            sampler.next(millis(100L * i));
        }
        assertThat(sampler.sampled().queues()).isEqualTo(Queues.UNSEEN);
        assertThat(proc.reads(RELAY + "/net/tcp")).isZero();
    }

    @Test
    void machine() {
        proc.namespace(RELAY, "1").namespace(PUBLISHER, "1").namespace(SUBSCRIBER, "2");
        proc.with("stat", "cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 1 1 1 1 1 1 1 1\n");
        Sampler sampler = sampler(watched);
        sampler.first(0);
        proc.with("stat", "cpu  180 0 150 860 0 0 10 0 0 0\ncpu0 1 1 1 1 1 1 1 1\n");
        sampler.last(millis(1_000));
        Sampled sampled = sampler.sampled();
        assertThat(sampled.machine().cores()).isEqualTo(1);
        assertThat(sampled.machine().idle()).isCloseTo(0.3, NEAR);
        assertThat(sampled.machine().softirq()).isCloseTo(0.05, NEAR);
    }

    /** What a group has done before the window is none of the run's. */
    @Test
    void theQuotaOfTheRunsGroup() {
        host.with("proc/self/cgroup", "0::/pod");
        host.with("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
        host.with("sys/fs/cgroup/pod/cpu.max", "60000 100000");
        host.with("sys/fs/cgroup/pod/cpu.stat", "usage_usec 7\nnr_periods 100\nnr_throttled 9\nthrottled_usec 500000");
        Sampler sampler = sampler(watched);
        sampler.first(0);
        host.with("sys/fs/cgroup/pod/cpu.stat", "usage_usec 9\nnr_periods 150\nnr_throttled 12\nthrottled_usec 620000");
        sampler.last(millis(1_000));
        assertThat(sampler.sampled().quota()).isEqualTo(new Quota("/sys/fs/cgroup/pod", 0.6, 50, 3, 120_000_000));
    }

    @Test
    void withoutAnyFileNothingIsKnown() {
        Sampled sampled = sampleOften();
        assertThat(sampled.cpu()).isEmpty();
        assertThat(sampled.machine()).isEqualTo(MachineShare.UNSEEN);
        assertThat(sampled.quota()).isNull();
        assertThat(sampled.queues()).isEqualTo(Queues.UNSEEN);
    }

    private Sampler sampler(Watched them) {
        return new Sampler(proc, CpuGroups.of(host), them);
    }

    private Sampled sampleOften() {
        Sampler sampler = sampler(watched);
        sampler.first(0);
        for (int i = 1; i < 4; i++) {
            sampler.next(millis(100L * i));
        }
        sampler.last(millis(400));
        return sampler.sampled();
    }

    private static void expect(CpuShare share, String process, String thread, double run, double waited) {
        assertThat(share.process()).isEqualTo(process);
        assertThat(share.thread()).isEqualTo(thread);
        assertThat(share.run()).isCloseTo(run, NEAR);
        assertThat(share.waited()).isCloseTo(waited, NEAR);
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
