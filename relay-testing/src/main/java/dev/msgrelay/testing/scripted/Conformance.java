package dev.msgrelay.testing.scripted;

import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** Plays cases with a client's drivers, and tells how each ended. */
public final class Conformance {
    /** What became of a case. */
    public enum Outcome {
        PASSED,
        FAILED,
        /** Failed, as the client's list says. */
        KNOWN,
        /** The client lacks a capability, the machine what the case looks at, or there is no relay for a live case. */
        SKIPPED
    }

    /** @param detail reason of a failure or a skip; empty otherwise */
    public record Result(String name, Outcome outcome, String detail, double seconds) {}

    /** Drivers at the same time: cases mostly wait. */
    private static final int WORKERS = 4;

    /** Time for a driver's start, which is no step of a case. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String client;
    private final Driver.Starter drivers;
    private final Set<String> known;
    private final Duration patience;
    private final LiveRelays relays;
    private final PrintStream out;
    private final Congestion congestion = Congestion.here();
    private final List<Result> results = new ArrayList<>();

    /**
     * @param known names of the cases that are known to fail
     * @param patience limit on each step of a case
     * @param relays starts real relays; null: live cases are skipped
     */
    Conformance(
            String client,
            Driver.Starter drivers,
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

    /**
     * Plays cases with a driver in this process.
     *
     * @param cases a case file, or a directory of them
     * @param known a list of the cases that are known to fail
     * @param wanted chooses cases by their names
     * @param relay command that starts a relay for the live cases; empty: they are skipped
     */
    public static List<Result> run(
            String client, DriverProgram driver, Path cases, Path known, Predicate<String> wanted, List<String> relay)
            throws IOException {
        try (LiveRelays relays = relay.isEmpty() ? null : new LiveRelays(relay, null)) {
            Conformance conformance =
                    new Conformance(client, () -> Driver.of(driver), names(known), PATIENCE, relays, System.out);
            return conformance.run(Case.read(cases), wanted);
        }
    }

    /**
     * Plays the cases that are wanted, some at the same time, and those with real relays one after the other; prints a
     * line for each, and a sum.
     */
    List<Result> run(List<Case> cases, Predicate<String> wanted) throws IOException {
        Queue<Case> scripted = new ConcurrentLinkedQueue<>();
        Queue<Case> live = new ConcurrentLinkedQueue<>();
        for (Case one : cases) {
            if (wanted.test(one.name())) {
                (isLive(one) ? live : scripted).add(one);
            }
        }
        check(cases, scripted.size() + live.size());
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                all.add(workers.submit(() -> playAll(scripted)));
            }
            for (Future<?> one : all) {
                one.get();
            }
            playAll(live);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ConformanceException one
                    ? one
                    : new IOException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            workers.shutdownNow();
        }
        results.sort(Comparator.comparing(Result::name));
        out.printf(
                Locale.ROOT,
                "conformance %s cases %d passed %d failed %d known %d skipped %d%n",
                client,
                results.size(),
                count(Outcome.PASSED),
                count(Outcome.FAILED),
                count(Outcome.KNOWN),
                count(Outcome.SKIPPED));
        return results;
    }

    /** A name that no case has is a slip of the pen: a run that plays less than was meant must not end well. */
    private void check(List<Case> cases, int chosen) throws ConformanceException {
        Set<String> names = cases.stream().map(Case::name).collect(Collectors.toSet());
        String unknown =
                known.stream().filter(name -> !names.contains(name)).sorted().collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            throw new ConformanceException("the list of known failures names no case by: " + unknown);
        }
        if (chosen == 0) {
            throw new ConformanceException("--only and --not leave none of " + cases.size() + " cases");
        }
    }

    private static boolean isLive(Case one) {
        return one.steps().stream().anyMatch(step -> step.verb().equals("live"));
    }

    private long count(Outcome outcome) {
        return results.stream().filter(result -> result.outcome() == outcome).count();
    }

    /** Plays cases with one driver, until there is no further case. */
    private Void playAll(Queue<Case> cases) throws IOException {
        Driver driver = null;
        try {
            for (Case one = cases.poll(); one != null; one = cases.poll()) {
                if (driver == null) {
                    driver = ready();
                }
                Result result = run(one, driver);
                report(result);
                if (result.outcome() == Outcome.FAILED || result.outcome() == Outcome.KNOWN) {
                    // Nobody knows what it would do next.
                    driver.kill();
                    driver = null;
                }
            }
        } finally {
            if (driver != null) {
                driver.close();
            }
        }
        return null;
    }

    /** A driver that has said what its client is able to do. */
    private Driver ready() throws IOException {
        Driver started;
        try {
            started = drivers.start();
        } catch (IOException e) {
            throw new ConformanceException("the driver does not start: " + e.getMessage());
        }
        try {
            started.awaitReady(System.nanoTime() + PATIENCE.toNanos());
        } catch (AssertionError e) {
            started.kill();
            throw new ConformanceException(e.getMessage());
        }
        return started;
    }

    private synchronized void report(Result result) {
        results.add(result);
        String word = result.outcome().name().toLowerCase(Locale.ROOT);
        String first = result.detail().lines().findFirst().orElse("");
        out.println(word + " " + result.name() + (first.isEmpty() ? "" : ": " + first));
        if (result.outcome() == Outcome.FAILED) {
            result.detail().lines().skip(1).forEach(out::println);
        }
        if (result.outcome() == Outcome.PASSED && known.contains(result.name())) {
            out.println("  passes by now: take it from the list of known failures");
        }
        out.flush();
    }

    private Result run(Case one, Driver driver) {
        List<String> lacks =
                one.needs().stream().filter(need -> !driver.can(need)).toList();
        if (!lacks.isEmpty()) {
            return new Result(one.name(), Outcome.SKIPPED, "the client lacks " + String.join(", ", lacks), 0);
        }
        String missing = congestion.missing(one);
        if (!missing.isEmpty()) {
            return new Result(one.name(), Outcome.SKIPPED, missing, 0);
        }
        if (isLive(one) && relays == null) {
            return new Result(one.name(), Outcome.SKIPPED, "there is no relay", 0);
        }
        driver.forget();
        long start = System.nanoTime();
        String failure = "";
        try {
            if (isLive(one)) {
                new LiveCase(one, relays, this::ready, driver, patience).play();
            } else {
                play(one, driver);
            }
        } catch (AssertionError | Exception e) {
            failure = e instanceof AssertionError ? String.valueOf(e.getMessage()) : e.toString();
        }
        double seconds = (System.nanoTime() - start) / (double) TimeUnit.SECONDS.toNanos(1);
        if (failure.isEmpty()) {
            return new Result(one.name(), Outcome.PASSED, "", seconds);
        }
        return new Result(one.name(), known.contains(one.name()) ? Outcome.KNOWN : Outcome.FAILED, failure, seconds);
    }

    private void play(Case one, Driver driver) throws Exception {
        long from = one.loop() == null ? 0 : one.loop().from();
        long to = one.loop() == null ? 0 : one.loop().to();
        for (long i = from; i <= to; i++) {
            try (CaseRun run = new CaseRun(one, driver, patience)) {
                run.play(one.loop() == null ? null : i);
            }
        }
    }

    /** The names in a list of known failures; {@code #} begins a comment. */
    static Set<String> names(Path file) throws IOException {
        Set<String> names = new HashSet<>();
        if (file != null && !Files.isReadable(file)) {
            throw new ConformanceException("the list of known failures cannot be read: " + file);
        }
        for (String line : file == null ? List.<String>of() : Files.readAllLines(file)) {
            String text = line.replaceFirst("#.*", "").strip();
            if (!text.isEmpty()) {
                names.add(text);
            }
        }
        return names;
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
                xml.writeAttribute("time", String.format(Locale.ROOT, "%.3f", result.seconds()));
                if (result.outcome() != Outcome.PASSED) {
                    xml.writeStartElement(result.outcome() == Outcome.FAILED ? "failure" : "skipped");
                    xml.writeAttribute(
                            "message",
                            printable(result.outcome().name().toLowerCase(Locale.ROOT) + ": " + result.detail()));
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
