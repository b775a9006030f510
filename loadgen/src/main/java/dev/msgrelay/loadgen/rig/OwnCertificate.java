package dev.msgrelay.loadgen.rig;

import dev.msgrelay.loadgen.host.Subprocess;
import dev.msgrelay.loadgen.host.Tool;
import dev.msgrelay.loadgen.plan.Access;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A key and a self-signed certificate for relays that loadgen starts at one address. The JDK's keytool creates them
 * when they are first needed; they are removed when this process ends.
 */
record OwnCertificate(Path certificate, Path key) {
    private static final long LIMIT_MILLIS = 120_000;
    private static final String ALIAS = "relay";
    /** The password of a temporary key store, which no other user can read. */
    private static final String PASSWORD = "of-a-run";

    private static final Map<String, OwnCertificate> MADE = new HashMap<>();
    private static RunDirectory directory;

    static synchronized OwnCertificate at(String address) throws IOException, InterruptedException {
        OwnCertificate made = MADE.get(address);
        if (made == null) {
            made = create(address);
            MADE.put(address, made);
        }
        return made;
    }

    private static OwnCertificate create(String address) throws IOException, InterruptedException {
        if (directory == null) {
            directory = RunDirectory.in(RunDirectory.TEMPORARY);
        }
        Path store = directory.pem("store-" + MADE.size());
        try {
            keytool(store, address.replaceAll("[\\[\\]]", ""));
            KeyStore keys = KeyStore.getInstance("PKCS12");
            try (InputStream in = Files.newInputStream(store)) {
                keys.load(in, PASSWORD.toCharArray());
            }
            return new OwnCertificate(
                    write(
                            "certificate",
                            "CERTIFICATE",
                            keys.getCertificate(ALIAS).getEncoded()),
                    write(
                            "key",
                            "PRIVATE KEY",
                            keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IOException("cannot make a certificate for " + address + ": " + e.getMessage(), e);
        } finally {
            Files.deleteIfExists(store);
        }
    }

    private static void keytool(Path store, String address) throws IOException, InterruptedException {
        String keytool =
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
        List<String> command = new ArrayList<>(List.of(keytool, "-J-XX:TieredStopAtLevel=1"));
        command.addAll(List.of("-genkeypair -keyalg RSA -keysize 2048 -validity 30 -storetype PKCS12".split(" ")));
        command.addAll(List.of("-alias", ALIAS, "-dname", "CN=relay of loadgen at " + address));
        command.addAll(List.of("-ext", "san=ip:" + address));
        command.addAll(List.of("-storepass", PASSWORD, "-keystore", store.toString()));
        Tool.Completed outcome = new Subprocess(LIMIT_MILLIS).run(command);
        if (!outcome.succeeded()) {
            throw new IOException("cannot make a certificate for " + address + ": " + outcome.firstLine());
        }
    }

    private static Path write(String name, String what, byte[] der) throws IOException {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return Files.writeString(
                directory.pem(name + "-" + MADE.size()),
                "-----BEGIN " + what + "-----\n" + base64 + "\n-----END " + what + "-----\n",
                StandardCharsets.US_ASCII);
    }

    List<String> args() {
        return List.of("--tls-cert", certificate.toString(), "--tls-key", key.toString());
    }

    Access clients() {
        return Access.trusting(certificate);
    }
}
