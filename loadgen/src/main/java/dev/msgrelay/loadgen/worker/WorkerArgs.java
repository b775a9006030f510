package dev.msgrelay.loadgen.worker;

import dev.msgrelay.loadgen.load.BodySizes;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.protocol.Level;
import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.net.Endpoint;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The arguments of a worker process: {@code --name value} pairs, and {@code --name} alone for what is on or off.
 * Workers are started by loadgen, dozens of times in a benchmark, and never by hand; this keeps their start short.
 *
 * <pre>
 *  of all messages of a run       --body SIZES   see BodySizes
 *                                 --types N      that they carry in turn (1)
 *  of who connects                --library      by module relay-client
 *                                 --tls          speaks TLS; --tls-ca, --tls-cert, --tls-key, --tls-name,
 *                                 --token-file: see Access
 *                                 --policy NAME  subscribers say HELLO and ask for it: disconnect, backpressure or skip;
 *                                                without it, say nothing
 *                                 --ack LEVEL    publishers of relay-client keep every message until it has got so far
 *  of who listens                 --bind ADDRESS (127.0.0.1), and ports; 0: any free one (0)
 * </pre>
 */
public final class WorkerArgs {
    private final Map<String, String> values = new HashMap<>();

    /**
     * @throws IllegalArgumentException naming the argument that is no {@code --name}
     */
    public WorkerArgs(String[] args) {
        for (int i = 0; i < args.length; i++) {
            if (!args[i].startsWith("--")) {
                throw new IllegalArgumentException("unexpected argument '" + args[i] + "'");
            }
            boolean hasValue = i + 1 < args.length && !args[i + 1].startsWith("--");
            values.put(args[i].substring(2), hasValue ? args[++i] : "true");
        }
    }

    public boolean flag(String name) {
        return values.containsKey(name);
    }

    public String text(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + " is missing");
        }
        return value;
    }

    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** Null where it is not given. */
    public Path path(String name) {
        return flag(name) ? Path.of(text(name)) : null;
    }

    /** Where it listens: --bind, or loopback. */
    public String bind() {
        return text("bind", "127.0.0.1");
    }

    /** Sizes of all messages of the run: --body, see {@link BodySizes}, of --types (1) in turn. */
    public SizeTable sizes() {
        return SizeTable.of(BodySizes.parse(text("body"))).withTypes(number("types", 1));
    }

    /** Whether it connects by module relay-client: --library. */
    boolean library() {
        return flag("library");
    }

    /** The policy that HELLO asks for: --policy; null: nobody does. */
    Policy policy() {
        return flag("policy") ? Policy.ofFlag(text("policy")) : null;
    }

    /** Up to where publishers of relay-client keep every message: --ack; null: they do not. */
    Level acks() {
        return flag("ack") ? Level.ofFlag(text("ack")) : null;
    }

    public Endpoint endpoint(String name) {
        return Endpoint.parse(text(name));
    }

    /** With commas. */
    public List<Endpoint> endpoints(String name) {
        return Stream.of(text(name).split(",")).map(Endpoint::parse).toList();
    }

    public int number(String name, int otherwise) {
        return values.containsKey(name) ? number(name) : otherwise;
    }

    public int number(String name) {
        try {
            return Integer.parseInt(text(name));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--" + name + " '" + text(name) + "' is not a number", e);
        }
    }
}
