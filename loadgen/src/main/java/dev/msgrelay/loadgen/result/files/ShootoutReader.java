package dev.msgrelay.loadgen.result.files;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParserException;
import dev.msgrelay.loadgen.lane.LaneKind;
import dev.msgrelay.loadgen.link.Framing;
import dev.msgrelay.loadgen.link.IpVersion;
import dev.msgrelay.loadgen.link.LinkSpeed;
import dev.msgrelay.loadgen.link.SegmentFormat;
import dev.msgrelay.loadgen.measure.Machine;
import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.Correctness;
import dev.msgrelay.loadgen.result.Delays;
import dev.msgrelay.loadgen.result.Ending;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LinkFacts;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Places;
import dev.msgrelay.loadgen.result.RunRecord;
import dev.msgrelay.loadgen.result.Shootout;
import dev.msgrelay.loadgen.result.Site;
import dev.msgrelay.loadgen.result.Throughput;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;

/** Reads a shootout's JSON. Fields that it does not know are passed over. */
public final class ShootoutReader {
    /** Some twenty times what 240 runs with a thousand subscribers are. */
    static final long MAX_BYTES = 1L << 30;

    private ShootoutReader() {}

    /**
     * Reads a file, or {@code results.json} of a directory.
     *
     * @throws ResultFileException one line naming the file, and the line or the field that is wrong
     */
    public static Shootout read(Path path) throws ResultFileException {
        return read(path, UnaryOperator.identity());
    }

    /**
     * The same without what takes most of the room and is not compared: skew, subscribers one by one, time lines. All of
     * it is looked at nevertheless.
     *
     * @throws ResultFileException likewise
     */
    public static Shootout figures(Path path) throws ResultFileException {
        return read(path, ShootoutReader::figures);
    }

    private static RunRecord figures(RunRecord run) {
        Throughput all = run.throughput();
        return new RunRecord(
                run.moment(),
                run.hops(),
                new Throughput(all.in(), all.out(), all.ingressFraction(), all.egressFraction(), List.of()),
                new Delays(run.delays().latency(), null, run.delays().oneMessageIn()),
                new Correctness(
                        run.correctness().checked(),
                        List.of(),
                        run.correctness().schedule()),
                run.resources(),
                run.outcome());
    }

    private static Shootout read(Path path, UnaryOperator<RunRecord> keep) throws ResultFileException {
        Path file = Files.isDirectory(path) ? path.resolve(ResultFiles.JSON) : path;
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new ResultFileException(
                        file + ": " + Files.size(file) + " bytes are over the limit of " + MAX_BYTES);
            }
            try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
                return shootout(Document.read(reader, keep));
            }
        } catch (ResultFileException e) {
            throw e;
        } catch (JsonParserException e) {
            throw new ResultFileException(
                    file + ": line " + e.getLinePosition() + ": not JSON, or cut off: " + firstLine(e.getMessage()), e);
        } catch (Fields.Wrong e) {
            throw new ResultFileException(file + ": " + firstLine(e.getMessage()), e);
        } catch (CharacterCodingException e) {
            throw new ResultFileException(file + ": not UTF-8", e);
        } catch (IOException e) {
            throw new ResultFileException(file + ": " + ResultFileException.reason(e), e);
        }
    }

    private static Shootout shootout(JsonObject json) {
        Fields fields = Fields.root(json);
        checkSchema(fields);
        return new Shootout(
                new Shootout.Origin(fields.text("version"), RunReader.time(fields, "started"), fields.texts("command")),
                fields.list("sites", ShootoutReader::site),
                fields.list("lanes", ShootoutReader::lane),
                fields.list("maxRates", ShootoutReader::maxRate),
                fields.texts("notes"),
                new Ending(
                        fields.object("ending").oneOf("how", Ending.How.class),
                        fields.object("ending").text("reason")));
    }

    /** @throws Fields.Wrong it is another one's */
    static void checkSchema(Fields root) {
        String schema = root.text("schema");
        if (!schema.equals(Shootout.SCHEMA)) {
            throw new Fields.Wrong("schema", "'" + schema + "' is not " + Shootout.SCHEMA);
        }
    }

    private static Site site(Fields fields) {
        Fields machine = fields.object("machine");
        return new Site(
                fields.text("name"),
                new Machine(
                        machine.count("cores"),
                        machine.text("cpu"),
                        machine.text("jdk"),
                        machine.text("kernel"),
                        machine.text("congestionControl")));
    }

    private static LaneResult lane(Fields fields) {
        return new LaneResult(
                fields.text("name"),
                fields.parsed("kind", LaneKind::parse),
                fields.flag("emulated"),
                fields.textOrNull("skipped"),
                fields.orNull("link", ShootoutReader::link),
                new Places(
                        fields.oneOf("publishersAt", Places.Place.class),
                        fields.oneOf("subscribersAt", Places.Place.class)),
                fields.list("cells", ShootoutReader::cell));
    }

    private static LinkFacts link(Fields fields) {
        try {
            double bits = fields.number("bitsPerSecond");
            return new LinkFacts(
                    Double.isNaN(bits) ? null : new LinkSpeed(fields.whole("bitsPerSecond")),
                    new SegmentFormat(
                            fields.count("mtu"),
                            fields.oneOf("ip", IpVersion.class),
                            fields.flag("timestamps"),
                            fields.flag("vlan"),
                            fields.oneOf("framing", Framing.class)));
        } catch (IllegalArgumentException e) {
            throw fields.wrong(e.getMessage());
        }
    }

    private static Cell cell(Fields fields) {
        return new Cell(
                parameters(fields),
                fields.orNull(
                        "ceilings",
                        ceilings -> new Ceilings(
                                ceilings.text("source"),
                                rate(ceilings.object("batched")),
                                ceilings.orNull("single", ShootoutReader::rate))),
                fields.made("runs", RunRecord.class));
    }

    private static Parameters parameters(Fields fields) {
        return new Parameters(
                new Parameters.Body(fields.text("body"), fields.number("meanBodyBytes")),
                fields.count("publishers"),
                fields.count("subscribers"),
                fields.count("batch"),
                fields.whole("rate"),
                fields.count("mtu"),
                fields.count("burst"));
    }

    private static MaxRate maxRate(Fields fields) {
        return new MaxRate(
                fields.text("lane"),
                parameters(fields),
                fields.whole("p99LimitNanos"),
                fields.flag("confirmed"),
                fields.text("ending"),
                fields.list("attempts", attempt -> new MaxRate.Attempt(attempt.whole("rate"), attempt.text("failure"))),
                fields.texts("notes"));
    }

    private static Ceilings.Rate rate(Fields fields) {
        return new Ceilings.Rate(fields.number("messagesPerSecond"), fields.number("bytesPerSecond"));
    }

    private static String firstLine(String text) {
        return text == null ? "" : text.lines().findFirst().orElse("");
    }
}
