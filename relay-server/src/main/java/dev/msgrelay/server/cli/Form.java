package dev.msgrelay.server.cli;

import dev.msgrelay.protocol.Policy;
import dev.msgrelay.protocol.text.Durations;
import dev.msgrelay.protocol.text.Sizes;
import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.net.CongestionControl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.TypeConversionException;

/**
 * The form of a setting's value.
 *
 * @param label name of the value in the help text
 * @param parser reads a text, and throws IllegalArgumentException if it is wrong; null: picocli reads this type itself
 * @param words the words that there are; null: any text may be right
 */
record Form<T>(String label, Class<?> type, Function<String, T> parser, List<String> words) {
    static final Form<Integer> SIZE = new Form<>("SIZE", Integer.class, Sizes::parse, null);
    static final Form<Duration> TIME = new Form<>("TIME", Duration.class, Durations::parse, null);
    static final Form<Object> SIZE_OR_TIME = new Form<>("SIZE|TIME", Object.class, Form::sizeOrTime, null);
    static final Form<Integer> NUMBER = new Form<>("N", Integer.class, null, null);
    static final Form<Integer> EVENT_LOOPS = new Form<>("N", Integer.class, Form::eventLoops, null);
    static final Form<Integer> PORT = new Form<>("PORT", Integer.class, Form::port, null);
    static final Form<String> MODE = new Form<>("MODE", String.class, Form::mode, null);
    static final Form<String> CONGESTION = new Form<>("NAME", String.class, CongestionControl::checked, null);
    static final Form<Path> FILE = new Form<>("FILE", Path.class, null, null);
    static final Form<Path> DIR = new Form<>("DIR", Path.class, null, null);
    static final Form<Path> PATH = new Form<>("PATH", Path.class, null, null);
    /** A flag that takes a value, too, which overrides the one in a file. */
    static final Form<Boolean> FLAG = new Form<>("", boolean.class, null, null);

    private static final List<String> POLICY_WORDS =
            Policy.DECIDED.stream().map(Policy::flag).toList();
    static final Form<Policy> POLICY = new Form<>("POLICY", Policy.class, Policy::ofFlag, POLICY_WORDS);
    static final Form<List<Policy>> POLICIES = new Form<>("POLICY", List.class, null, POLICY_WORDS);

    /** The value that the relay chooses itself. */
    static final String AUTO = "auto";

    /** The value of a port that there is not to be. */
    static final String NONE = "none";

    static Form<String> text(String label) {
        return new Form<>(label, String.class, null, null);
    }

    /** One of the names of an enum, in lower case. */
    static <E extends Enum<E>> Form<E> word(Class<E> type) {
        List<String> words = Stream.of(type.getEnumConstants())
                .map(word -> word.name().toLowerCase(Locale.ROOT))
                .toList();
        return new Form<>("NAME", type, null, words);
    }

    OptionSpec.Builder option(String name) {
        OptionSpec.Builder option =
                OptionSpec.builder(name).paramLabel(label).type(type).completionCandidates(words);
        if (type == boolean.class) {
            option.initialValue(false).fallbackValue("true");
        } else if (type == List.class) {
            option.auxiliaryTypes(Policy.class).splitRegex(",").converters(POLICY::read);
        }
        return parser == null ? option : option.converters(this::read);
    }

    /** A value as somebody would write it. */
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

    private T read(String text) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
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

    private static String mode(String text) {
        if (!text.matches(ListenConfig.MODE)) {
            throw new IllegalArgumentException("'" + text + "' is not octal, such as 0660");
        }
        return text;
    }
}
