package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.load.SizeTable;
import dev.msgrelay.loadgen.load.TypeChoice;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.protocol.TypeRanges;
import picocli.CommandLine.Option;

/** What publishers and subscribers are. */
final class ClientOptions extends Options {
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
            names = "--tls",
            description =
                    "Publishers and subscribers, those of relay-client, speak TLS 1.3. The relay that is started gets a key (RSA, 2048"
                            + " bits) and a certificate of its own, which are removed afterwards; of one that runs already --tls-ca and"
                            + " the like say whom to trust.")
    private boolean tls;

    /** A load with these clients. */
    Load with(Load load) {
        within("--types", types, 1, SizeTable.MAX_TYPES);
        refuse(tls && load.unix(), "--tls and --unix exclude each other");
        boolean raw = kind == Clients.Kind.RAW;
        refuse(tls && raw && isGiven("--client"), "--tls and --client raw exclude each other");
        kind = tls ? Clients.Kind.LIBRARY : kind;
        refuse(ack.isAsked() && kind != Clients.Kind.LIBRARY, "--ack " + ack + " needs --client library");
        TypeRanges wanted = wanted();
        refuse(
                !wanted.isAll() && kind != Clients.Kind.LIBRARY,
                "--subscribe-types " + wanted + " needs --client library: a plain connection chooses nothing");
        refuse(
                kind == Clients.Kind.LIBRARY && load.writeSize() > 0,
                "--write-size " + load.writeSize() + " and --client library exclude each other");
        return load.withContent(new Load.Content(load.body(), types)).withClients(new Clients(kind, ack, wanted, tls));
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
