package dev.msgrelay.client.cli;

import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.protocol.text.UndecodedText;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A relay by a name that the user chose: its endpoints, and the user's token and certificates. A file of lines, {@code
 * NAME.conf} in {@code ~/.config/relay-client}:
 *
 * <pre>
 *   # production
 *   publish = relay-a.example:7401, relay-b.example:7401
 *   subscribe = relay-a.example:7400, relay-b.example:7400
 *   token-file = orders.token
 *   tls-ca = ca.pem
 * </pre>
 *
 * @param directory the file's directory, to which paths in the file are relative
 * @param values values by their keys
 */
public record Context(Path directory, Map<String, String> values) {
    public static final String PUBLISH = "publish";

    public static final String SUBSCRIBE = "subscribe";

    public static final String TOKEN_FILE = "token-file";

    /** Keys like the options of the same names; each of them turns TLS on. */
    public static final String TLS_CA = "tls-ca";

    public static final String TLS_CERT = "tls-cert";
    public static final String TLS_KEY = "tls-key";
    public static final String TLS_NAME = "tls-name";

    /** Most bytes of a file: longer than any that a person writes. */
    private static final int MOST_BYTES = 64 << 10;

    /** The context without a name, which has no values. */
    static final Context NONE = new Context(Path.of(""), Map.of());

    private static final List<String> KEYS =
            List.of(PUBLISH, SUBSCRIBE, TOKEN_FILE, TLS_CA, TLS_CERT, TLS_KEY, TLS_NAME);

    /**
     * The command's folder of one kind, by the rules of XDG. HOME goes before the JDK's property, which is unknown for
     * a user who is not in the system's list, as in a container.
     *
     * @param variable variable of the environment that names the folder
     * @param inHome folder within the user's home otherwise
     */
    static Path folder(Map<String, String> environment, String variable, String inHome) {
        String base = environment.getOrDefault(variable, "");
        String home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        return (base.isEmpty() ? Path.of(home, inHome) : Path.of(base)).resolve("relay-client");
    }

    /**
     * Reads the file of context {@code name}.
     *
     * @param environment the process's environment: XDG_CONFIG_HOME, HOME
     * @throws IOException there is no such file, or a line of it is wrong; the message names file and line
     */
    public static Context read(String name, Map<String, String> environment) throws IOException {
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
            lines = TextFile.read(file, MOST_BYTES).lines().toList();
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
                // The message does not show the line: it may hold a secret.
                throw new IOException(place + "is not KEY = VALUE with one of the keys " + String.join(", ", KEYS));
            }
            if (values.put(key, line.substring(equals + 1).strip()) != null) {
                throw new IOException(place + key + " is there twice");
            }
        }
        return new Context(directory, values);
    }

    /** The value of a key; null: the file has none. */
    public String value(String key) {
        return values.get(key);
    }

    /** The path at a key, relative to the file's directory; null: the file has none. */
    public Path path(String key) {
        String value = values.get(key);
        return value == null ? null : directory.resolve(value);
    }
}
