package dev.msgrelay.server.tls;

import java.nio.file.Path;

/**
 * The files that TLS needs, in PEM.
 *
 * @param certificate the relay's certificate, followed by the certificates of intermediate authorities
 * @param key private key of the certificate, PKCS#8, not encrypted
 * @param clients authorities that have to issue the clients' certificates; null if clients need no certificate
 * @param clientsOptional whether a client without a certificate is accepted, too; only with {@code clients}
 */
public record TlsFiles(Path certificate, Path key, Path clients, boolean clientsOptional) {}
