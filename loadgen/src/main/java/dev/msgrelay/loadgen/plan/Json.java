package dev.msgrelay.loadgen.plan;

import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.io.IOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.util.List;
import org.HdrHistogram.Histogram;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.MappingIterator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts records to JSON and back: jobs and reports of workers, and all results. The components of a record become
 * the fields of an object. NaN becomes null, an enum its {@code toString}, and a histogram some percentiles and
 * HdrHistogram's own format.
 */
public final class Json {
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99};

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .changeDefaultVisibility(visible -> visible.withFieldVisibility(Visibility.ANY)
                    .withGetterVisibility(Visibility.NONE)
                    .withIsGetterVisibility(Visibility.NONE))
            .addModule(new SimpleModule()
                    .addSerializer(double.class, new Numbers())
                    .addSerializer(Double.class, new Numbers())
                    .addDeserializer(double.class, new NumberReader())
                    .addSerializer(Histogram.class, new Percentiles())
                    .addDeserializer(Histogram.class, new HistogramReader()))
            .addMixIn(Endpoint.class, EndpointText.class)
            .addMixIn(Policy.class, PolicyText.class)
            .build();

    private Json() {}

    public static String line(Object document) {
        return MAPPER.writeValueAsString(document);
    }

    public static String text(Object document) {
        return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(document);
    }

    /**
     * Writes an indented document and a line end. It is not built as one string, since results of many runs are too
     * large for that.
     */
    public static void write(Object document, Writer out) throws IOException {
        try {
            MAPPER.writerWithDefaultPrettyPrinter()
                    .without(StreamWriteFeature.AUTO_CLOSE_TARGET)
                    .writeValue(out, document);
            out.write('\n');
        } catch (JacksonException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage(), e);
        }
    }

    public static ObjectNode tree(Object document) {
        return MAPPER.valueToTree(document);
    }

    public static JsonNode parse(String text) {
        return MAPPER.readTree(text);
    }

    public static List<JsonNode> documents(String text) {
        try (MappingIterator<JsonNode> all = MAPPER.readerFor(JsonNode.class).readValues(text)) {
            return all.readAll();
        }
    }

    public static <T> T read(JsonNode node, Class<T> type) {
        return MAPPER.treeToValue(node, type);
    }

    /** Endpoints and policies have the same text as on the command line. */
    private abstract static class EndpointText {
        @JsonCreator
        static Endpoint parse(String text) {
            return Endpoint.parse(text);
        }

        @Override
        @JsonValue
        public abstract String toString();
    }

    private abstract static class PolicyText {
        @JsonCreator
        static Policy ofFlag(String text) {
            return Policy.ofFlag(text);
        }

        @JsonValue
        abstract String flag();
    }

    /** Writes NaN as null, and numbers without an exponent, since people read them. */
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
            return in.getDoubleValue();
        }

        @Override
        public Double getNullValue(DeserializationContext context) {
            return Double.NaN;
        }
    }

    private static final class Percentiles extends ValueSerializer<Histogram> {
        @Override
        public void serialize(Histogram histogram, JsonGenerator out, SerializationContext context) {
            out.writeStartObject();
            out.writeNumberProperty("recorded", histogram.getTotalCount());
            for (double percentile : PERCENTILES) {
                out.writeNumberProperty(
                        Histograms.name(percentile) + "Nanos", histogram.getValueAtPercentile(percentile));
            }
            out.writeNumberProperty("maxNanos", histogram.getMaxValue());
            out.writeStringProperty("histogram", Histograms.encode(histogram));
            out.writeEndObject();
        }
    }

    private static final class HistogramReader extends ValueDeserializer<Histogram> {
        @Override
        public Histogram deserialize(JsonParser in, DeserializationContext context) {
            return Histograms.decode(context.readTree(in).path("histogram").asString(""));
        }
    }
}
