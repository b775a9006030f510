package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.plain.CPrograms;
import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
import dev.msgrelay.loadgen.run.InProcessContestant;
import dev.msgrelay.loadgen.run.Load;
import dev.msgrelay.loadgen.run.RelayContestant;
import java.util.List;
import java.util.Locale;

/** What a load may want of what lies between publishers and subscribers. */
abstract class ContestantFit extends Options {
    /** What that can be. */
    enum Through {
        RELAY,
        PLAIN,
        SSLHANDLER,
        C,
        DIRECT,
        NOTHING;

        /** As on the command line. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Refuses clients that want more of what lies between than it can do.
     *
     * @param what on the command line: "--through plain"
     * @param hello whether it knows HELLO
     * @param several whether it takes publishers at any time, and as many as come
     */
    final void checkClients(Load load, String what, boolean hello, boolean several) {
        Clients clients = load.clients();
        refuse(
                !hello && clients.kind() == Clients.Kind.LIBRARY,
                "--client library says HELLO, which " + what + " does not know");
        refuse(
                !several && clients.churn() > 0,
                "--churn " + clients.churn() + " needs a relay that takes several publishers, not " + what);
        refuse(
                !several && clients.storm() > 0,
                "--storm " + clients.storm() + " needs a relay that takes several publishers, not " + what);
    }

    /**
     * Refuses acknowledgements that this relay does not give.
     *
     * @param option how it is given one, with %s in place of the directory: "--journal %s"
     * @param args of the relay
     */
    final void checkJournal(Load load, String option, List<String> args) {
        boolean journal = args.stream().anyMatch(arg -> arg.split("=")[0].equals(RelayContestant.JOURNAL));
        refuse(
                load.clients().acks().needsJournal() && !journal,
                "--ack " + load.clients().acks() + " needs a relay with a journal: give " + option.replace("%s", "DIR")
                        + ", or " + option.replace("%s", RelayContestant.TEMPORARY));
    }

    /**
     * Refuses a load that needs ports which only relay-server has.
     *
     * @param what there is instead, as on the command line: "--through plain"
     * @param tls whether it speaks TLS
     */
    final void checkPorts(Load load, String what, boolean tls) {
        Clients.Ports ports = load.clients().ports();
        refuse(ports.tls() && !tls, "--tls and " + what + " exclude each other");
        refuse(!ports.tls() && tls, what + " needs --tls");
        refuse(ports.handshakes() > 0, "--handshakes " + ports.handshakes() + " and " + what + " exclude each other");
        refuse(ports.scrapes() > 0, "--scrapes " + ports.scrapes() + " and " + what + " exclude each other");
    }

    /** Refuses what publishers cannot do that are threads of the relay's process. */
    final void checkInProcess(Load load) {
        checkClients(load, "--in-process", true, false);
        checkPorts(load, "--in-process", false);
        int types = load.content().types();
        refuse(types > 1, "--types " + types + " and --in-process exclude each other");
        refuse(
                load.clients().acks().isAsked(),
                "--ack " + load.clients().acks() + " and --in-process exclude each other");
        refuse(load.writes().bytes() > 0, "--write-size and --in-process exclude each other");
        refuse(load.rate() > 0, "--in-process and --rate " + load.rate() + " exclude each other");
    }

    /** Messages of one publish, of publishers in the relay's process. */
    static int runLength(Load load) {
        int batch = load.writes().messages();
        return batch == 0 ? InProcessContestant.USUAL_RUN : batch;
    }

    /**
     * What there can be in place of a relay.
     *
     * @param what on the command line: "--through plain"
     * @param size bytes of reads, or writes
     */
    final Contestant withoutRelay(Load load, String what, Through through, int size) {
        boolean inC = through == Through.C;
        checkClients(load, what, false, inC);
        checkPorts(load, what, through == Through.SSLHANDLER);
        refuse(!inC && load.publishers() != 1, what + " takes one publisher, not " + load.publishers());
        refuse(
                inC && load.body().max() > CPrograms.MAX_BODY,
                "--body " + load.body() + " is over the limit of " + what + ", " + CPrograms.MAX_BODY);
        String obstacle = inC ? CPrograms.obstacle() : "";
        refuse(!obstacle.isEmpty(), what + ": " + obstacle);
        return switch (through) {
            case C -> Contestants.c(size);
            case SSLHANDLER -> Contestants.sslHandler();
            case PLAIN -> Contestants.plain(size);
            case DIRECT -> Contestants.direct(size);
            case RELAY, NOTHING -> Contestants.none();
        };
    }
}
