package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.protocol.cli.CommandParser;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.Sizes;
import dev.msgrelay.server.access.Network;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.net.CongestionControl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The form of a setting's value.
 *
 * @param label name of the value in the help text
 * @param parser parses the text, or throws IllegalArgumentException; if empty, picocli parses by the type
 * @param words the allowed words; if empty, the parser decides
 */
record Form<T>(String label, Class<?> type, Optional<Function<String, T>> parser, List<String> words) {
    static final Form<Integer> SIZE = parsed("SIZE", Integer.class, Sizes::parse);
    static final Form<Duration> TIME = parsed("TIME", Duration.class, Durations::parse);
    static final Form<TypeRanges> TYPES = parsed("RANGES", TypeRanges.class, TypeRanges::parse);
    static final Form<Object> SIZE_OR_TIME = parsed("SIZE|TIME", Object.class, Form::sizeOrTime);
    static final Form<Integer> NUMBER = new Form<>("N", Integer.class, Optional.empty(), List.of());
    static final Form<Integer> EVENT_LOOPS = parsed("N", Integer.class, Form::eventLoops);
    static final Form<Integer> PORT = parsed("PORT", Integer.class, Form::port);
    static final Form<String> CONGESTION = parsed("NAME", String.class, CongestionControl::checked);
    static final Form<List<Network>> NETWORKS = new Form<>("NETWORK", List.class, Optional.empty(), List.of());
    static final Form<Path> FILE = new Form<>("FILE", Path.class, Optional.empty(), List.of());
    static final Form<Path> DIR = new Form<>("DIR", Path.class, Optional.empty(), List.of());
    static final Form<Path> PATH = new Form<>("PATH", Path.class, Optional.empty(), List.of());
    /** A flag that may have a value: {@code --json=false} overrides the file. */
    static final Form<Boolean> FLAG = new Form<>("", boolean.class, Optional.empty(), List.of());

    static final Form<Policy> POLICY = parsed("POLICY", Policy.class, Policy::ofFlag, words(Policy.DEFAULTS));
    static final Form<List<Policy>> POLICIES =
            new Form<>("POLICY", List.class, Optional.empty(), List.of(words(Policy.DECIDED)));

    /** The word that lets the relay choose the value. */
    static final String AUTO = "auto";

    /** The word that turns a port off. */
    static final String NONE = "none";

    private static <T> Form<T> parsed(String label, Class<?> type, Function<String, T> parser, String... words) {
        return new Form<>(label, type, Optional.of(parser), List.of(words));
    }

    private static String[] words(List<Policy> policies) {
        return policies.stream().map(Policy::flag).toArray(String[]::new);
    }

    static Form<String> text(String label) {
        return new Form<>(label, String.class, Optional.empty(), List.of());
    }

    /** The name of one of the enum's constants, in lower case. */
    static <E extends Enum<E>> Form<E> word(Class<E> type) {
        List<String> words = Stream.of(type.getEnumConstants())
                .map(word -> word.name().toLowerCase(Locale.ROOT))
                .toList();
        return new Form<>("NAME", type, Optional.empty(), words);
    }

    OptionSpec.Builder option(String name) {
        OptionSpec.Builder option = OptionSpec.builder(name).paramLabel(label).type(type);
        if (!words.isEmpty()) {
            option.completionCandidates(words);
        }
        if (type == boolean.class) {
            option.initialValue(false).fallbackValue("true");
        } else if (this == NETWORKS) {
            option.auxiliaryTypes(Network.class).splitRegex(",").converters(CommandParser.converter(Network::parse));
        } else if (type == List.class) {
            option.auxiliaryTypes(Policy.class).splitRegex(",").converters(CommandParser.converter(Policy::ofFlag));
        }
        parser.ifPresent(parse -> option.converters(CommandParser.converter(parse)));
        return option;
    }

    /** Returns the text that is parsed to this value. */
    String written(Object value) {
        if (value instanceof Duration time) {
            return time.isZero() ? "0" : time.toSeconds() + "s";
        }
        if (value instanceof Collection<?> list) {
            return list.stream().map(this::written).collect(Collectors.joining(","));
        }
        if (this == SIZE || this == SIZE_OR_TIME) {
            long bytes = ((Number) value).longValue();
            int word = Math.min(3, Long.numberOfTrailingZeros(bytes) / 10);
            return (bytes >> 10 * word) + List.of("", "k", "m", "g").get(word);
        }
        boolean auto = this == EVENT_LOOPS && value.equals(RelayConfig.AUTO_EVENT_LOOPS);
        return auto ? AUTO : value.toString().toLowerCase(Locale.ROOT);
    }

    /** A size, or a time with one of the letters s, h and d, which no size has. */
    private static Object sizeOrTime(String text) {
        try {
            boolean time = text.strip().toLowerCase(Locale.ROOT).matches("\\d+[shd]");
            return time ? Durations.parse(text) : (Object) Sizes.parse(text, Long.MAX_VALUE);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + "; or a time like 3600s, 12h or 7d");
        }
    }

    private static int eventLoops(String text) {
        String number = text.trim().toLowerCase(Locale.ROOT);
        if (number.equals(AUTO)) {
            return RelayConfig.AUTO_EVENT_LOOPS;
        }
        if (!number.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("'" + text + "' is neither auto nor a number of event loops");
        }
        return Integer.parseInt(number);
    }

    private static int port(String text) {
        if (text.equals(NONE)) {
            return ListenConfig.OFF;
        }
        if (!text.matches("\\d{1,9}")) {
            throw new IllegalArgumentException("'" + text + "' is neither none nor a port");
        }
        return Integer.parseInt(text);
    }
}
