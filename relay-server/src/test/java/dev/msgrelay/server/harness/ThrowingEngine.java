package dev.msgrelay.server.harness;

import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLSession;

/** A library of TLS that throws what no library should, whatever it is asked to do. */
public class ThrowingEngine extends SSLEngine {
    private static final String[] NONE = {};

    private final HandshakeStatus next;
    private final Throwable fault;

    /**
     * @param next what it says it needs; with {@code NEED_TASK} only its task throws
     * @param fault a RuntimeException or an Error
     */
    public ThrowingEngine(HandshakeStatus next, Throwable fault) {
        this.next = next;
        this.fault = fault;
    }

    private void raise() {
        if (fault instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) fault;
    }

    private SSLEngineResult work() {
        if (next != HandshakeStatus.NEED_TASK) {
            raise();
        }
        return new SSLEngineResult(Status.OK, next, 0, 0);
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] from, int offset, int length, ByteBuffer to) {
        return work();
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer from, ByteBuffer[] to, int offset, int length) {
        return work();
    }

    @Override
    public Runnable getDelegatedTask() {
        return this::raise;
    }

    @Override
    public HandshakeStatus getHandshakeStatus() {
        return next;
    }

    @Override
    public void beginHandshake() {}

    @Override
    public void closeInbound() {}

    @Override
    public void closeOutbound() {
        raise();
    }

    @Override
    public boolean isInboundDone() {
        return false;
    }

    @Override
    public boolean isOutboundDone() {
        return false;
    }

    @Override
    public SSLSession getSession() {
        return null;
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return NONE;
    }

    @Override
    public String[] getEnabledCipherSuites() {
        return NONE;
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {}

    @Override
    public String[] getSupportedProtocols() {
        return NONE;
    }

    @Override
    public String[] getEnabledProtocols() {
        return NONE;
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {}

    @Override
    public void setUseClientMode(boolean mode) {}

    @Override
    public boolean getUseClientMode() {
        return false;
    }

    @Override
    public void setNeedClientAuth(boolean need) {}

    @Override
    public boolean getNeedClientAuth() {
        return false;
    }

    @Override
    public void setWantClientAuth(boolean want) {}

    @Override
    public boolean getWantClientAuth() {
        return false;
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {}

    @Override
    public boolean getEnableSessionCreation() {
        return false;
    }
}
