package dev.msgrelay.loadgen.agent;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * How a side shows that it knows the token without telling it: HMAC-SHA256, keyed with the token, over its role, the
 * protocol, and a fresh number of each side. The role keeps either side from sending the other's proof back.
 */
final class Proof {
    static final String CONTROLLER = "controller";
    static final String AGENT = "agent";

    /** Of a nonce; as hex it has twice as many characters. */
    private static final int NONCE_BYTES = 32;

    private static final String NONCE_FORM = "[0-9a-f]{" + 2 * NONCE_BYTES + "}";
    private static final String ALGORITHM = "HmacSHA256";
    private static final SecureRandom RANDOM = new SecureRandom();

    private Proof() {}

    /** A number used once, as hex. */
    static String nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return HexFormat.of().formatHex(nonce);
    }

    /**
     * @throws ProtocolException it is not of the form of a nonce
     */
    static String checkedNonce(String nonce) throws ProtocolException {
        if (!nonce.matches(NONCE_FORM)) {
            throw new ProtocolException("a nonce is " + 2 * NONCE_BYTES + " hex digits");
        }
        return nonce;
    }

    /** The proof of the side that has this role, as hex. */
    static String of(Token token, String role, String controllerNonce, String agentNonce) {
        String text = "relay-loadgen-agent " + Messages.PROTOCOL + "\n" + role + "\n" + controllerNonce + "\n"
                + agentNonce + "\n";
        return HexFormat.of().formatHex(hmac(token.key(), text.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Compares in a time that does not depend on where they differ. */
    static boolean matches(String expected, String given) {
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.US_ASCII), given.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] hmac(byte[] key, byte[] data) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(data);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no " + ALGORITHM, e);
        }
    }
}
