package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.text.UndecodedText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A relay by a name of one's own: where it is, and who one is there. A file of lines, {@code NAME.conf} in {@code
 * ~/.config/relay-client}:
 *
 * <pre>
 *   # production
 *   publish = relay-a.example:7401, relay-b.example:7401
 *   subscribe = relay-a.example:7400, relay-b.example:7400
 *   token-file = orders.token
 *   tls-ca = ca.pem
 * </pre>
 *
 * @param directory of the file: paths in it are relative to it
 * @param values by their keys
 */
record Context(Path directory, Map<String, String> values) {
    /** Endpoints of publishers. */
    static final String PUBLISH = "publish";

    /** Endpoints of subscribers. */
    static final String SUBSCRIBE = "subscribe";

    static final String TOKEN_FILE = "token-file";

    /** As the options of the same names, each of which means TLS. */
    static final String TLS_CA = "tls-ca";

    static final String TLS_CERT = "tls-cert";
    static final String TLS_KEY = "tls-key";
    static final String TLS_NAME = "tls-name";

    /** Without a name there is nothing in it. */
    static final Context NONE = new Context(Path.of(""), Map.of());

    private static final List<String> KEYS =
            List.of(PUBLISH, SUBSCRIBE, TOKEN_FILE, TLS_CA, TLS_CERT, TLS_KEY, TLS_NAME);

    /**
     * The command's folder of one kind, by the rules of XDG. The JDK knows no home of a user who is not in the system's list, as
     * in a container; the environment may.
     *
     * @param variable names the folder of this kind
     * @param inHome where it is otherwise
     */
    static Path folder(Map<String, String> environment, String variable, String inHome) {
        String base = environment.getOrDefault(variable, "");
        String home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        return (base.isEmpty() ? Path.of(home, inHome) : Path.of(base)).resolve("relay-client");
    }

    /**
     * Reads the file of this name.
     *
     * @param environment of the process: XDG_CONFIG_HOME, HOME
     * @throws IOException there is none, or a line of it is wrong; naming file and line
     */
    static Context read(String name, Map<String, String> environment) throws IOException {
        if (UndecodedText.in(name)) {
            throw new IOException(UndecodedText.fault("context", name));
        }
        Path directory = folder(environment, "XDG_CONFIG_HOME", ".config");
        if (name.isEmpty() || name.contains("/") || name.startsWith(".")) {
            throw new IOException("'" + name + "' is no name of a context: it is a file NAME.conf in " + directory);
        }
        Path file = directory.resolve(name + ".conf");
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (NoSuchFileException e) {
            throw new IOException("there is no context " + name + ": no file " + file, e);
        } catch (AccessDeniedException e) {
            throw new IOException("context " + name + ": " + file + ": permission denied", e);
        } catch (IOException e) {
            throw new IOException("context " + name + ": " + file + " cannot be read: " + e.getMessage(), e);
        }
        Map<String, String> values = new TreeMap<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            int equals = line.indexOf('=');
            String key = equals < 0 ? "" : line.substring(0, equals).strip();
            String place = file + ":" + (i + 1) + ": ";
            if (!KEYS.contains(key)) {
                // The line is not shown: it may hold a secret.
                throw new IOException(place + "is not KEY = VALUE with one of the keys " + String.join(", ", KEYS));
            }
            if (values.put(key, line.substring(equals + 1).strip()) != null) {
                throw new IOException(place + key + " is there twice");
            }
        }
        return new Context(directory, values);
    }

    /** Null: it says nothing of this. */
    String value(String key) {
        return values.get(key);
    }

    /** A path, likewise. */
    Path path(String key) {
        String value = values.get(key);
        return value == null ? null : directory.resolve(value);
    }
}
