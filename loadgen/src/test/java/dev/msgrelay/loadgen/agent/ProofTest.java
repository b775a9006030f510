package dev.msgrelay.loadgen.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ProofTest {
    private static final String C = "00".repeat(32);
    private static final String A = "ff".repeat(32);

    @Test
    void theCodeIsTheOneOfRfc4231() {
        byte[] key = new byte[20];
        java.util.Arrays.fill(key, (byte) 0x0b);
        assertThat(hex(Proof.hmac(key, ascii("Hi There"))))
                .isEqualTo("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
        assertThat(hex(Proof.hmac(ascii("Jefe"), ascii("what do ya want for nothing?"))))
                .isEqualTo("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    /** Computed by another program: python3, hmac.new(token, text, sha256). */
    @Test
    void aProofCoversRoleProtocolAndBothNonces() throws Exception {
        Token token = Token.of("0123456789abcdef", "a test");
        assertThat(Proof.of(token, Proof.CONTROLLER, C, A))
                .isEqualTo("935ce13bf9dbb095e16ec694b7993eebac64cbc0e713b09288b7f25e09b0ac93");
        assertThat(Proof.of(token, Proof.AGENT, C, A))
                .isEqualTo("d12bdc67fbb94aaae14f030d33e3779032d58b4be583e9ec21bc8fbeb2288ba0");
        assertThat(Proof.of(token, Proof.CONTROLLER, A, C)).isNotEqualTo(Proof.of(token, Proof.CONTROLLER, C, A));
    }

    @Test
    void onlyTheWholeProofMatches() {
        assertThat(Proof.matches("abcd", "abcd")).isTrue();
        assertThat(Proof.matches("abcd", "abce")).isFalse();
        assertThat(Proof.matches("abcd", "abc")).isFalse();
        assertThat(Proof.matches("abcd", "")).isFalse();
    }

    @Test
    void noncesAreFreshAndChecked() throws Exception {
        String nonce = Proof.nonce();
        assertThat(Proof.checkedNonce(nonce)).isEqualTo(nonce).isNotEqualTo(Proof.nonce());
        assertThatThrownBy(() -> Proof.checkedNonce("00")).hasMessage("a nonce is 64 hex digits");
        assertThatThrownBy(() -> Proof.checkedNonce("0".repeat(63) + "\n")).hasMessage("a nonce is 64 hex digits");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
