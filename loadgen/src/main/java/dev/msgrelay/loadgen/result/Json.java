package dev.msgrelay.loadgen.result;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import dev.msgrelay.loadgen.worker.Histograms;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.TypeRanges;
import java.io.IOException;
import java.io.InputStream;
import java.io.Writer;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.ToStringSerializer;

/**
 * Results as JSON and back; docs/measuring.md has the fields. A record's components are an object's fields, and what it
 * computes stands beside what was measured, for readers that do not want to; NaN is null, an enum
 * is what it is called for people, and a histogram is its percentiles and HdrHistogram's own text.
 */
public final class Json {
    /** What a directory of results calls it. */
    public static final String FILE = "results.json";

    /** Some five times what 240 runs with a thousand subscribers are. */
    static final long MAX_BYTES = 256L << 20;

    private static final String VERSION = "schemaVersion";

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(SerializationFeature.INDENT_OUTPUT)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .changeDefaultVisibility(visible -> visible.withFieldVisibility(Visibility.ANY)
                    .withGetterVisibility(Visibility.NONE)
                    .withIsGetterVisibility(Visibility.NONE))
            .addModule(new SimpleModule()
                    .addSerializer(double.class, new Numbers())
                    .addSerializer(Double.class, new Numbers())
                    .addDeserializer(double.class, new NumberReader())
                    .addSerializer(Histogram.class, new Percentiles())
                    .addDeserializer(Histogram.class, new PercentilesReader())
                    .addSerializer(Level.class, new Levels())
                    .addSerializer(TypeRanges.class, ToStringSerializer.instance)
                    .addDeserializer(TypeRanges.class, new TypesReader()))
            .build();

    /** Of the version alone. */
    private static final ObjectReader VERSIONS =
            MAPPER.reader().at("/" + VERSION).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private Json() {}

    /** A whole document of records, that is known to be small. */
    public static String text(Object document) {
        return MAPPER.writeValueAsString(document);
    }

    /** Writes it run by run: with a thousand subscribers a document is too large to be held. */
    public static void write(Results results, Writer out) throws IOException {
        try {
            MAPPER.writeValue(out, results);
            out.write('\n');
        } catch (JacksonException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage(), e);
        }
    }

    /**
     * Reads a file, or {@code results.json} of a directory. Fields that it does not know are passed over.
     *
     * @throws ResultFileException one line naming the file, and the line or the field that is wrong
     */
    public static Results read(Path path) throws ResultFileException {
        Path file = Files.isDirectory(path) ? path.resolve(FILE) : path;
        try {
            long size = Files.size(file);
            if (size > MAX_BYTES) {
                throw new ResultFileException(file + ": " + size + " bytes are over the limit of " + MAX_BYTES);
            }
            checkVersion(file);
            try (InputStream in = Files.newInputStream(file)) {
                return MAPPER.readValue(in, Results.class);
            }
        } catch (ResultFileException e) {
            throw e;
        } catch (JacksonException e) {
            throw new ResultFileException(file + ": " + place(e) + firstLine(e.getOriginalMessage()), e);
        } catch (IOException e) {
            throw new ResultFileException(file + ": " + ResultFileException.reason(e), e);
        }
    }

    /** Before all else: what another version means by a field is not known. */
    private static void checkVersion(Path file) throws IOException {
        JsonNode version;
        try (InputStream in = Files.newInputStream(file)) {
            version = VERSIONS.readTree(in);
        }
        if (version.isMissingNode()) {
            throw new ResultFileException(file + ": no " + VERSION
                    + ": not a result, or one of an older loadgen; this one reads version " + Results.SCHEMA_VERSION);
        }
        if (!version.asString().equals(Integer.toString(Results.SCHEMA_VERSION))) {
            throw new ResultFileException(file + ": " + VERSION + " " + version.asString() + " is not "
                    + Results.SCHEMA_VERSION + ", the one that this loadgen reads");
        }
    }

    /** "lanes[0].cells[2]: "; of a text that is no JSON, the line. */
    private static String place(JacksonException e) {
        if (e instanceof DatabindException && !e.getPath().isEmpty()) {
            return e.getPath().stream()
                            .map(one -> one.getPropertyName() == null
                                    ? "[" + one.getIndex() + "]"
                                    : "." + one.getPropertyName())
                            .collect(Collectors.joining())
                            .substring(1)
                    + ": ";
        }
        return e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr() + ": not JSON, or cut off: ";
    }

    private static String firstLine(String text) {
        // Not which switch of the library would let it pass.
        return text == null
                ? ""
                : text.lines().findFirst().orElse("").replaceFirst("[;,]? *\\(?`Deserialization.*", "");
    }

    /** JSON knows no NaN. Without an exponent: people read it as well. */
    private static final class Numbers extends ValueSerializer<Double> {
        @Override
        public void serialize(Double value, JsonGenerator out, SerializationContext context) {
            if (Double.isFinite(value)) {
                out.writeNumber(new BigDecimal(value.toString()).toPlainString());
            } else {
                out.writeNull();
            }
        }
    }

    private static final class NumberReader extends ValueDeserializer<Double> {
        @Override
        public Double deserialize(JsonParser in, DeserializationContext context) {
            return in.currentToken().isNumeric()
                    ? (Double) in.getDoubleValue()
                    : (Double) context.handleUnexpectedToken(double.class, in);
        }

        @Override
        public Double getNullValue(DeserializationContext context) {
            return Double.NaN;
        }

        @Override
        public Double getAbsentValue(DeserializationContext context) {
            return Double.NaN;
        }
    }

    /** As on the command line. */
    private static final class Levels extends ValueSerializer<Level> {
        @Override
        public void serialize(Level level, JsonGenerator out, SerializationContext context) {
            out.writeString(level.flag());
        }
    }

    /** Likewise. */
    private static final class TypesReader extends ValueDeserializer<TypeRanges> {
        @Override
        public TypeRanges deserialize(JsonParser in, DeserializationContext context) {
            try {
                return TypeRanges.parse(in.getString());
            } catch (IllegalArgumentException e) {
                return (TypeRanges) context.handleWeirdStringValue(TypeRanges.class, "", "%s", e.getMessage());
            }
        }
    }

    private static final class Percentiles extends ValueSerializer<Histogram> {
        @Override
        public void serialize(Histogram histogram, JsonGenerator out, SerializationContext context) {
            out.writeStartObject();
            out.writeNumberProperty("recorded", histogram.getTotalCount());
            for (double percentile : Figures.PERCENTILES) {
                out.writeNumberProperty(Figures.name(percentile) + "Nanos", histogram.getValueAtPercentile(percentile));
            }
            out.writeNumberProperty("maxNanos", histogram.getMaxValue());
            out.writeStringProperty("histogram", Histograms.encode(histogram));
            out.writeEndObject();
        }
    }

    private static final class PercentilesReader extends ValueDeserializer<Histogram> {
        @Override
        public Histogram deserialize(JsonParser in, DeserializationContext context) {
            if (in.currentToken() != JsonToken.START_OBJECT) {
                return (Histogram) context.handleUnexpectedToken(Histogram.class, in);
            }
            String text = context.readTree(in).path("histogram").asString("");
            try {
                return Histograms.sparse(Histograms.decode(text));
            } catch (RuntimeException e) {
                return (Histogram) context.handleWeirdStringValue(
                        Histogram.class, "", "the histogram cannot be decoded: %s", e.getMessage());
            }
        }
    }
}
