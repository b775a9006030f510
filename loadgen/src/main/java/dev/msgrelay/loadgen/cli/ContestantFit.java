package dev.msgrelay.loadgen.cli;

import dev.msgrelay.loadgen.run.Clients;
import dev.msgrelay.loadgen.run.Contestant;
import dev.msgrelay.loadgen.run.Contestants;
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
     */
    final void checkPorts(Load load, String what) {
        Clients.Ports ports = load.clients().ports();
        refuse(ports.tls(), "--tls and " + what + " exclude each other");
        refuse(ports.handshakes() > 0, "--handshakes " + ports.handshakes() + " and " + what + " exclude each other");
        refuse(ports.scrapes() > 0, "--scrapes " + ports.scrapes() + " and " + what + " exclude each other");
    }

    /**
     * What there can be in place of a relay.
     *
     * @param what on the command line: "--through plain"
     * @param size bytes of reads, or writes
     */
    final Contestant withoutRelay(Load load, String what, Through through, int size) {
        checkClients(load, what, false, false);
        checkPorts(load, what);
        refuse(load.publishers() != 1, what + " takes one publisher, not " + load.publishers());
        return switch (through) {
            case PLAIN -> Contestants.plain(size);
            case DIRECT -> Contestants.direct(size);
            case RELAY, NOTHING -> Contestants.none();
        };
    }
}
