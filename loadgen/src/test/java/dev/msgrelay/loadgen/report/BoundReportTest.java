package dev.msgrelay.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonWriter;
import dev.msgrelay.loadgen.bound.BoundBy;
import dev.msgrelay.loadgen.bound.BoundKind;
import dev.msgrelay.loadgen.bound.Confidence;
import dev.msgrelay.loadgen.bound.CpuShare;
import dev.msgrelay.loadgen.bound.LinkShare;
import dev.msgrelay.loadgen.bound.MachineShare;
import dev.msgrelay.loadgen.bound.Queue;
import dev.msgrelay.loadgen.bound.Queues;
import dev.msgrelay.loadgen.bound.Rates;
import dev.msgrelay.loadgen.bound.RelayHolds;
import dev.msgrelay.loadgen.bound.Role;
import dev.msgrelay.loadgen.bound.Sampled;
import dev.msgrelay.loadgen.bound.Signals;
import dev.msgrelay.loadgen.bound.TcpSegments;
import dev.msgrelay.loadgen.run.Timeline;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a run was bound by, in its table and in its JSON. */
class BoundReportTest {
    private static final Rates RATES = new Rates(0, 1, 1, 0, 10);

    @Test
    void aSureVerdictIsToldWithItsReasons() {
        BoundBy bound = new BoundBy(
                BoundKind.RELAY_CPU, Confidence.HIGH, List.of("it ran", "much waits"), List.of(), List.of());
        assertThat(BoundText.lines(bound)).containsExactly("  bound by  relay CPU: it ran", "            much waits");
    }

    @Test
    void doubtsAndWhatWasNotSeenAreTold() {
        BoundBy bound = new BoundBy(
                BoundKind.MACHINE,
                Confidence.MEDIUM,
                List.of("no core was idle"),
                List.of(BoundKind.RELAY_CPU, BoundKind.PUBLISHER),
                List.of("a", "b"));
        assertThat(BoundText.lines(bound))
                .containsExactly(
                        "  bound by  machine (medium confidence; or relay CPU, or publisher): no core was idle",
                        "            not seen: a, b");
    }

    @Test
    void aRateThatWasKeptNeedsNoExcuse() {
        BoundBy bound = new BoundBy(BoundKind.NOTHING, Confidence.HIGH, List.of("kept"), List.of(), List.of("queues"));
        assertThat(BoundText.lines(bound)).containsExactly("  bound by  nothing: kept");
    }

    @Test
    void jsonOfAVerdict() throws Exception {
        BoundBy bound =
                new BoundBy(BoundKind.RELAY_CPU, Confidence.LOW, List.of("x"), List.of(BoundKind.RING), List.of("y"));
        assertThat(JsonWriter.string(BoundJson.bound(bound)))
                .isEqualTo("{\"kind\":\"relay CPU\",\"confidence\":\"low\",\"reasons\":[\"x\"],"
                        + "\"alternatives\":[\"ring\"],\"unseen\":[\"y\"]}");
    }

    @Test
    void jsonOfAllSignals() throws Exception {
        Queue queue = new Queue(2, 40, 0.98765, 1_234.6);
        Sampled sampled = new Sampled(
                40,
                List.of(new CpuShare(Role.RELAY, "relay", "relay-loop-0", 0.97123, 0.0201)),
                true,
                new MachineShare(2, 0.1, 0.2, 0.03, 0.4),
                new Queues(queue, null, queue, null),
                new TcpSegments(1_000, 3));
        Signals signals =
                new Signals(RATES, sampled, new RelayHolds(0.5, 0.25, 0.125), new LinkShare(0.5, 0.99, true, true));
        assertThat(parse(BoundJson.signals(signals)))
                .isEqualTo(JsonParser.object().from("""
                        {"samples":40,
                         "busiestThreads":[{"process":"relay","role":"relay","thread":"relay-loop-0","ran":0.971,"waited":0.02}],
                         "machine":{"cores":2,"idle":0.1,"softirq":0.2,"steal":0.03,"own":0.4},
                         "queues":{"publisherSend":{"connections":2,"samples":40,"waiting":0.988,"meanBytes":1235},
                                   "relayReceive":null,
                                   "relaySend":{"connections":2,"samples":40,"waiting":0.988,"meanBytes":1235},
                                   "subscriberReceive":null},
                         "segmentsSent":1000,"segmentsResent":3,
                         "relay":{"heldBack":0.5,"backpressure":0.25,"ringUsed":0.125},
                         "linkShareIn":0.5,"linkShareOut":0.99}
                        """));
    }

    @Test
    void jsonOfNoSignals() throws Exception {
        JsonObject json = parse(BoundJson.signals(new Signals(RATES, Sampled.NOTHING, null, LinkShare.UNKNOWN)));
        assertThat(json.getArray("busiestThreads")).isEmpty();
        for (String unknown : List.of("machine", "relay", "linkShareIn", "linkShareOut")) {
            assertThat(json.has(unknown)).as(unknown).isTrue();
            assertThat(json.isNull(unknown)).as(unknown).isTrue();
        }
    }

    @Test
    void jsonOfATimeline() throws Exception {
        Timeline timeline = new Timeline(List.of(
                new Timeline.Point(0.25, 1_000.4, 100_000, 2_000.6, 200_000, 77),
                new Timeline.Point(0.5, Double.NaN, Double.NaN, 2_000, 200_000, -1)));
        assertThat(JsonWriter.string(BoundJson.timeline(timeline)))
                .isEqualTo("[{\"seconds\":0.25,\"messagesIn\":1000,\"bytesIn\":100000,\"messagesOut\":2001,"
                        + "\"bytesOut\":200000,\"lagBytes\":77},"
                        + "{\"seconds\":0.5,\"messagesIn\":null,\"bytesIn\":null,\"messagesOut\":2000,"
                        + "\"bytesOut\":200000,\"lagBytes\":null}]");
    }

    /** Through text and back, so that numbers compare as a reader of the file would see them. */
    private static JsonObject parse(JsonObject json) throws Exception {
        return JsonParser.object().from(JsonWriter.string(json));
    }
}
