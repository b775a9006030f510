package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.load.Check;
import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.protocol.TypeRanges;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** What publishers and subscribers are. */
final class ClientOptions {
    private static final int MAX_CHURN = 2_000;

    /** What acknowledgements publishers ask for. */
    enum Ack {
        NONE,
        STREAM;

        /** As on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Option(
            names = "--client",
            paramLabel = "WHAT",
            defaultValue = "raw",
            description = {
                "What publishes and subscribes (${DEFAULT-VALUE}):",
                "raw: loadgen's own code over plain connections;",
                "library: the classes of relay-client, with HELLO, as users have them;",
                "c: programs in C that write prepared frames at full speed and count bytes, so cheap that what lies between"
                        + " is what is measured; nothing is checked but how many came. Needs a C compiler."
            })
    private Clients.Kind kind;

    @Option(
            names = "--ack",
            paramLabel = "WHAT",
            defaultValue = "none",
            description =
                    "With --client library: none; or stream, publishers keep every message until the relay has it in"
                            + " its stream, and the run fails where one of them is missing or came twice (${DEFAULT-VALUE}).")
    private Ack ack;

    @Option(
            names = "--types",
            paramLabel = "N",
            defaultValue = "1",
            description = "Messages carry so many types in turn, 1 to N; 1: all carry type 19527 (${DEFAULT-VALUE}).")
    private int types;

    @Option(
            names = "--subscribe-types",
            paramLabel = "RANGES",
            defaultValue = "all",
            description =
                    "With --client library: subscribers choose these types, and get exactly the messages that carry them: 1-3,7 or all"
                            + " (${DEFAULT-VALUE}).")
    private String subscribeTypes;

    @Option(
            names = "--churn",
            paramLabel = "RATE",
            defaultValue = "0",
            description =
                    "Connections a second that come and go beside the loaded ones, every other one a publisher that"
                            + " sends a few messages, which are checked as all others, and a subscriber that leaves in the middle"
                            + " of what it gets (${DEFAULT-VALUE}).")
    private int churn;

    /**
     * A load with these clients.
     *
     * @throws ParameterException naming what does not fit
     */
    Load with(CommandSpec spec, Load load) {
        boolean inC = kind == Clients.Kind.C;
        Limits.within(spec, "--types", types, 1, SizeTable.MAX_TYPES);
        Limits.within(spec, "--churn", churn, 0, MAX_CHURN);
        refuse(spec, ack == Ack.STREAM && kind != Clients.Kind.LIBRARY, "--ack stream needs --client library");
        TypeRanges wanted = wanted(spec);
        refuse(
                spec,
                !wanted.isAll() && kind != Clients.Kind.LIBRARY,
                "--subscribe-types " + wanted + " needs --client library: a plain connection chooses nothing");
        refuse(spec, inC && load.rate() > 0, "--rate " + load.rate() + " and --client c exclude each other");
        refuse(spec, inC && !load.body().isFixed(), "--client c sends messages of one size, not --body " + load.body());
        refuse(
                spec,
                inC && load.writes().messages() > 0,
                "--batch " + load.writes().messages() + " and --client c exclude each other: give --write-size");
        refuse(spec, inC && types > 1, "--types " + types + " and --client c exclude each other");
        refuse(
                spec,
                inC && load.body().max() > CPrograms.MAX_BODY,
                "--body " + load.body() + " is over the limit of --client c, " + CPrograms.MAX_BODY);
        refuse(
                spec,
                inC && load.slow().count() > 0,
                "--slow-readers " + load.slow().count() + " and --client c exclude each other");
        refuse(spec, inC && churn > 0, "--churn " + churn + " and --client c exclude each other");
        refuse(
                spec,
                kind == Clients.Kind.LIBRARY && load.writes().bytes() > 0,
                "--write-size " + load.writes().bytes() + " and --client library exclude each other");
        refuse(
                spec,
                inC && load.isChecked() && spec.commandLine().getParseResult().hasMatchedOption("--check"),
                "--check " + load.audience().check() + " and --client c exclude each other");
        if (inC) {
            String obstacle = CPrograms.obstacle();
            refuse(spec, !obstacle.isEmpty(), "--client c: " + obstacle);
        }
        Load content = load.withContent(new Load.Content(load.body(), load.seed(), types))
                .withClients(new Clients(kind, ack == Ack.STREAM, wanted, churn));
        return inC ? content.withCheck(Check.NONE) : content;
    }

    /**
     * Refuses clients that want more of what lies between than it can do.
     *
     * @param what on the command line: "--through plain"
     * @param hello whether it knows HELLO
     * @param several whether it takes publishers at any time, and as many as come
     * @throws ParameterException naming what does not fit
     */
    static void check(CommandSpec spec, Load load, String what, boolean hello, boolean several) {
        Clients clients = load.clients();
        refuse(
                spec,
                !hello && clients.kind() == Clients.Kind.LIBRARY,
                "--client library says HELLO, which " + what + " does not know");
        refuse(
                spec,
                !several && clients.churn() > 0,
                "--churn " + clients.churn() + " needs a relay that takes several publishers, not " + what);
    }

    /**
     * Refuses what publishers cannot do that are no processes of their own.
     *
     * @param what on the command line: "--in-process"
     * @throws ParameterException naming what does not fit
     */
    static void checkOwnPublishers(CommandSpec spec, Load load, String what) {
        check(spec, load, what, true, false);
        refuse(
                spec,
                load.content().types() > 1,
                "--types " + load.content().types() + " and " + what + " exclude each other");
        refuse(spec, load.clients().acks(), "--ack stream and " + what + " exclude each other");
    }

    private TypeRanges wanted(CommandSpec spec) {
        TypeRanges wanted;
        try {
            wanted = TypeRanges.parse(subscribeTypes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--subscribe-types " + e.getMessage(), e);
        }
        SizeTable carried = SizeTable.fixed(1).withTypes(types);
        refuse(
                spec,
                new TypeChoice(carried, wanted).isNone(),
                "--subscribe-types " + wanted + " chooses none of the messages: they carry "
                        + (types == 1 ? "type " + carried.typeOf(0) : "types 1 to " + types));
        return wanted;
    }

    private static void refuse(CommandSpec spec, boolean wrong, String message) {
        if (wrong) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }
}
