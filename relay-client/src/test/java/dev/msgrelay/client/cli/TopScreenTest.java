package dev.msgrelay.client.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.protocol.text.TextWidth;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The lines of the screen, from events as a relay tells them. */
class TopScreenTest {
    private static final String ABOUT = """
            {"host":"alder","version":"1.2","journal":"/data","transport":"epoll","slowSubscriber":"disconnect",
             "counters":[{"key":"heldBack","limit":true},{"key":"pinsEvicted","limit":true},{"key":"failures","limit":false}],
             "parts":[{"part":"log","text":"log","atStart":true,"limit":100},
                      {"part":"frames","text":"frames begun, long","atStart":false,"limit":1000},
                      {"part":"names","text":"names","atStart":false,"limit":0}]}""";

    private static final String STATS = """
            {"time":"2026-01-02T03:04:05.678Z","elapsedSeconds":%s,"ready":%s,"messagesIn":%d,"bytesIn":%d,
             "messagesOut":%d,"bytesOut":%d,"publishers":1,"subscribers":2,"behind":1,"logBytes":64000000,"logSeconds":12.5,
             "rate":{"messagesInPerSecond":1000000.0,"bytesInPerSecond":1e8,"messagesOutPerSecond":2e6,
                     "bytesOutPerSecond":2e8,"coreShare":0.123},
             "journalForcedLagMillis":3,"journalFileBytes":134000000,"journalFreeBytes":5000000000,
             "largestLagBytes":12900000,
             "heldBack":%d,"pinsEvicted":0,"failures":3,"closes":{"SLOW_SUBSCRIBER":2,"PEER_CLOSED":7},
             "memory":{"log":100,"frames":250,"names":0},
             "ended":[{"time":"2026-01-02T03:04:01Z","who":"subscriber 1.2.3.4:5 (audit)","reason":"SLOW_SUBSCRIBER","detail":"9 behind"}],
             "lagging":[{"id":8,"name":"audit\\u001b[31m","address":"127.0.0.1:4242","policy":"skip","types":"",
                         "messagesPerSecond":1234.5,"lagMessages":99,"lagBytes":12900000,"lagSeconds":3.2,"ageMillis":61000,"state":"open"},
                        {"id":9,"name":"","address":"127.0.0.1:4243","policy":"skip","types":"7",
                         "messagesPerSecond":0.0,"lagMessages":0,"lagBytes":0,"lagSeconds":0.0,"ageMillis":1000,"state":"connected"}]}""";

    private static JsonObject stats(double elapsed, long messages, long heldBack) throws JsonParserException {
        return JsonParser.object()
                .from(String.format(
                        Locale.ROOT,
                        STATS,
                        elapsed,
                        true,
                        messages,
                        messages * 100,
                        messages * 2,
                        messages * 200,
                        heldBack));
    }

    private static List<String> lines(JsonObject before, JsonObject now, int width, int height)
            throws JsonParserException {
        return new TopScreen(JsonParser.object().from(ABOUT)).lines(before, now, width, height);
    }

    @Test
    void everythingOfTwoEvents() throws Exception {
        List<String> lines = lines(stats(10, 1_000_000, 5), stats(12, 3_000_000, 6), 160, 50);
        assertThat(lines)
                .containsExactly(
                        "ready  alder  1.2  up 12s  2026-01-02T03:04:05Z",
                        "in       1.00 M msg/s, 100 MB/s, 3,000,000 messages, publishers 1",
                        "out      2.00 M msg/s, 200 MB/s, 6,000,000 messages, subscribers 2",
                        "lag      1 over 1 s behind, the furthest 12.9 MB; the log has 12s, 64.0 MB",
                        "core     12 % of a processor; epoll; slow subscribers: disconnect",
                        "journal  3 ms behind, 134 MB in files, 5.00 GB free",
                        "limits   heldBack 6 (+1)",
                        "memory   frames begun, long 250 B of 1.00 kB",
                        "closed   SLOW_SUBSCRIBER 2  PEER_CLOSED 7",
                        "  2026-01-02T03:04:01Z  subscriber 1.2.3.4:5 (audit): SLOW_SUBSCRIBER, 9 behind",
                        "",
                        lines.get(11),
                        lines.get(12),
                        lines.get(13));
        // What one comes for is the first, and a terminal of 80 columns has it.
        assertThat(lines.get(11))
                .isEqualTo("     lag seconds state          msg/s name            age address               policy"
                        + "       id types");
        // What a client calls itself does nothing to the terminal.
        assertThat(lines.get(12))
                .matches(" 12\\.9 MB       3 open {10}1\\.23 k audit\ufffd\\[31m +61s 127.0.0.1:4242 +skip +8 all");
        assertThat(lines.get(13)).matches(" {5}0 B      <1 connected +0 +1s 127.0.0.1:4243 +skip +9 7");
    }

    /** At 80 columns, of which a terminal's last one stays free. */
    @Test
    void everyRowShowsItsLagAndStateAndNothingIsCutAbove() throws Exception {
        List<String> lines = lines(stats(10, 1_000_000, 5), stats(12, 3_000_000, 6), 79, 24);
        List<String> wide = lines(stats(10, 1_000_000, 5), stats(12, 3_000_000, 6), 160, 24);
        assertThat(lines.subList(0, 9)).isEqualTo(wide.subList(0, 9));
        assertThat(lines.get(12)).contains("12.9 MB", "open", "127.0.0.1:4242");
        assertThat(lines.get(13)).contains("0 B", "connected", "127.0.0.1:4243");
    }

    /** A node of a cluster says which one it is, and a relay that is not ready says that first. */
    @Test
    void aNodeOfACluster() throws Exception {
        JsonObject now = stats(10, 5, 0);
        now.put("ready", false);
        now.put("status", "without a leader");
        now.put("cluster", JsonParser.object().from("{\"name\":\"orders\",\"node\":2,\"leader\":0}"));
        now.remove("rate");
        List<String> lines = lines(now, now, 79, 24);
        assertThat(lines.get(0)).startsWith("WITHOUT A LEADER  alder  node 2 of orders, follows  1.2  up 10s");
        assertThat(lines.get(1)).startsWith("in       - msg/s, - B/s, 5 messages");
        assertThat(lines).noneMatch(line -> line.startsWith("limits"));
    }

    @Test
    void withoutAnEarlierEventNothingIsNew() throws Exception {
        assertThat(lines(stats(10, 5, 6), stats(10, 5, 6), 160, 50)).contains("limits   heldBack 6");
    }

    @Test
    void whoGetsTheStateIsMarked() throws Exception {
        JsonObject now = stats(10, 5, 6);
        now.getArray("lagging").getObject(0).put("waitsFor", "state");
        List<String> lines = lines(now, now, 160, 50);
        assertThat(lines.get(lines.size() - 2)).contains(" open, state ");
        assertThat(lines.get(lines.size() - 1)).contains(" connected ");
    }

    @Test
    void theIntervalIsBesideThePolicy() throws Exception {
        JsonObject now = stats(10, 5, 6);
        JsonObject every = now.getArray("lagging").getObject(0);
        every.put("policy", "latest");
        every.put("intervalMillis", 500);
        JsonObject slow = now.getArray("lagging").getObject(1);
        slow.put("policy", "latest");
        slow.put("intervalMillis", 3_600_000);
        slow.put("conflated", 5);
        slow.put("state", "open");
        List<String> lines = lines(now, now, 160, 50);
        assertThat(lines.get(lines.size() - 2)).matches(".* open {10}.* 127\\.0\\.0\\.1:4242 {8}latest 500ms 8 all");
        assertThat(lines.get(lines.size() - 1)).matches(".* open, 5 con~ .* 127\\.0\\.0\\.1:4243 {8}latest 60m {3}9 7");
    }

    /** Names of two columns a character, and one that does not show. */
    @Test
    void wideNamesKeepTheColumns() throws Exception {
        for (String name : new String[] {"日本語", "日本語日本語日本語日本語", "e\u0301", "\uD83D\uDE00", "a\u200Bb"}) {
            JsonObject now = stats(10, 5, 6);
            now.getArray("lagging").getObject(0).put("name", name);
            List<String> lines = lines(now, now, 160, 50);
            String row = lines.get(lines.size() - 2);
            String other = lines.get(lines.size() - 1);
            assertThat(TextWidth.of(row.substring(0, row.indexOf("127.0.0.1"))))
                    .as(row)
                    .isEqualTo(other.indexOf("127.0.0.1"));
            for (int width = 0; width < 40; width++) {
                int columns = width;
                assertThat(lines(now, now, width, 50)).allMatch(line -> TextWidth.of(line) <= columns);
            }
        }
    }

    @Test
    void keepsToTheTerminal() throws Exception {
        for (int height : new int[] {1, 5, 8, 9, 24}) {
            for (int width : new int[] {0, 1, 20, 80}) {
                List<String> lines = lines(stats(10, 5, 6), stats(10, 5, 6), width, height);
                assertThat(lines).hasSizeLessThanOrEqualTo(height).allMatch(line -> line.length() <= width);
            }
        }
    }
}
