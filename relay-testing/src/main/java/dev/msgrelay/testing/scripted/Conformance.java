package dev.msgrelay.testing.scripted;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Plays cases with a client's drivers, and tells how each ended. */
public final class Conformance {
    /** Starts a driver of the client under test. */
    @FunctionalInterface
    interface Drivers {
        Driver start() throws IOException;
    }

    /** What became of a case. */
    public enum Outcome {
        PASSED,
        FAILED,
        /** Failed, as the client's list says. */
        KNOWN,
        /** The client lacks a capability, or there is no relay for a live case. */
        SKIPPED
    }

    /** @param detail reason of a failure or a skip; empty otherwise */
    public record Result(String name, Outcome outcome, String detail, double seconds) {}

    private final String client;
    private final Drivers drivers;
    private final Set<String> known;
    private final Duration patience;
    private final LiveRelays relays;
    private final PrintStream out;
    private final List<Result> results = new ArrayList<>();
    private Driver driver;
    private Set<String> capabilities;

    /**
     * @param known names of the cases that are known to fail
     * @param patience limit on each step of a case
     * @param relays starts real relays; null: live cases are skipped
     */
    Conformance(
            String client,
            Drivers drivers,
            Set<String> known,
            Duration patience,
            LiveRelays relays,
            PrintStream out) {
        this.client = client;
        this.drivers = drivers;
        this.known = known;
        this.patience = patience;
        this.relays = relays;
        this.out = out;
    }

    /** Plays the cases that are wanted, one after the other; prints a line for each, and a sum. */
    List<Result> run(List<Case> cases, Predicate<String> wanted) throws IOException {
        driver = ready();
        try {
            for (Case one : cases) {
                if (wanted.test(one.name())) {
                    report(run(one));
                }
            }
        } finally {
            driver.close();
        }
        out.printf(
                "conformance %s cases %d passed %d failed %d known %d skipped %d%n",
                client,
                results.size(),
                count(Outcome.PASSED),
                count(Outcome.FAILED),
                count(Outcome.KNOWN),
                count(Outcome.SKIPPED));
        return results;
    }

    private long count(Outcome outcome) {
        return results.stream().filter(result -> result.outcome() == outcome).count();
    }

    /** A driver that has said what its client is able to do. */
    private Driver ready() throws IOException {
        Driver started = drivers.start();
        JsonObject ready = started.await("ready", event -> true, System.nanoTime() + patience.toNanos());
        JsonArray can = ready.getArray("capabilities");
        capabilities = Set.copyOf(can.stream().map(String::valueOf).toList());
        return started;
    }

    private void report(Result result) {
        results.add(result);
        String word = result.outcome().name().toLowerCase(java.util.Locale.ROOT);
        out.println(word + " " + result.name()
                + (result.detail().isEmpty() ? "" : ": " + result.detail().lines().findFirst().orElse("")));
        if (result.outcome() == Outcome.FAILED) {
            result.detail().lines().skip(1).forEach(out::println);
        }
        if (result.outcome() == Outcome.PASSED && known.contains(result.name())) {
            out.println("  passes by now: take it from the list of known failures");
        }
        out.flush();
    }

    private Result run(Case one) throws IOException {
        List<String> lacks =
                one.needs().stream().filter(need -> !capabilities.contains(need)).toList();
        boolean live = one.steps().stream().anyMatch(step -> step.verb().equals("live"));
        if (!lacks.isEmpty()) {
            return new Result(one.name(), Outcome.SKIPPED, "the client lacks " + String.join(", ", lacks), 0);
        }
        if (live && relays == null) {
            return new Result(one.name(), Outcome.SKIPPED, "there is no relay", 0);
        }
        long start = System.nanoTime();
        String failure = "";
        try {
            if (live) {
                new LiveCase(one, relays, this::ready, driver, patience).play();
            } else {
                play(one);
            }
        } catch (AssertionError | Exception e) {
            failure = e instanceof AssertionError ? String.valueOf(e.getMessage()) : e.toString();
            driver.kill();
            driver = ready();
        }
        double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
        if (failure.isEmpty()) {
            return new Result(one.name(), Outcome.PASSED, "", seconds);
        }
        return new Result(one.name(), known.contains(one.name()) ? Outcome.KNOWN : Outcome.FAILED, failure, seconds);
    }

    private void play(Case one) throws Exception {
        long from = one.loop() == null ? 0 : one.loop().from();
        long to = one.loop() == null ? 0 : one.loop().to();
        for (long i = from; i <= to; i++) {
            try (CaseRun run = new CaseRun(one, driver, patience)) {
                run.play(one.loop() == null ? null : i);
            }
        }
    }

    /** Writes what JUnit's own runner would write. */
    static void junit(Path file, String client, List<Result> results) throws IOException {
        try (Writer writer = Files.newBufferedWriter(file)) {
            XMLStreamWriter xml = XMLOutputFactory.newInstance().createXMLStreamWriter(writer);
            xml.writeStartDocument();
            xml.writeStartElement("testsuite");
            xml.writeAttribute("name", "conformance " + client);
            xml.writeAttribute("tests", String.valueOf(results.size()));
            for (Result result : results) {
                xml.writeStartElement("testcase");
                xml.writeAttribute("classname", "conformance." + client);
                xml.writeAttribute("name", result.name());
                xml.writeAttribute("time", String.format(java.util.Locale.ROOT, "%.3f", result.seconds()));
                if (result.outcome() != Outcome.PASSED) {
                    xml.writeStartElement(result.outcome() == Outcome.FAILED ? "failure" : "skipped");
                    xml.writeAttribute("message", printable(result.outcome().name().toLowerCase(java.util.Locale.ROOT) + ": "
                            + result.detail()));
                    xml.writeEndElement();
                }
                xml.writeEndElement();
            }
            xml.writeEndElement();
            xml.writeEndDocument();
            xml.close();
        } catch (XMLStreamException e) {
            throw new IOException(e);
        }
    }

    private static String printable(String text) {
        return text.replaceAll("[^\\x20-\\x7E\\n]", "?");
    }
}
