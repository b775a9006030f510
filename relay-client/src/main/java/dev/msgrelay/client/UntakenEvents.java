package dev.msgrelay.client;

import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The events of a client whose program takes none. Losses are logged as warnings. The first failure to connect, and the
 * first success after it, are told even where there is no log: a program with a wrong port does not wait in silence.
 * One object for each client; owned by the thread of its events.
 */
final class UntakenEvents implements Consumer<SessionEvent> {
    private static final Logger LOG = LoggerFactory.getLogger(SessionEvent.class);

    private boolean connected;
    private boolean failed;
    private boolean recovered;

    @Override
    public void accept(SessionEvent event) {
        if (event instanceof SessionEvent.Connected || event instanceof SessionEvent.ConnectedPlain) {
            if (failed && !recovered) {
                recovered = true;
                SeenLog.warn(LOG, event.text());
            }
            connected = true;
        } else if (event instanceof SessionEvent.Lost && !connected && !failed) {
            failed = true;
            SeenLog.warn(LOG, event.text());
        } else {
            connected &= !(event instanceof SessionEvent.Lost);
            if (event.isLoss() || event instanceof SessionEvent.CertificateEnds) {
                LOG.warn("{}", event.text());
            } else if (event instanceof SessionEvent.StateLate) {
                LOG.info("{}", event.text());
            }
        }
    }
}
