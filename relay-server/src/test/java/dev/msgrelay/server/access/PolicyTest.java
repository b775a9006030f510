package dev.msgrelay.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.Role;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.TypeRanges;
import dev.msgrelay.server.harness.Policies;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who a connection is, and what it may do. */
class PolicyTest {
    private static final Token TOKEN = Token.of("one");
    private static final TypeRanges NINE = TypeRanges.of(1, 9);

    private static final String SUBJECT = "CN=audit,O=Example";

    private static final String AUDIT = "audit { certificate = \"" + SUBJECT + "\", subscribe = 1-9 }";

    private static Peer peer(
            Optional<InetAddress> address, Optional<Integer> uid, Optional<X500Principal> certificate) {
        return new Peer(address, uid, Optional.empty(), certificate);
    }

    private static Peer tcp(String address) throws Exception {
        return peer(Optional.of(InetAddress.getByName(address)), Optional.empty(), Optional.empty());
    }

    private static Peer unix(int uid) {
        return peer(Optional.empty(), Optional.of(uid), Optional.empty());
    }

    /** An identity that publishes nine types and subscribes to all, on two connections. */
    private static String identity(String name, String proofs) {
        return name + " { " + proofs + ", publish = 1-9, subscribe = all, max-connections = 2 }";
    }

    private static AccessPolicy policy(String... identities) {
        return Policies.of(String.join("\n", identities));
    }

    private static AccessControl control(String... identities) {
        return new AccessControl(Optional.of(policy(identities)));
    }

    private static Peer certified(String subject) {
        return peer(Optional.empty(), Optional.empty(), Optional.of(new X500Principal(subject)));
    }

    private static Rights opened(AccessControl control, Role role, Peer peer) {
        Rights rights = new Rights(control, role);
        rights.opened(peer);
        return rights;
    }

    /** A process of user 1 on this host, which shows {@link #TOKEN}. */
    private static Rights withToken(AccessControl control, Role role) {
        Rights rights = opened(control, role, unix(1));
        rights.said(TOKEN);
        return rights;
    }

    private static CloseReason reason(Rights rights) {
        return rights.whyRefused().map(Refusal::reason).orElse(null);
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.255.255, true",
        "10.1.0.0/16, 10.2.0.0, false",
        "10.1.128.0/17, 10.1.127.255, false",
        "10.1.128.0/17, 10.1.128.0, true",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, ::1, false",
        "::/0, ::1, true",
        "192.0.2.7, 192.0.2.6, false",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false"
    })
    void aNetworkIsItsFirstBits(String network, String address, boolean within) throws Exception {
        assertThat(Network.parse(network).contains(tcp(address))).isEqualTo(within);
        assertThat(Network.parse(network).contains(unix(1))).isFalse();
        assertThat(Network.parse("unix").contains(tcp(address))).isFalse();
        assertThat(Network.parse("unix").contains(unix(1))).isTrue();
    }

    @Test
    void nobodyIsAskedWhereThereIsNoPolicy() throws Exception {
        Rights rights = opened(new AccessControl(Optional.empty()), Role.PUBLISHER, tcp("203.0.113.9"));
        assertThat(rights.whyRefused()).isEmpty();
        assertThat(rights.permittedTypes()).isEqualTo(TypeRanges.ALL);
        rights.said(TOKEN);
        assertThat(rights.whyRefused()).isEmpty();
        assertThat(rights.name()).isEmpty();
        assertThat(rights.hasRate()).isFalse();
    }

    @Test
    void theLongestNetworkCounts() throws Exception {
        AccessControl control =
                control(identity("wide", "from = \"10.0.0.0/8, unix\""), identity("narrow", "from = 10.1.0.0/16"));
        assertThat(opened(control, Role.PUBLISHER, tcp("10.1.2.3")).name()).isEqualTo("narrow");
        assertThat(opened(control, Role.PUBLISHER, tcp("10.2.2.3")).name()).isEqualTo("wide");
        assertThat(opened(control, Role.PUBLISHER, unix(7)).name()).isEqualTo("wide");
        assertThat(reason(opened(control, Role.PUBLISHER, tcp("11.0.0.1")))).isEqualTo(CloseReason.NOT_AUTHENTICATED);
    }

    @Test
    void aTokenIsGoodFromItsNetworksOnly() throws Exception {
        AccessControl control = control(identity("a", "token = one, from = 10.0.0.0/8"));
        Rights near = opened(control, Role.PUBLISHER, tcp("10.0.0.1"));
        assertThat(reason(near)).isEqualTo(CloseReason.NOT_AUTHENTICATED);
        near.said(TOKEN);
        assertThat(near.whyRefused()).isEmpty();
        assertThat(near.permittedTypes()).isEqualTo(NINE);
        assertThat(near.proof()).isEqualTo("token");
        Rights far = opened(control, Role.PUBLISHER, tcp("11.0.0.1"));
        far.said(TOKEN);
        assertThat(far.whyRefused().orElseThrow().text()).isEqualTo("the token is not one that is known here");
    }

    @Test
    void aWrongTokenIsNobodyWhereverItComesFrom() throws Exception {
        AccessControl control = control(identity("any", "from = 0.0.0.0/0"));
        Rights rights = opened(control, Role.PUBLISHER, tcp("10.0.0.1"));
        assertThat(rights.whyRefused()).isEmpty();
        rights.said(Token.of("two"));
        assertThat(reason(rights)).isEqualTo(CloseReason.NOT_AUTHENTICATED);
        assertThat(rights.whyRefused().orElseThrow().text()).doesNotContain("two");
    }

    /** As X.500 compares subjects: docs/access.md says so. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CN=AUDIT, O=example | true",
                "cn=audit,o=Example | true",
                "CN=audit | false",
                "CN=audit,O=Other | false"
            })
    void caseDoesNotCountInASubject(String shown, boolean known) throws Exception {
        Peer peer = peer(
                Optional.of(InetAddress.getByName("10.0.0.1")),
                Optional.empty(),
                Optional.of(new X500Principal(shown)));
        Rights rights = opened(control(AUDIT), Role.SUBSCRIBER, peer);
        assertThat(rights.name()).isEqualTo(known ? "audit" : "");
        assertThat(reason(rights)).isEqualTo(known ? null : CloseReason.NOT_AUTHENTICATED);
    }

    /** Also at a reload that removes its identity; a token may still let it in. */
    @Test
    void anUnknownCertificateIsNamed() {
        AccessControl control = control(AUDIT);
        Peer peer = certified(SUBJECT);
        Rights rights = opened(control, Role.SUBSCRIBER, peer);
        assertThat(rights.whyRefused()).isEmpty();
        control.change(Optional.of(policy(identity("a", "token = one"))));
        rights.review();
        String text = "no identity has the certificate CN=audit,O=Example (or none that may come from there):"
                + " HELLO with a token is needed here";
        assertThat(rights.whyRefused()).contains(new Refusal(CloseReason.REVOKED, text));
        Rights again = opened(control, Role.SUBSCRIBER, peer);
        assertThat(again.whyRefused()).contains(new Refusal(CloseReason.NOT_AUTHENTICATED, text));
        again.said(TOKEN);
        assertThat(again.whyRefused()).isEmpty();
        Peer longName = certified("CN=" + "\u202e" + "x".repeat(9_000));
        assertThat(opened(control, Role.SUBSCRIBER, longName)
                        .whyRefused()
                        .orElseThrow()
                        .text())
                .contains("the certificate CN=")
                .doesNotContain("\u202e")
                .hasSizeLessThan(400);
    }

    @Test
    void certificatesAndUsers() {
        String local = "local { user = 7, publish = 1-9 }";
        AccessControl control = control(AUDIT, local);
        Rights wrongRole = opened(control, Role.PUBLISHER, certified("cn=Audit, o=example"));
        assertThat(wrongRole.whyRefused()).contains(new Refusal(CloseReason.NOT_PERMITTED, "audit may not publish"));
        assertThat(opened(control, Role.PUBLISHER, unix(7)).name()).isEqualTo("local");
        assertThat(opened(control, Role.PUBLISHER, unix(7)).proof()).isEqualTo("user");
        assertThat(reason(opened(control, Role.PUBLISHER, unix(8)))).isEqualTo(CloseReason.NOT_AUTHENTICATED);
        // As the JDK's own sockets tell it.
        Peer byPrincipal =
                new Peer(Optional.empty(), Optional.empty(), User.parse("7").principal(), Optional.empty());
        assertThat(policy(AUDIT, local).byPeer(byPrincipal).orElseThrow().name())
                .isEqualTo("local");
    }

    @Test
    void twoCannotHaveTheSame() {
        assertThatThrownBy(() -> policy(identity("a", "token = one"), identity("b", "token = \"one, two\"")))
                .hasMessage("b and a have the same token");
        String from = "from = 10.0.0.0/8";
        assertThatThrownBy(() -> policy(identity("a", from), identity("b", from)))
                .hasMessage("b and a have the same network, 10.0.0.0/8");
        // Where it may come from is nobody's alone.
        assertThat(policy(identity("a", "token = one, " + from), identity("b", "token = two, " + from))
                        .identities())
                .hasSize(2);
    }

    @Test
    void aHashShowsItsBeginning() {
        TokenHash hash = TokenHash.of(Token.of("abc"));
        assertThat(hash).hasToString("sha256:ba7816bf...").isEqualTo(TokenHash.parse(hash.text()));
        assertThat(TokenHash.parse(
                        hash.text().toUpperCase(java.util.Locale.ROOT).replace("SHA256", "sha256")))
                .isEqualTo(hash)
                .hasSameHashCodeAs(hash);
        assertThat(hash).isNotEqualTo(TokenHash.of(Token.of("abd")));
        for (String wrong : List.of("", "abc", "sha256:", "sha1:00", hash.text() + "0", " " + hash.text())) {
            assertThatThrownBy(() -> TokenHash.parse(wrong)).hasMessageStartingWith("a token is kept as sha256:");
        }
    }

    @Test
    void soManyConnectionsAndNoMore() {
        AccessControl control = control(identity("a", "token = one, from = unix"));
        Rights first = withToken(control, Role.PUBLISHER);
        withToken(control, Role.SUBSCRIBER);
        Rights third = withToken(control, Role.PUBLISHER);
        assertThat(third.whyRefused())
                .contains(new Refusal(
                        CloseReason.TOO_MANY_CONNECTIONS, "there are 2 connections of a already, which is the limit"));
        third.giveBackPlace();
        first.giveBackPlace();
        first.giveBackPlace();
        Rights fourth = withToken(control, Role.PUBLISHER);
        assertThat(fourth.whyRefused()).isEmpty();
        assertThat(fourth.hasRate()).isFalse();
    }

    @Test
    void aRateHoldsWhateverThePieces() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        for (int round = 0; round < 100; round++) {
            AccessControl.Use use = new AccessControl.Use();
            long rate = 1L << random.nextInt(34);
            long start = random.nextLong(-1L << 60, 1L << 60);
            long now = start;
            double bytes = 0;
            for (int i = 0; i < 1000; i++) {
                long piece = random.nextInt(256 << 10);
                long pause = use.took(true, piece, rate, now);
                if (i > 0) {
                    double most = rate * ((now - start) / 1e9 + 0.1001) + 1;
                    assertThat(bytes).as("seed %d", seed).isLessThanOrEqualTo(most);
                }
                bytes += piece;
                now += Math.max(0, pause) + (random.nextInt(4) == 0 ? random.nextInt(200_000_000) : 0);
            }
        }
    }

    @Test
    void whatAnotherPolicyTakesBack() {
        String a = identity("a", "token = one");
        String b = identity("b", "token = two");
        AccessControl control = control(a, b);
        Rights rights = withToken(control, Role.PUBLISHER);
        control.change(Optional.of(policy(a)));
        rights.review();
        assertThat(rights.whyRefused()).isEmpty();
        // The same token means somebody else.
        control.change(Optional.of(policy(identity("c", "token = one"))));
        rights.review();
        assertThat(rights.whyRefused()).contains(new Refusal(CloseReason.REVOKED, "it was a and is c"));
        control.change(Optional.of(policy(a, b)));
        rights.said(TOKEN);
        assertThat(rights.whyRefused()).isEmpty();
        control.change(Optional.of(policy(b)));
        rights.review();
        assertThat(rights.whyRefused())
                .contains(new Refusal(CloseReason.REVOKED, "the token is not one that is known here"));
        // Who may not act yet has nothing to lose.
        Rights silent = opened(control, Role.PUBLISHER, unix(1));
        control.change(Optional.of(policy(a, b)));
        silent.review();
        assertThat(reason(silent)).isEqualTo(CloseReason.NOT_AUTHENTICATED);
        control.change(Optional.empty());
        silent.review();
        assertThat(silent.whyRefused()).isEmpty();
    }

    /** Who was granted types, and may no longer have all of them, is told so; more of them change nothing. */
    @Test
    void whatWasGrantedIsTakenBack() throws Exception {
        AccessControl control = new AccessControl(Optional.empty());
        Rights rights = opened(control, Role.SUBSCRIBER, unix(1));
        assertThat(rights.grant(NINE, false)).isEqualTo(NINE);
        control.change(Optional.of(policy("s { from = unix, subscribe = 0-20 }")));
        rights.review();
        assertThat(rights.whyRefused()).isEmpty();
        assertThat(rights.grant(TypeRanges.of(5, 30), false)).isEqualTo(TypeRanges.of(5, 20));
        assertThat(rights.grant(TypeRanges.ALL, true)).isEqualTo(TypeRanges.of(0, 20));
        assertThatThrownBy(() -> rights.grant(TypeRanges.ALL, false))
                .hasMessage("every type is wanted, and 0-20 are permitted: ask for those");
        assertThatThrownBy(() -> rights.grant(TypeRanges.of(30, 40), true))
                .hasMessage("types 30-40 are wanted, and 0-20 are permitted");
        control.change(Optional.of(policy("s { from = unix, subscribe = 1-9 }")));
        rights.review();
        assertThat(rights.whyRefused())
                .contains(new Refusal(CloseReason.REVOKED, "types 0-20 were permitted, and 1-9 are now"));
    }

    /** Asked twice it answers the same; time alone ends a pause, or a policy without a rate. */
    @Test
    void aPauseEnds() {
        AccessControl control = control("s { from = unix, subscribe = all, max-rate = 1000, max-lag = 1048576 }");
        Rights rights = opened(control, Role.SUBSCRIBER, unix(1));
        long second = 1_000_000_000;
        assertThat(rights.isPaused(0)).isFalse();
        rights.spend(100, 0);
        assertThat(rights.isPaused(0)).as("a burst of a tenth of a second").isFalse();
        rights.spend(2000, 0);
        assertThat(rights.isPaused(0)).isTrue();
        assertThat(rights.isPaused(2 * second - 1)).isTrue();
        assertThat(rights.isPaused(2 * second)).isFalse();
        assertThat(rights.tooFarBehind(1 << 30, true))
                .isEqualTo(new Refusal(
                        CloseReason.RATE_LIMITED,
                        "more than the 1048576 bytes behind that s may be: s is sent 1000 bytes a second"));
        assertThat(rights.tooFarBehind(1000, false))
                .isEqualTo(new Refusal(CloseReason.SLOW_SUBSCRIBER, "more than the log's 1000 bytes behind"));
        control.change(Optional.empty());
        rights.review();
        assertThat(rights.isPaused(0)).isFalse();
    }

    @Test
    void connectionsAreCountedThroughReloads() {
        String a = identity("a", "token = one");
        AccessControl control = control(a);
        Rights rights = withToken(control, Role.PUBLISHER);
        for (int i = 0; i < 1000; i++) {
            control.change(Optional.of(policy(a, identity("b" + i, "token = b" + i))));
            rights.review();
            assertThat(rights.whyRefused()).isEmpty();
        }
        withToken(control, Role.PUBLISHER);
        assertThat(reason(withToken(control, Role.PUBLISHER))).isEqualTo(CloseReason.TOO_MANY_CONNECTIONS);
    }
}
