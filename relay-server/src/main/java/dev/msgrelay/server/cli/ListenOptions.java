package dev.msgrelay.server.cli;

import dev.msgrelay.server.config.ListenConfig;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.net.Transport;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of {@link ListenConfig}, the transport and the event loops. */
final class ListenOptions {
    /** Option that allows a relay without an access block beyond this host; a reload checks it, too. */
    static final String INSECURE = "insecure";

    /** The value of --bind that follows from the others. */
    static final String AUTO = "auto";

    private static final String ALL_ADDRESSES = "0.0.0.0";

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            defaultValue = ListenConfig.DEFAULT_HOST,
            description = "Address to listen on. An address beyond this host needs an access block in the file of "
                    + "--config, or --insecure. auto: all addresses where there is one of them, else 127.0.0.1; the "
                    + "default in the image.")
    private String bind;

    @Option(
            names = "--" + INSECURE,
            fallbackValue = "true",
            description =
                    "Listen beyond this host although every client there may publish and read everything. A reload "
                            + "that finds no access block any more needs it too.")
    private boolean insecure;

    @Option(
            names = "--publish-port",
            paramLabel = "PORT",
            defaultValue = "" + ListenConfig.DEFAULT_PUBLISH_PORT,
            converter = Port.class,
            description = "TCP port for publishers, or none; 0: any free one.")
    private int publishPort;

    @Option(
            names = "--subscribe-port",
            paramLabel = "PORT",
            defaultValue = "" + ListenConfig.DEFAULT_SUBSCRIBE_PORT,
            converter = Port.class,
            description = "TCP port for subscribers, or none; 0: any free one.")
    private int subscribePort;

    @Option(
            names = "--publish-socket",
            paramLabel = "PATH",
            description = "Unix socket for publishers, beside the port: the fast path on one host.")
    private Path publishSocket;

    @Option(
            names = "--subscribe-socket",
            paramLabel = "PATH",
            description = "Unix socket for subscribers, beside the port.")
    private Path subscribeSocket;

    @Option(
            names = "--socket-mode",
            paramLabel = "MODE",
            converter = Mode.class,
            description = "Permissions of the sockets' files, as 0660: clients need to write. Default: the umask of "
                    + "the process decides.")
    private String socketMode;

    @Option(
            names = "--socket-group",
            paramLabel = "GROUP",
            description = "Group of the sockets' files, by name or number. Default: the group of the process.")
    private String socketGroup;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = "auto",
            description = "The system's interface for sockets: ${COMPLETION-CANDIDATES}.",
            completionCandidates = Candidates.Transports.class)
    private Transport transport;

    @Option(
            names = "--event-loops",
            paramLabel = "N",
            defaultValue = EventLoops.AUTO,
            converter = EventLoops.class,
            description = "Threads that read, order and send. One does it all. Of several, the first reads and orders, "
                    + "the others send. auto: one thread below 4 processor cores, two from 4 on, three from 8 on.")
    private int eventLoops;

    @Option(
            names = "--reader-loops",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Threads that only read plain publishers, whose messages then go through the ring. Publishers "
                            + "that want acknowledgements stay with the first event loop.")
    private int readerLoops;

    /** Checks octal digits. */
    static final class Mode implements ITypeConverter<String> {
        @Override
        public String convert(String value) {
            if (!value.matches(ListenConfig.MODE)) {
                throw new TypeConversionException("'" + value + "' is not octal, such as 0660");
            }
            return value;
        }
    }

    boolean insecure() {
        return insecure;
    }

    /** Whether auto means this host alone, since everybody who gets here might do everything. */
    boolean isShutIn(boolean access) {
        return bind.equals(AUTO) && !access && !insecure;
    }

    /** @param access whether there is an access block */
    void applyTo(RelayConfig.Builder config, boolean access) {
        String host = isShutIn(access) ? ListenConfig.DEFAULT_HOST : ALL_ADDRESSES;
        config.host(bind.equals(AUTO) ? host : bind)
                .insecure(insecure)
                .publishPort(publishPort)
                .subscribePort(subscribePort)
                .publishSocket(publishSocket)
                .subscribeSocket(subscribeSocket)
                .socketMode(socketMode)
                .socketGroup(socketGroup)
                .transport(transport)
                .eventLoops(eventLoops)
                .readerLoops(readerLoops);
    }
}
