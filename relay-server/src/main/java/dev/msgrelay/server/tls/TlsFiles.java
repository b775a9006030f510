package dev.msgrelay.server.tls;

import java.nio.file.Path;

/**
 * The files that TLS needs, in PEM.
 *
 * @param certificate the relay's, followed by those of intermediate authorities
 * @param key its private key, PKCS#8, not encrypted
 * @param clients the authorities whose certificates clients must show; null: clients show none
 * @param clientsOptional with authorities: whether a client without a certificate may come in, too
 */
public record TlsFiles(Path certificate, Path key, Path clients, boolean clientsOptional) {}
