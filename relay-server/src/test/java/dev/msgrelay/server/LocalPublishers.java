package dev.msgrelay.server;

import dev.msgrelay.server.assembly.RelayEngine;
import java.util.concurrent.atomic.AtomicBoolean;

/** The local publishers of an engine that no {@link RelayServer} has. */
public final class LocalPublishers {
    private final AtomicBoolean closes = new AtomicBoolean();
    private final RelayEngine engine;
    private final int maxBody;

    public LocalPublishers(RelayEngine engine, int maxBody) {
        this.engine = engine;
        this.maxBody = maxBody;
    }

    public LocalPublisher next() {
        return new LocalPublisher(engine.newStage(), closes::get, engine.ring(), maxBody);
    }

    /** Closes all, as the end of a relay does. */
    public void close() {
        closes.set(true);
    }
}
