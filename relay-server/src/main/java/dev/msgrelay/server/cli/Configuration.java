package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.text.PrintableText;
import dev.msgrelay.protocol.text.SecretText;
import dev.msgrelay.protocol.text.TextFile;
import dev.msgrelay.protocol.text.UndecodedText;
import dev.msgrelay.server.access.AccessPolicy;
import dev.msgrelay.server.config.RelayOption;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * The values of options that come from the environment and the file. Every option can be set in three ways, with the
 * same name and values. In this row the left one wins:
 *
 * <pre>
 *   --log-size=64m   before   RELAY_LOG_SIZE=64m   before   log-size = 64m   before   the option's default
 * </pre>
 *
 * <p>A few may also stand in the cluster's block, before the default ({@link ConfigFile#ofAllNodes}).
 *
 * @param file the configuration file, if one is named
 * @param values the values from file and environment; the keys are options' names
 * @param access the rights of clients, if the file has an access block
 * @param passedOver lines about environment variables that are ignored, because Kubernetes set them for a Service
 */
record Configuration(
        Optional<Path> file,
        Map<String, ConfigFile.Value> values,
        Optional<AccessPolicy> access,
        List<String> passedOver) {
    static final Configuration NONE = new Configuration(Optional.empty(), Map.of(), Optional.empty(), List.of());

    /** Kubernetes sets such a value: RELAY_PUBLISH_PORT=tcp://10.0.0.1:7401 for a Service relay-publish. */
    private static final Pattern OF_A_SERVICE = Pattern.compile("(tcp|udp|sctp)://\\S+:\\d+");

    /** A variable that the container image sets. In the image, --bind has another default. */
    private static final String IMAGE = "RELAY_IMAGE";

    private static final Pattern JSON_LINE = Pattern.compile("(?m)^\\s*\"?json\"?\\s*[=:]\\s*\"?true\\b");

    /** Options that only a flag can set. */
    private static final Set<String> NOT_SET = Set.of(Settings.CONFIG, Settings.CHECK_CONFIG);

    /**
     * Reads the environment and the file. A value that another source overrides is not checked.
     *
     * @param args the command's arguments, which may name the file
     * @throws IllegalArgumentException a key is not an option, or a value is wrong; the message names file and line, or
     *     the variable
     */
    static Configuration read(CommandSpec command, Map<String, String> environment, String... args) {
        Map<String, OptionSpec> options = options(command);
        WhichFiles files = WhichFiles.of(environment, args);
        ConfigFile file = files.config().map(ConfigFile::read).orElse(ConfigFile.NONE);
        file.values().forEach((name, value) -> {
            if (!options.containsKey(name)) {
                throw new IllegalArgumentException(
                        value.where() + ": unknown key " + SecretText.key(name) + near(name, options));
            }
        });
        Map<String, ConfigFile.Value> values = new LinkedHashMap<>(file.values());
        List<String> passedOver = new ArrayList<>();
        for (String name : options.keySet()) {
            String variable = variable(name);
            String set = environment.getOrDefault(variable, "");
            if (variable.endsWith("_PORT") && OF_A_SERVICE.matcher(set).matches()) {
                passedOver.add(
                        variable + "=" + PrintableText.line(set) + " is ignored: it is what Kubernetes sets for a"
                                + " Service of this name. --" + name + " and the file set the option");
            } else if (!set.isEmpty()) {
                values.put(name, new ConfigFile.Value(set, variable));
            }
        }
        if (!environment.getOrDefault(IMAGE, "").isEmpty()) {
            values.putIfAbsent(RelayOption.BIND.name(), new ConfigFile.Value(Form.AUTO, IMAGE));
        }
        values.keySet().removeIf(name -> files.isGiven(options.get(name)));
        check(values);
        Optional<Path> cluster = Optional.ofNullable(files.cluster)
                .or(() -> Optional.ofNullable(values.get(RelayOption.CLUSTER.name()))
                        .map(value -> Path.of(value.text())));
        if (cluster.isPresent()) {
            boolean alone = !files.config().equals(cluster);
            ConfigFile ofCluster = alone ? ConfigFile.read(cluster.get()) : file;
            if (alone) {
                checkBeside(ofCluster, files.config());
            }
            // A node whose own value is another one is refused when it joins.
            Map<String, ConfigFile.Value> ofAllNodes = new TreeMap<>(ofCluster.ofAllNodes());
            ofAllNodes.keySet().removeIf(name -> values.containsKey(name) || files.isGiven(options.get(name)));
            check(ofAllNodes);
            values.putAll(ofAllNodes);
        }
        return new Configuration(files.config(), values, file.access().map(AccessBlock::read), passedOver);
    }

    /** Guesses whether a relay with these arguments prints JSON. Called before the parser, which may report errors. */
    static boolean saysJson(Map<String, String> environment, String... args) {
        List<String> given = List.of(args);
        if (given.contains("--json") || given.contains("--json=true") || given.contains("--json=false")) {
            return !given.contains("--json=false");
        }
        // The result of the check is text for a person, even if the file asks for JSON.
        if (given.contains("--" + Settings.CHECK_CONFIG)) {
            return false;
        }
        String set = environment.getOrDefault(variable(Settings.JSON), "");
        if (!set.isEmpty()) {
            return set.equals("true");
        }
        try {
            Optional<Path> file = WhichFiles.of(environment, args).config();
            return file.isPresent()
                    && JSON_LINE
                            .matcher(TextFile.read(file.get(), HoconFile.MOST_BYTES))
                            .find();
        } catch (IOException | InvalidPathException unusable) {
            return false;
        }
    }

    /** Checks values as if they were given with their options' flags. */
    private static void check(Map<String, ConfigFile.Value> values) {
        if (!values.isEmpty()) {
            CommandSpec alone = CommandSpec.create();
            new Settings().addTo(alone);
            CommandLine settings = CommandParser.of(alone);
            values.forEach((name, value) -> check(settings, name, value));
        }
    }

    private static void check(CommandLine settings, String name, ConfigFile.Value value) {
        if (UndecodedText.in(value.text())) {
            throw new IllegalArgumentException(value.where() + ": " + UndecodedText.fault("value", value.text()));
        }
        try {
            settings.parseArgs("--" + name + "=" + value.text());
        } catch (ParameterException e) {
            throw new IllegalArgumentException(value.where() + ": " + e.getMessage(), e);
        }
    }

    /**
     * The files that arguments or environment name. Found without the parser, which needs the file's values first, and
     * reports wrong arguments later.
     *
     * @param file null if none is named; so is {@code cluster}
     */
    private record WhichFiles(Path file, Path cluster, List<String> args) {
        static WhichFiles of(Map<String, String> environment, String... args) {
            return new WhichFiles(
                    named(Settings.CONFIG, environment, args),
                    named(RelayOption.CLUSTER.name(), environment, args),
                    List.of(args));
        }

        private static Path named(String option, Map<String, String> environment, String... args) {
            String flag = "--" + option;
            for (int i = 0; i < args.length; i++) {
                if (args[i].equals(flag) && i + 1 < args.length) {
                    return Path.of(args[i + 1]);
                }
                if (args[i].startsWith(flag + "=")) {
                    return Path.of(args[i].substring(flag.length() + 1));
                }
            }
            String set = environment.getOrDefault(variable(option), "");
            return set.isEmpty() ? null : Path.of(set);
        }

        boolean isGiven(OptionSpec option) {
            return Arrays.stream(option.names())
                    .anyMatch(name -> args.stream().anyMatch(arg -> arg.equals(name) || arg.startsWith(name + "=")));
        }

        /** The configuration file, by default the cluster's file. */
        Optional<Path> config() {
            return Optional.ofNullable(file == null ? cluster : file);
        }
    }

    /** Checks that the cluster's file has only the cluster block, because options beside it would not be read. */
    private static void checkBeside(ConfigFile beside, Optional<Path> config) {
        String unread = " stands beside cluster { ... }, and is not read, since --config names "
                + config.map(Path::toString).orElse("no file");
        beside.values().forEach((name, value) -> {
            throw new IllegalArgumentException(value.where() + ": " + name + unread);
        });
        beside.access().ifPresent(block -> {
            throw HoconFile.wrong(block, ConfigFile.ACCESS + unread);
        });
    }

    /** The options that file and environment may set. The keys are the options' names without dashes. */
    static Map<String, OptionSpec> options(CommandSpec command) {
        Map<String, OptionSpec> options = new TreeMap<>();
        for (OptionSpec option : command.options()) {
            String name = nameOf(option);
            if (!option.usageHelp() && !option.versionHelp() && !NOT_SET.contains(name)) {
                options.put(name, option);
            }
        }
        return options;
    }

    /** The name of an option without its dashes; empty for another argument. */
    private static String nameOf(ArgSpec arg) {
        return arg instanceof OptionSpec option ? option.longestName().replaceFirst("^--?", "") : "";
    }

    static String variable(String name) {
        return "RELAY_" + name.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /** A hint for a mistyped key: the options with the same first word. */
    private static String near(String name, Map<String, OptionSpec> options) {
        String word = name.replaceFirst("-.*", "");
        String others = options.keySet().stream()
                .filter(option -> option.equals(word) || option.startsWith(word + "-"))
                .collect(Collectors.joining(", "));
        return others.isEmpty() ? "" : "; there is " + others;
    }

    /** The default of an option, as picocli asks for it; null for the option's own. */
    String defaultValue(ArgSpec arg) {
        ConfigFile.Value value = values.get(nameOf(arg));
        return value == null ? null : CommandParser.asDefault(value.text());
    }

    /** Adds a setting's place in front of a refusal that begins with its name: {@code log size 1 is not ...}. */
    String withPlace(String message) {
        String longest = "";
        String where = "";
        for (Map.Entry<String, ConfigFile.Value> entry : values.entrySet()) {
            String name = entry.getKey().replace('-', ' ') + " ";
            if (name.length() > longest.length() && message.regionMatches(true, 0, name, 0, name.length())) {
                longest = name;
                where = entry.getValue().where() + ": ";
            }
        }
        return where + message;
    }
}
