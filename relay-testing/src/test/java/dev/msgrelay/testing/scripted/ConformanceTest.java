package dev.msgrelay.testing.scripted;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.scripted.Conformance.Outcome;
import dev.msgrelay.testing.scripted.Conformance.Result;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kit notices what a client does wrong. The clients here are as small as their mistakes. */
class ConformanceTest {
    private static final String READY =
            "{\"event\":\"ready\",\"client\":\"x\",\"version\":\"1\",\"capabilities\":[\"unix\"]}";
    private static final Pattern ENDPOINT = Pattern.compile("127\\.0\\.0\\.1:\\d+");

    // Where a step fails by its time. The steps before it need far less.
    private static final Duration SHORT = Duration.ofSeconds(5);

    @TempDir
    Path directory;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private Duration patience = Duration.ofSeconds(60);

    /** Plays one case; {@code said} is what the client reports once it has sent a HELLO. */
    private Result play(String steps, Set<String> known, String... said) throws IOException {
        return play(steps, known, 1, said);
    }

    /** {@code connections}: so many at once. */
    private Result play(String steps, Set<String> known, int connections, String... said) throws IOException {
        Path file = directory.resolve("group.case");
        Files.writeString(file, "case one\n" + steps);
        Conformance conformance = new Conformance(
                "x",
                () -> Driver.of((commands, events) -> client(commands, events, connections, said)),
                known,
                patience,
                null,
                new PrintStream(printed, true, UTF_8));
        List<Result> results = conformance.run(Case.read(file), name -> true);
        assertThat(results).hasSize(1);
        return results.get(0);
    }

    private static void client(InputStream commands, OutputStream events, int connections, String... said)
            throws Exception {
        say(events, READY);
        List<SocketChannel> channels = new ArrayList<>();
        BufferedReader lines = new BufferedReader(new InputStreamReader(commands, UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.contains("\"open\"")) {
                say(events, "{\"event\":\"opened\"}");
                Matcher matcher = ENDPOINT.matcher(line);
                for (int i = 0; i < connections && matcher.find(0); i++) {
                    channels.add(Endpoint.parse(matcher.group()).open(Duration.ofSeconds(60)));
                    channels.get(i).write(FrameText.encode("HELLO name=x"));
                }
                say(events, said);
            } else {
                for (SocketChannel channel : channels) {
                    channel.close();
                }
                say(events, "{\"event\":\"closed\",\"unsettled\":\"0\"}");
            }
        }
    }

    private static void say(OutputStream events, String... lines) throws IOException {
        for (String line : lines) {
            events.write((line + "\n").getBytes(UTF_8));
        }
        events.flush();
    }

    private static String message(long sequence) {
        return "{\"event\":\"message\",\"sequence\":\"" + sequence + "\",\"type\":1,\"body\":\"MQ==\"}";
    }

    private static final String TWO = "open subscriber\naccept\nexpect HELLO name=x\nsend WELCOME\n"
            + "told message sequence=1 body=\"1\"\ntold gap from=2 to=3\n";
    private static final String GAP = "{\"event\":\"gap\",\"from\":\"2\",\"to\":\"3\",\"reason\":1}";

    @Test
    void whatIsAsTheCaseSaysPasses() throws IOException {
        Result result = play(TWO, Set.of(), message(1), "{\"event\":\"connected\"}", GAP);
        assertThat(result.outcome()).as(result.detail()).isEqualTo(Outcome.PASSED);
        assertThat(printed.toString(UTF_8))
                .contains("passed group/one")
                .endsWith("conformance x cases 1 passed 1 failed 0 known 0 skipped 0" + System.lineSeparator());
    }

    @Test
    void anotherOrderFails() throws IOException {
        assertThat(play(TWO, Set.of(), GAP, message(1)).detail())
                .contains("line 6, told message")
                .contains("\"gap\"");
    }

    @Test
    void anotherValueFails() throws IOException {
        assertThat(play(TWO, Set.of(), message(2), GAP).detail()).contains("sequence is 2, expected 1");
    }

    @Test
    void aTextThatIsNotHeldFails() throws IOException {
        String lost = "{\"event\":\"lost\",\"code\":12,\"text\":\"start 4 is not within 0..3\"}";
        assertThat(play("open subscriber\naccept\nexpect HELLO\ntold lost text=\"~start 4\"\n", Set.of(), lost)
                        .outcome())
                .isEqualTo(Outcome.PASSED);
        patience = SHORT;
        assertThat(play("open subscriber\naccept\nexpect HELLO\ntold lost text=~older\n", Set.of(), lost)
                        .detail())
                .contains("line 5, told lost text=~older: ");
    }

    @Test
    void aStateThatIsCompleteTwiceFails() throws IOException {
        String complete = "{\"event\":\"state_complete\",\"next\":\"2\"}";
        String steps = "open subscriber\naccept\nexpect HELLO\ntold-messages 1..1\ntold state_complete next=2\n";
        assertThat(play(steps, Set.of(), message(1), complete).outcome()).isEqualTo(Outcome.PASSED);
        assertThat(play(steps, Set.of(), complete, message(1)).detail()).contains("state_complete");
        assertThat(play(steps, Set.of(), message(1), complete, complete).detail())
                .contains("at the end");
    }

    @Test
    void oneTooManyFails() throws IOException {
        assertThat(play(TWO, Set.of(), message(1), GAP, message(4)).detail()).contains("at the end");
    }

    @Test
    void oneTooFewFails() throws IOException {
        patience = SHORT;
        assertThat(play(TWO, Set.of(), message(1)).detail()).contains("line 7, told gap");
    }

    @Test
    void anErrorThatNobodyExpectsFailsAtOnce() throws IOException {
        String error = "{\"event\":\"error\",\"kind\":\"fatal\",\"code\":5,\"text\":\"\"}";
        assertThat(play(TWO, Set.of(), message(1), error).detail())
                .contains("the client reported")
                .contains("fatal");
    }

    @Test
    void anotherFrameThanExpectedFails() throws IOException {
        assertThat(play("open subscriber\naccept\nexpect HELLO name=y\n", Set.of())
                        .detail())
                .contains("name is x, expected y");
        assertThat(play("open subscriber\naccept\nexpect SUBSCRIBE\n", Set.of()).detail())
                .contains("the client sent HELLO");
    }

    @Test
    void anEarlyConnectionFails() throws IOException {
        String steps = "open subscriber\naccept\nexpect HELLO\nsend RETRY_AFTER ms=%s\naccept-after %1$s\n";
        assertThat(play(String.format(Locale.ROOT, steps, 3_600_000), Set.of(), 2)
                        .detail())
                .contains("the client has connected again after")
                .contains("not 3600000");
        assertThat(play(String.format(Locale.ROOT, steps, 0), Set.of(), 2).outcome())
                .isEqualTo(Outcome.PASSED);
    }

    @Test
    void aClientThatSaysNoJsonFails() throws IOException {
        assertThat(play(TWO, Set.of(), "panic!").detail()).contains("not JSON");
    }

    @Test
    void aKnownFailureIsNoFailureAndOneThatPassesIsReported() throws IOException {
        assertThat(play(TWO, Set.of("group/one"), message(2)).outcome()).isEqualTo(Outcome.KNOWN);
        assertThat(play(TWO, Set.of("group/one"), message(1), GAP).outcome()).isEqualTo(Outcome.PASSED);
        assertThat(printed.toString(UTF_8)).contains("passes by now");
    }

    @Test
    void aClientWithoutTheCapabilitySkips() throws IOException {
        assertThat(play("needs tls\n" + TWO, Set.of()).outcome()).isEqualTo(Outcome.SKIPPED);
        assertThat(play("needs unix\n" + TWO, Set.of(), message(1), GAP).outcome())
                .isEqualTo(Outcome.PASSED);
    }

    @Test
    void aRunThatPlaysLessThanWasMeantEndsWithAWord() throws IOException {
        Path file = directory.resolve("group.case");
        Files.writeString(file, "case one\n" + TWO);
        assertThat(refusal(file, READY, Set.of(), name -> name.contains("nosuch")))
                .isEqualTo("--only and --not leave none of 1 cases");
        assertThat(refusal(file, READY, Set.of("group/two"), name -> true))
                .isEqualTo("the list of known failures names no case by: group/two");
        assertThat(refusal(file, READY.replace("unix", "subscribers"), Set.of(), name -> true))
                .startsWith(
                        "no case needs the driver's capabilities [subscribers]; those that there are: [certificate,");
        assertThat(refusal(file, "{\"event\":\"ready\"}", Set.of(), name -> true))
                .startsWith("the driver's ready has no list of capabilities");
        assertThat(refusal(file, "hello", Set.of(), name -> true)).contains("a line is not JSON");
        assertThatThrownBy(() -> Conformance.names(directory.resolve("nosuch")))
                .isInstanceOf(ConformanceException.class)
                .hasMessageEndingWith("nosuch");
    }

    private String refusal(Path cases, String ready, Set<String> known, Predicate<String> wanted) throws IOException {
        Conformance conformance = new Conformance(
                "x",
                () -> Driver.of((commands, events) -> say(events, ready)),
                known,
                Duration.ofSeconds(60),
                null,
                new PrintStream(printed, true, UTF_8));
        List<Case> all = Case.read(cases);
        return catchThrowableOfType(ConformanceException.class, () -> conformance.run(all, wanted))
                .getMessage();
    }

    /** The capabilities that cases need are those that a driver may have. */
    @Test
    void noCaseNeedsWhatNoDriverMayHave() throws IOException {
        Set<String> needed = new TreeSet<>();
        Case.read(Path.of("../clients/conformance/cases")).forEach(one -> needed.addAll(one.needs()));
        assertThat(needed).isEqualTo(new TreeSet<>(Driver.CAPABILITIES));
    }

    @Test
    void sixtyFourBitsAsANumberFail() throws IOException {
        assertThat(play(TWO, Set.of(), message(1).replace("\"1\"", "1"), GAP).detail())
                .contains("sequence is a number, and must be a string");
    }

    @Test
    void aFailureNamesTheFileAndTheFramesBeforeIt() throws IOException {
        assertThat(play(TWO, Set.of(), message(2), GAP).detail())
                .contains("group.case:6")
                .contains("HELLO")
                .contains("its last frames in this case");
    }

    @Test
    void theResultsAreWrittenAsJUnitsXml() throws IOException {
        Path file = directory.resolve("report.xml");
        Conformance.junit(file, "x", List.of(play(TWO, Set.of(), message(2)), play(TWO, Set.of(), message(1), GAP)));
        assertThat(file)
                .content()
                .contains("tests=\"2\"")
                .containsOnlyOnce("<failure")
                .contains("expected 1");
    }

    /** The relay's part alone, as bin/relay-fake plays it for the tests of strangers. */
    @Test
    void theRelaysPartIsPlayedAlone() throws Exception {
        Path file = directory.resolve("fake.case");
        Files.writeString(file, "case one\n" + TWO + "expect end\n");
        try (CaseRun run = new CaseRun(Case.read(file).get(0), null, Duration.ofSeconds(60))) {
            Thread client = new Thread(() -> {
                try (SocketChannel channel =
                        Endpoint.parse(run.endpoints().get("a")).open(Duration.ofSeconds(60))) {
                    channel.write(FrameText.encode("HELLO name=x"));
                    channel.read(java.nio.ByteBuffer.allocate(1));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            client.start();
            run.play(null);
            client.join();
        }
    }
}
