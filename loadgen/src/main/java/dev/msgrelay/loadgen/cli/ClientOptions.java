package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.protocol.TypeRanges;
import picocli.CommandLine.Option;

/** What publishers and subscribers are. */
final class ClientOptions extends Options {
    static final int MAX_CHURN = 2_000;

    @Option(
            names = "--client",
            paramLabel = "WHAT",
            description = {
                "What publishes and subscribes (${DEFAULT-VALUE}):",
                "raw: loadgen's own code over plain connections;",
                "library: the classes of relay-client, with HELLO, as users have them."
            })
    private Clients.Kind kind = Clients.Kind.RAW;

    @Option(
            names = "--ack",
            paramLabel = "WHAT",
            description =
                    "With --client library: none; or publishers keep every message until the relay has it in its stream"
                            + " (stream), its journal has written it (written), or it is on the disk (forced). The run"
                            + " fails where one of them is missing or came twice, and tells how long acknowledgements took."
                            + " written and forced need a relay with --journal (${DEFAULT-VALUE}).")
    private Clients.Ack ack = Clients.Ack.NONE;

    @Option(
            names = "--types",
            paramLabel = "N",
            description = "Messages carry so many types in turn, 1 to N; 1: all carry type 19527 (${DEFAULT-VALUE}).")
    private int types = 1;

    @Option(
            names = "--subscribe-types",
            paramLabel = "RANGES",
            description =
                    "With --client library: subscribers choose these types, and get exactly the messages that carry them: 1-3,7 or all"
                            + " (${DEFAULT-VALUE}).")
    private String subscribeTypes = "all";

    @Option(
            names = "--churn",
            paramLabel = "RATE",
            description =
                    "Connections a second that come and go beside the loaded ones, one at a time: every other one a publisher"
                            + " that sends a few messages, which are checked as all others, and a subscriber that leaves in the"
                            + " middle of what it gets, of which every byte is checked (${DEFAULT-VALUE}).")
    private int churn;

    @Option(
            names = "--storm",
            paramLabel = "N",
            description =
                    "So many of them at once, at the same moment once a second; each leaves without a word, in the"
                            + " middle of a message, and comes back with the next storm (${DEFAULT-VALUE}).")
    private int storm;

    @Option(
            names = "--tls",
            description = "Publishers and subscribers speak TLS 1.3. The relay that is started gets a key (RSA, 2048"
                    + " bits) and a certificate of its own, which are removed afterwards; of one that runs already --tls-ca and"
                    + " the like say whom to trust.")
    private boolean tls;

    @Option(
            names = "--handshakes",
            paramLabel = "RATE",
            description = "TLS connections a second that come to the relay beside the load, shake hands and leave"
                    + " (${DEFAULT-VALUE}).")
    private int handshakes;

    @Option(
            names = "--scrapes",
            paramLabel = "RATE",
            description =
                    "Requests a second for the metrics of the relay's admin port, while what its page shows is read"
                            + " all the time (${DEFAULT-VALUE}).")
    private int scrapes;

    /** A load with these clients. */
    Load with(Load load) {
        within("--types", types, 1, SizeTable.MAX_TYPES);
        within("--churn", churn, 0, MAX_CHURN);
        within("--storm", storm, 0, MAX_CHURN);
        within("--handshakes", handshakes, 0, MAX_CHURN);
        within("--scrapes", scrapes, 0, MAX_CHURN);
        refuse(tls && load.unix(), "--tls and --unix exclude each other");
        refuse(ack.isAsked() && kind != Clients.Kind.LIBRARY, "--ack " + ack + " needs --client library");
        TypeRanges wanted = wanted();
        refuse(
                !wanted.isAll() && kind != Clients.Kind.LIBRARY,
                "--subscribe-types " + wanted + " needs --client library: a plain connection chooses nothing");
        refuse(
                kind == Clients.Kind.LIBRARY && load.writes().bytes() > 0,
                "--write-size " + load.writes().bytes() + " and --client library exclude each other");
        return load.withContent(new Load.Content(load.body(), load.seed(), types))
                .withClients(new Clients(kind, ack, wanted, churn, new Clients.Ports(tls, handshakes, scrapes), storm));
    }

    private TypeRanges wanted() {
        TypeRanges wanted = parsed("--subscribe-types ", subscribeTypes, TypeRanges::parse);
        SizeTable carried = SizeTable.fixed(1).withTypes(types);
        refuse(
                new TypeChoice(carried, wanted).isNone(),
                "--subscribe-types " + wanted + " chooses none of the messages: they carry "
                        + (types == 1 ? "type " + carried.typeOf(0) : "types 1 to " + types));
        return wanted;
    }
}
