package dev.msgrelay.loadgen.worker;

import dev.msgrelay.protocol.net.Endpoint;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The arguments of a worker process: {@code --name value} pairs, and {@code --name} alone for what is on or off.
 * Workers are started by loadgen, dozens of times in a benchmark, and never by hand; this keeps their start short.
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

    /**
     * @param otherwise where it is not given
     */
    public long nanos(String name, long otherwise) {
        try {
            return values.containsKey(name) ? Long.parseLong(text(name)) : otherwise;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--" + name + " '" + text(name) + "' is not a number", e);
        }
    }

    public int number(String name) {
        try {
            return Integer.parseInt(text(name));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("--" + name + " '" + text(name) + "' is not a number", e);
        }
    }
}
