package dev.msgrelay.loadgen.agent;

import dev.msgrelay.loadgen.inprocess.InProcessMain;
import dev.msgrelay.loadgen.plain.PlainRelayMain;
import dev.msgrelay.loadgen.plain.PrepackedMain;
import dev.msgrelay.loadgen.site.JavaProgram;
import dev.msgrelay.loadgen.worker.PublisherMain;
import dev.msgrelay.loadgen.worker.RelayMain;
import dev.msgrelay.loadgen.worker.SlowReaderMain;
import dev.msgrelay.loadgen.worker.SubscriberMain;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What an agent starts for a controller, even for one that means harm: these classes, with options of the JVM that set
 * memory and collector only, and arguments that name no file, no Unix socket, and no host but those of the run.
 * Everything that is not allowed is refused.
 *
 * @param own addresses at which processes may listen
 * @param hosts addresses to which processes may connect
 */
record Programs(Set<InetAddress> own, Set<InetAddress> hosts) {
    static final int MAX_ARGS = 128;

    /** A histogram of body sizes, the longest argument that there is, has up to 47,110 characters. */
    static final int MAX_ARG_LENGTH = 48 << 10;

    static final int MAX_JAVA_OPTIONS = 32;

    /** Of one heap, stack or direct memory: more is a mistake, or an attempt on the host. */
    static final long MAX_MEMORY_BYTES = 16L << 30;

    private static final Set<String> MAINS = Stream.of(
                    PublisherMain.class,
                    SubscriberMain.class,
                    SlowReaderMain.class,
                    RelayMain.class,
                    PlainRelayMain.class,
                    PrepackedMain.class,
                    InProcessMain.class)
            .map(Class::getName)
            .collect(Collectors.toUnmodifiableSet());

    /** The relay is a command for operators: only what tunes it, nothing that it may one day read or write. */
    private static final Set<String> RELAY_OPTIONS = Set.of(
            "--bind",
            "--publish-port",
            "--subscribe-port",
            "--transport",
            "--event-loops",
            "--mtu",
            "--ring-size",
            "--log-size",
            "--max-body",
            "--stall-timeout",
            "--drain-timeout",
            "--quiet",
            "--json",
            "--slow-subscriber",
            "--allow-policies",
            "--heartbeat",
            "--idle-timeout",
            "--handshake-timeout",
            "--max-connections",
            "--max-publishers");

    private static final Pattern MEMORY =
            Pattern.compile("(?:-Xm[sxn]|-Xss|-XX:MaxDirectMemorySize=)(\\d{1,9})([kmgKMG]?)");
    private static final Pattern HARMLESS = Pattern.compile("-XX:[+-]Use(?:Serial|Parallel|G1|Z|Shenandoah)GC"
            + "|-XX:[+-](?:AlwaysPreTouch|UseNUMA|UseTransparentHugePages|ZGenerational)|-XX:-UsePerfData"
            + "|-XX:(?:ParallelGCThreads|ConcGCThreads|MaxGCPauseMillis)=\\d{1,5}"
            + "|-XX:TieredStopAtLevel=[1-4]|-Xshare:auto|--enable-native-access=ALL-UNNAMED");

    /** Older JDKs do not start with it; newer ones warn without it. Which JDK runs is the agent's to know. */
    private static final String UNSAFE_MEMORY = "--sun-misc-unsafe-memory-access=allow";

    private static final int JDK_WITH_UNSAFE_MEMORY = 24;

    private static final Pattern OPTION = Pattern.compile("--[a-z][a-z0-9-]{0,40}");
    private static final Pattern FORBIDDEN_OPTION = Pattern.compile(".*(?:socket|file|path|dir|directory|out|save)");
    private static final Pattern NUMBER = Pattern.compile("-\\d{1,19}");

    /** No slash of either kind, no "@file" of picocli, no blank, no "file:", "unix:" or any other scheme. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.,;=+%-]*");

    private static final Pattern SIZES = Pattern.compile("(?:uniform|sizes):[0-9x,-]+");
    private static final Pattern ENDPOINT = Pattern.compile("(?:\\[([0-9a-fA-F:.]+)]|([0-9.]+)):\\d{1,5}");
    private static final Pattern V4 = Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}");
    private static final Pattern V6 = Pattern.compile("[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

    /**
     * The program as this host's JDK takes it.
     *
     * @throws ProtocolException naming what is not allowed
     */
    JavaProgram checked(JavaProgram asked) throws ProtocolException {
        if (!MAINS.contains(asked.main())) {
            throw new ProtocolException("'" + Messages.printable(asked.main()) + "' is not one of the programs that"
                    + " this agent starts");
        }
        bounded("JVM options", asked.javaOptions(), MAX_JAVA_OPTIONS);
        bounded("arguments", asked.args(), MAX_ARGS);
        List<String> javaOptions = new ArrayList<>();
        for (String option : asked.javaOptions()) {
            if (option.equals(UNSAFE_MEMORY)) {
                continue;
            }
            checkJavaOption(option);
            javaOptions.add(option);
        }
        if (Runtime.version().feature() >= JDK_WITH_UNSAFE_MEMORY) {
            javaOptions.add(UNSAFE_MEMORY);
        }
        checkArgs(asked.args(), asked.main().equals(RelayMain.class.getName()));
        return new JavaProgram(javaOptions, asked.main(), asked.args());
    }

    private static void bounded(String what, List<String> list, int max) throws ProtocolException {
        if (list.size() > max) {
            throw new ProtocolException(list.size() + " " + what + " are more than " + max);
        }
    }

    private static void checkJavaOption(String option) throws ProtocolException {
        if (HARMLESS.matcher(option).matches()) {
            return;
        }
        Matcher memory = MEMORY.matcher(option);
        if (!memory.matches()) {
            throw new ProtocolException("the JVM option '" + Messages.printable(option) + "' is not allowed");
        }
        int shift = memory.group(2).isEmpty()
                ? 0
                : 10 * (1 + "kmg".indexOf(memory.group(2).toLowerCase(Locale.ROOT)));
        if (Long.parseLong(memory.group(1)) > MAX_MEMORY_BYTES >> shift) {
            throw new ProtocolException("the JVM option '" + option + "' is over 16g");
        }
    }

    private void checkArgs(List<String> args, boolean relay) throws ProtocolException {
        String option = "";
        for (String arg : args) {
            if (arg.length() > MAX_ARG_LENGTH) {
                throw new ProtocolException("an argument of " + arg.length() + " characters is over " + MAX_ARG_LENGTH);
            }
            boolean isOption = arg.startsWith("--");
            if (isOption ? !allowedOption(arg, relay) : !allowedValue(arg, relay && option.isEmpty())) {
                throw new ProtocolException("the argument '" + Messages.printable(arg) + "' is not allowed");
            }
            if (!isOption) {
                checkAddress(option, arg);
            }
            option = isOption ? arg : "";
        }
    }

    private static boolean allowedOption(String arg, boolean relay) {
        return relay
                ? RELAY_OPTIONS.contains(arg)
                : OPTION.matcher(arg).matches()
                        && !FORBIDDEN_OPTION.matcher(arg).matches();
    }

    private static boolean allowedValue(String arg, boolean withoutOption) {
        return !withoutOption
                && Stream.of(WORD, NUMBER, SIZES, ENDPOINT, V6)
                        .anyMatch(form -> form.matcher(arg).matches());
    }

    private void checkAddress(String option, String value) throws ProtocolException {
        if (option.equals("--bind")) {
            require(own, value, "this agent's processes do not listen on ");
        } else if (option.equals("--to") || option.equals("--from")) {
            Matcher endpoint = ENDPOINT.matcher(value);
            if (!endpoint.matches()) {
                throw new ProtocolException(option + " '" + Messages.printable(value) + "' is not ADDRESS:PORT");
            }
            String host = endpoint.group(1) == null ? endpoint.group(2) : endpoint.group(1);
            require(hosts, host, "this agent's processes do not connect to ");
        }
    }

    private static void require(Set<InetAddress> allowed, String host, String otherwise) throws ProtocolException {
        InetAddress address = literal(host);
        if (address == null || !allowed.contains(address)) {
            throw new ProtocolException(otherwise + "'" + Messages.printable(host) + "', only "
                    + allowed.stream().map(InetAddress::getHostAddress).sorted().collect(Collectors.joining(", ")));
        }
    }

    /** An address written as a number, or null: no name is ever looked up for a controller. */
    static InetAddress literal(String host) {
        if (!V4.matcher(host).matches() && !V6.matcher(host).matches()) {
            return null;
        }
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
