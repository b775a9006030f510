package dev.msgrelay.testing.scripted;

import java.io.InputStream;
import java.io.OutputStream;

/** A driver of a client in Java: obeys commands until they end, and reports events. */
@FunctionalInterface
public interface DriverProgram {
    void serve(InputStream commands, OutputStream events) throws Exception;
}
