package dev.msgrelay.server.admin;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.AdminConfig;
import dev.msgrelay.server.figures.Counter;
import dev.msgrelay.server.harness.Account;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Frames;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.testing.TestProcess;
import dev.msgrelay.testing.ThisMachine;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus reads, what Grafana draws of it, and what alerts are about: all of one mind. */
class MetricsTest {
    private static final Pattern HELP = Pattern.compile("# HELP ([a-z_]+) \\S.*");
    private static final Pattern TYPE = Pattern.compile("# TYPE ([a-z_]+) (counter|gauge|histogram)");
    private static final Pattern SAMPLE = Pattern.compile("([a-z_]+)(?:\\{([a-z]+)=\"([^\"\\\\\n]*)\"})? (\\S+)");
    private static final Pattern NAME = Pattern.compile("\\brelay_[a-z_]+\\b");

    private static final Path PACKAGING = Path.of("..", "packaging");
    private static final Path RULES = PACKAGING.resolve("prometheus/relay-alerts.yml");
    private static final Path DASHBOARD = PACKAGING.resolve("grafana/relay-dashboard.json");

    @TempDir
    private Path directory;

    private static String text;
    private static String openMetrics;
    private static Http.Reply ratherProtobuf;

    @BeforeAll
    static void scrape(@TempDir Path journal) throws Exception {
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b.set(JOURNAL, journal)
                        .set(JOURNAL_FORCE, Duration.ofMillis(1))
                        .set(STATE, 4 << 20));
                AdminServer admin = AdminServer.start(relay.relay(), AdminConfig.parse("127.0.0.1:0", null));
                PlainPublisher publisher = relay.publisher()) {
            publisher.send(new Frames().frame(7, 10).frame(7, 10));
            relay.awaitMessagesIn(2);
            Await.until(
                    () -> "forced: " + relay.stats(),
                    () -> relay.stats().get(Counter.JOURNAL_FORCES) > 0
                            && relay.stats().get(Counter.JOURNAL_FREE_BYTES) > 0
                            && relay.stats().transits().count() > 0);
            try (PlainPublisher wrong = relay.publisher()) {
                wrong.send(new Frames().header(7, -1));
                relay.awaitClosed(CloseReason.NEGATIVE_LENGTH, 1);
                relay.awaitPublishers(1);
            }
            text = Http.get(admin.address(), "/metrics").body();
            openMetrics = Http.get(
                            admin.address(), "/metrics", "Accept: application/openmetrics-text;version=1.0.0,*/*;q=0.1")
                    .body();
            ratherProtobuf = Http.get(
                    admin.address(),
                    "/metrics",
                    "Accept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,"
                            + "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3");
        }
    }

    /** As Prometheus asks where it scrapes native histograms; the relay writes no protobuf. */
    @Test
    void whoWouldRatherHaveProtobufGetsTheNextBest() {
        assertThat(ratherProtobuf.is(200).header("Content-Type")).startsWith("application/openmetrics-text");
        assertThat(ratherProtobuf.body()).contains("\nrelay_messages_in_total ");
    }

    /** The samples by name and label; fails where a line is not as the format has it. */
    private static Map<String, Double> samples(String exposition) {
        Map<String, Double> samples = new LinkedHashMap<>();
        Map<String, String> types = new LinkedHashMap<>();
        Set<String> helped = new TreeSet<>();
        for (String line : exposition.split("\n")) {
            Matcher help = HELP.matcher(line);
            Matcher type = TYPE.matcher(line);
            Matcher sample = SAMPLE.matcher(line);
            if (help.matches()) {
                assertThat(helped.add(help.group(1))).as("told once: %s", line).isTrue();
            } else if (type.matches()) {
                assertThat(types.put(type.group(1), type.group(2)))
                        .as("told once: %s", line)
                        .isNull();
            } else {
                assertThat(sample.matches()).as("a sample: %s", line).isTrue();
                String whole = sample.group(1);
                String base = whole.replaceFirst("_(bucket|count|sum)$", "");
                String name = "histogram".equals(types.get(base)) ? base : whole;
                assertThat(helped).contains(name);
                assertThat(types).containsKey(name);
                assertThat(name.endsWith("_total"))
                        .as(line)
                        .isEqualTo(types.get(name).equals("counter"));
                String key = whole + (sample.group(3) == null ? "" : "/" + sample.group(3));
                assertThat(samples.put(key, Double.parseDouble(sample.group(4))))
                        .as("once: %s", line)
                        .isNull();
            }
        }
        return samples;
    }

    @Test
    void everyCounterReasonAndPart() {
        Map<String, Double> samples = samples(text);
        assertThat(samples.get("relay_journal_force_seconds_bucket/+Inf"))
                .isPositive()
                .isEqualTo(samples.get("relay_journal_force_seconds_count"));
        assertThat(samples.get("relay_journal_force_seconds_sum")).isPositive();
        assertThat(samples).containsEntry("relay_journal_failed", 0.0);
        Set<Counter> histogram = EnumSet.of(Counter.JOURNAL_FORCES, Counter.JOURNAL_FORCE_MILLIS);
        for (Counter counter : EnumSet.complementOf(EnumSet.copyOf(histogram))) {
            String name = "relay_" + counter.name().toLowerCase(Locale.ROOT).replaceFirst("_millis$", "_seconds")
                    + (counter.total() ? "_total" : "");
            assertThat(samples).containsKey(name);
        }
        assertThat(samples).containsEntry("relay_messages_in_total", 2.0).containsEntry("relay_publishers", 1.0);
        for (CloseReason reason : CloseReason.values()) {
            assertThat(samples)
                    .containsEntry(
                            "relay_connections_closed_total/" + reason,
                            reason == CloseReason.NEGATIVE_LENGTH ? 1.0 : 0.0);
        }
        for (Part part : Part.values()) {
            String label = "/" + part.name().toLowerCase(Locale.ROOT);
            assertThat(samples.get("relay_memory_used_bytes" + label))
                    .isBetween(0.0, samples.get("relay_memory_limit_bytes" + label));
        }
        assertThat(samples).containsEntry("relay_acknowledge_seconds_count", 0.0);
        assertThat(samples.get("relay_transit_seconds_count")).isBetween(1.0, 2.0);
        assertThat(samples.get("relay_transit_seconds_sum")).isPositive();
        assertThat(samples.get("process_cpu_seconds_total")).isPositive();
        assertThat(samples.get("jvm_memory_used_bytes/heap"))
                .isBetween(1.0, samples.get("jvm_memory_committed_bytes/heap"));
        assertThat(samples).containsKeys("process_start_time_seconds", "jvm_memory_max_bytes/nonheap");
        assertThat(samples.keySet()).noneMatch(name -> name.startsWith("relay_subscriber_"));
        assertThat(samples).containsKeys("relay_gc_seconds_total", "relay_ready", "relay_build_info/(not packaged)");
    }

    @Test
    void subscribersByName() throws Exception {
        AdminConfig twoNames = AdminConfig.parse("127.0.0.1:0", null).withMetricsNames("2");
        try (TestRelay relay = TestRelay.start(Setting.NIO_TCP, b -> b);
                AdminServer port = AdminServer.start(relay.relay(), twoNames);
                AdminServer chosen =
                        AdminServer.start(relay.relay(), twoNames.withMetricsNames("third, nobody,screen"))) {
            List<SpeakingSubscriber> subscribers = new ArrayList<>();
            for (String name : List.of("audit \"a\\", "screen", "third")) {
                subscribers.add(SpeakingSubscriber.connect(
                        relay.relay().subscribeAddress(), new Account(new Numbered(new Random(1), 1, 8))));
                subscribers
                        .get(subscribers.size() - 1)
                        .hello(HelloFrame.subscriber().name(name))
                        .awaitWelcome();
            }
            String exposition = Http.get(port.address(), "/metrics").body();
            assertThat(exposition.lines().filter(line -> line.startsWith("relay_subscriber_")))
                    .hasSize(8)
                    .contains("relay_subscriber_lag_bytes{name=\"audit \\\"a\\\\\"} 0.0")
                    .contains("relay_subscriber_lag_messages{name=\"screen\"} 0.0")
                    .noneMatch(line -> line.contains("third"));
            String ofThose = Http.get(chosen.address(), "/metrics").body();
            assertThat(ofThose.lines().filter(line -> line.startsWith("relay_subscriber_")))
                    .hasSize(8)
                    .contains("relay_subscriber_lag_messages{name=\"screen\"} 0.0")
                    .contains("relay_subscriber_lag_messages{name=\"third\"} 0.0");
            for (SpeakingSubscriber subscriber : subscribers) {
                subscriber.close();
            }
        }
        assertThatThrownBy(() -> twoNames.withMetricsNames("1001"))
                .hasMessage("metrics names 1001 is not within 0..1000");
        assertThatThrownBy(() -> twoNames.withMetricsNames("a,,b"))
                .hasMessage("metrics names 'a,,b' has an empty name");
        String tooMany = IntStream.range(0, 1_001).mapToObj(i -> "n" + i).collect(Collectors.joining(","));
        assertThatThrownBy(() -> twoNames.withMetricsNames(tooMany))
                .hasMessage("metrics names 1001 is not within 0..1000");
    }

    /** They are sorted by their names, and tools show each alone: none may speak of the one before it in the code. */
    @Test
    void eachIsUnderstoodByItself() {
        assertThat(text.lines().filter(line -> line.startsWith("# HELP")))
                .isNotEmpty()
                .noneMatch(
                        line -> line.matches(
                                ".*\\b(likewise|such|[a-z]+: (their|they|that they|that took|of their|one of them)|of them)\\b.*"));
    }

    @Test
    void inTheOtherFormatToo() {
        assertThat(openMetrics).endsWith("# EOF\n").contains("\nrelay_messages_in_total 2.0\n");
    }

    @Test
    void theDashboardDrawsWhatThereIs() throws Exception {
        JsonObject dashboard = JsonParser.object().from(Files.readString(DASHBOARD));
        JsonArray panels = dashboard.getArray("panels");
        assertThat(panels).isNotEmpty();
        Set<String> names = new TreeSet<>();
        for (Object panel : panels) {
            JsonArray targets = ((JsonObject) panel).getArray("targets");
            assertThat(targets).isNotEmpty();
            targets.forEach(target -> addNames(((JsonObject) target).getString("expr"), names));
        }
        assertThat(names).hasSizeGreaterThan(15);
        assertThat(metricNames()).containsAll(names);
    }

    @Test
    void alertsAreAboutWhatThereIs() throws Exception {
        Set<String> names = new TreeSet<>();
        addNames(Files.readString(RULES), names);
        assertThat(names).hasSizeGreaterThan(5);
        Set<String> there = metricNames();
        // node_exporter has these, from the file of a check of the journal.
        String check = new CheckMetrics(directory, true, 0, Instant.EPOCH, Duration.ZERO).text();
        check.lines().filter(l -> !l.startsWith("#")).forEach(l -> there.add(l.replaceFirst("\\{.*", "")));
        assertThat(there).containsAll(names);
        Matcher reasons = Pattern.compile("reason=~\"([^\"]+)\"").matcher(Files.readString(RULES));
        while (reasons.find()) {
            for (String reason : reasons.group(1).split("\\|")) {
                assertThat(CloseReason.values()).anyMatch(r -> r.name().matches(reason));
            }
        }
    }

    /** What is taken at the start is always used up, in a cluster and with a journal too. */
    @Test
    void onlyWhatIsTakenLaterCanBeNearlyUsedUp() throws Exception {
        Matcher parts = Pattern.compile("part!~\\\\?\"([a-z_|]+)")
                .matcher(Files.readString(RULES) + Files.readString(DASHBOARD));
        for (int file = 1; file <= 2; file++) {
            assertThat(parts.find()).isTrue();
            assertThat(parts.group(1).split("\\|"))
                    .containsExactlyInAnyOrder(Arrays.stream(Part.values())
                            .filter(Part::takenAtStart)
                            .map(part -> part.name().toLowerCase(Locale.ROOT))
                            .toArray(String[]::new));
        }
    }

    private static void addNames(String text, Set<String> names) {
        NAME.matcher(text).results().map(m -> m.group()).forEach(names::add);
    }

    private static Set<String> metricNames() {
        Set<String> names = new TreeSet<>();
        samples(text).keySet().forEach(key -> names.add(key.replaceFirst("/.*", "")));
        return names;
    }

    @Test
    void promtoolFindsNothingWrong() throws Exception {
        promtool(text, "check", "metrics");
        promtool("", "check", "rules", RULES.toAbsolutePath().normalize().toString());
        try (InputStream in = MetricsTest.class.getResourceAsStream("relay-alerts-test.yml")) {
            String cases = new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .replace("RULES", RULES.toAbsolutePath().normalize().toString());
            promtool(
                    "",
                    "test",
                    "rules",
                    Files.writeString(directory.resolve("cases.yml"), cases).toString());
        }
    }

    /** Its scrape is Prometheus' own configuration, which asks the admin port where it is by default. */
    @Test
    void theCollectorOfOpenTelemetryScrapesTheAdminPort() throws Exception {
        List<String> scrape = Files.readAllLines(PACKAGING.resolve("otel/collector.yaml")).stream()
                .dropWhile(line -> !line.equals("    config:"))
                .skip(1)
                .takeWhile(line -> line.startsWith("      "))
                .map(line -> line.substring(6))
                .toList();
        assertThat(scrape)
                .contains("scrape_configs:")
                .anyMatch(line -> line.contains(
                        "targets: [\"" + AdminConfig.DEFAULT_HOST + ":" + AdminConfig.DEFAULT_PORT + "\"]"))
                .noneMatch(line -> line.strip().startsWith("metrics_path:"));
        promtool(
                "",
                "check",
                "config",
                Files.write(directory.resolve("scrape.yml"), scrape).toString());
        List<String> secured =
                scrape.stream().map(line -> line.replace("#", "")).toList();
        assertThat(secured).contains("    scheme: https");
    }

    private void promtool(String input, String... args) throws IOException, InterruptedException {
        // Without it a parser alone checks /metrics, and the alerts by their names.
        ThisMachine.needProgram("promtool");
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(args));
        Path said = directory.resolve("said");
        Process promtool = TestProcess.builder(command)
                .redirectErrorStream(true)
                .redirectInput(
                        Files.writeString(directory.resolve("input"), input).toFile())
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(promtool.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            promtool.destroyForcibly();
        }
        assertThat(promtool.exitValue()).as(Files.readString(said)).isZero();
    }
}
