package dev.msgrelay.loadgen.result.files;

import com.grack.nanojson.JsonArray;
import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonWriter;
import com.grack.nanojson.JsonWriterException;
import dev.msgrelay.loadgen.result.Ceilings;
import dev.msgrelay.loadgen.result.Cell;
import dev.msgrelay.loadgen.result.LaneResult;
import dev.msgrelay.loadgen.result.LinkFacts;
import dev.msgrelay.loadgen.result.MaxRate;
import dev.msgrelay.loadgen.result.Parameters;
import dev.msgrelay.loadgen.result.Shootout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.Locale;
import java.util.function.Function;

/** A shootout as JSON, {@value Shootout#SCHEMA}; docs/results.md has the fields. */
public final class ShootoutJson {
    private ShootoutJson() {}

    /** The whole document, of results that are known to be few. */
    public static String of(Shootout shootout) {
        StringBuilder text = new StringBuilder();
        try {
            write(shootout, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    /** Writes it run by run: with a thousand subscribers a document is too large to be held. */
    public static void write(Shootout shootout, Appendable out) throws IOException {
        try {
            JsonWriter.indent(" ").on(out).value(json(shootout)).done();
        } catch (JsonWriterException e) {
            throw e.getCause() instanceof IOException cause ? cause : new IOException(e);
        }
        out.append('\n');
    }

    private static JsonObject json(Shootout shootout) {
        JsonObject json = new JsonObject();
        json.put("schema", Shootout.SCHEMA);
        json.put("version", shootout.origin().version());
        json.put("started", shootout.origin().started());
        json.put("command", new JsonArray(shootout.origin().command()));
        JsonObject ending = new JsonObject();
        ending.put("how", word(shootout.ending().how()));
        ending.put("reason", shootout.ending().reason());
        json.put("ending", ending);
        json.put("sites", array(shootout.sites(), site -> {
            JsonObject one = new JsonObject();
            one.put("name", site.name());
            one.put("machine", site.machine().toJson());
            return one;
        }));
        json.put("lanes", array(shootout.lanes(), ShootoutJson::lane));
        json.put("maxRates", array(shootout.maxRates(), ShootoutJson::maxRate));
        json.put("notes", new JsonArray(shootout.notes()));
        return json;
    }

    private static JsonObject lane(LaneResult lane) {
        JsonObject json = new JsonObject();
        json.put("name", lane.name());
        json.put("kind", lane.kind().toString());
        json.put("emulated", lane.emulated());
        json.put("label", lane.label());
        json.put("skipped", lane.skipped());
        json.put("link", lane.link() == null ? null : link(lane.link()));
        json.put("publishersAt", word(lane.places().publishers()));
        json.put("subscribersAt", word(lane.places().subscribers()));
        json.put("cells", array(lane.cells(), ShootoutJson::cell));
        return json;
    }

    private static JsonObject link(LinkFacts link) {
        JsonObject json = new JsonObject();
        json.put("bitsPerSecond", link.speed() == null ? null : link.speed().bitsPerSecond());
        json.put("mtu", link.format().mtu());
        json.put("ip", word(link.format().ip()));
        json.put("timestamps", link.format().timestamps());
        json.put("vlan", link.format().vlan());
        json.put("framing", word(link.format().framing()));
        return json;
    }

    private static JsonObject maxRate(MaxRate found) {
        JsonObject json = parameters(found.parameters());
        json.put("lane", found.lane());
        json.put("messagesPerSecond", found.total());
        json.put("p99LimitNanos", found.p99LimitNanos());
        json.put("confirmed", found.confirmed());
        json.put("ending", found.ending());
        json.put("attempts", array(found.attempts(), attempt -> {
            JsonObject one = new JsonObject();
            one.put("rate", attempt.rate());
            one.put("failure", attempt.failure());
            return one;
        }));
        json.put("notes", new JsonArray(found.notes()));
        return json;
    }

    private static JsonObject cell(Cell cell) {
        JsonObject json = parameters(cell.parameters());
        json.put("ceilings", cell.ceilings() == null ? null : ceilings(cell.ceilings()));
        json.put("runs", array(cell.runs(), RunJson::of));
        return json;
    }

    private static JsonObject parameters(Parameters parameters) {
        JsonObject json = new JsonObject();
        json.put("body", parameters.body().text());
        json.put("meanBodyBytes", parameters.body().meanBytes());
        json.put("publishers", parameters.publishers());
        json.put("subscribers", parameters.subscribers());
        json.put("batch", parameters.batch());
        json.put("rate", parameters.rate());
        json.put("mtu", parameters.mtu());
        json.put("burst", parameters.burst());
        return json;
    }

    private static JsonObject ceilings(Ceilings ceilings) {
        JsonObject json = new JsonObject();
        json.put("source", ceilings.source());
        json.put("batched", rate(ceilings.batched()));
        json.put("single", ceilings.single() == null ? null : rate(ceilings.single()));
        return json;
    }

    private static JsonObject rate(Ceilings.Rate rate) {
        JsonObject json = new JsonObject();
        json.put("messagesPerSecond", number(rate.messagesPerSecond()));
        json.put("bytesPerSecond", number(rate.bytesPerSecond()));
        return json;
    }

    /** An array whose elements are made while they are written, and then forgotten. */
    static <T> Collection<Object> array(Collection<T> all, Function<T, Object> json) {
        return new AbstractCollection<>() {
            @Override
            public Iterator<Object> iterator() {
                return all.stream().map(json).iterator();
            }

            @Override
            public int size() {
                return all.size();
            }
        };
    }

    /** JSON knows no NaN. */
    static Double number(double value) {
        return Double.isFinite(value) ? value : null;
    }

    /** An enum's constant as the file names it. */
    static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
