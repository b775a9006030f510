package dev.msgrelay.loadgen.result.files;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParserException;
import com.grack.nanojson.JsonReader;
import dev.msgrelay.loadgen.result.RunRecord;
import java.io.Reader;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A shootout's JSON in memory. Nearly all of it is runs: each is made a record as soon as it is read, and its text and
 * objects are forgotten, so that a document may be larger than the heap. One thread, one document.
 */
final class Document {
    private static final String SCHEMA = "schema";
    private static final Pattern RUNS = Pattern.compile("lanes\\[\\d+]\\.cells\\[\\d+]\\.runs");

    private final JsonReader reader;
    private final UnaryOperator<RunRecord> keep;

    private Document(JsonReader reader, UnaryOperator<RunRecord> keep) {
        this.reader = reader;
        this.keep = keep;
    }

    /**
     * Reads it.
     *
     * @param keep what stays of a run
     * @return all of it, with a {@link RunRecord} in place of every run's object
     * @throws Fields.Wrong naming a run's field, or the schema where that is another one
     */
    static JsonObject read(Reader text, UnaryOperator<RunRecord> keep) throws JsonParserException {
        return new Document(JsonReader.from(text), keep).object("");
    }

    private JsonObject object(String path) throws JsonParserException {
        JsonObject json = new JsonObject();
        reader.object();
        while (reader.next()) {
            String name = reader.key();
            json.put(name, value(path.isEmpty() ? name : path + "." + name));
            if (path.isEmpty() && name.equals(SCHEMA)) {
                // Before the runs, which another schema may have otherwise.
                ShootoutReader.checkSchema(Fields.root(json));
            }
        }
        return json;
    }

    private JsonArray array(String path) throws JsonParserException {
        boolean runs = RUNS.matcher(path).matches();
        JsonArray json = new JsonArray();
        reader.array();
        while (reader.next()) {
            String at = path + "[" + json.size() + "]";
            Object element = value(at);
            json.add(
                    runs && element instanceof JsonObject run
                            ? keep.apply(RunReader.run(Fields.of(run, at)))
                            : element);
        }
        return json;
    }

    private Object value(String path) throws JsonParserException {
        return switch (reader.current()) {
            case OBJECT -> object(path);
            case ARRAY -> array(path);
            case NUMBER -> number(reader.value().toString());
            default -> reader.value();
        };
    }

    /** Whole where it is written so, and a long holds it. */
    private static Number number(String text) {
        boolean whole = text.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
        try {
            return whole ? (Number) Long.valueOf(text) : Double.valueOf(text);
        } catch (NumberFormatException e) {
            return Double.valueOf(text);
        }
    }
}
