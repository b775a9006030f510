package dev.msgrelay.client;

import static dev.msgrelay.client.Frames.message;
import static dev.msgrelay.client.Frames.welcome;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ErrorFrame;
import dev.msgrelay.protocol.Token;
import dev.msgrelay.protocol.net.Endpoint;
import dev.msgrelay.testing.scripted.Peer;
import dev.msgrelay.testing.scripted.ScriptedRelay;
import dev.msgrelay.testing.scripted.ScriptedRelay.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens and files that are read for each connection, and may be renewed in between. */
@SuppressWarnings("try") // closing early is what is tested
class CredentialsTest extends ScriptedPublishing {
    private static final Endpoint NOWHERE = Endpoint.tcp("127.0.0.1", 1);

    @TempDir
    private Path folder;

    /** Does not know the token. */
    private static void refuse(Peer client) throws IOException {
        client.hello();
        client.send(ErrorFrame.encode(CloseReason.NOT_AUTHENTICATED, "a bad token"));
        client.drain();
    }

    private static List<Token> tokens(ScriptedRelay relay) {
        return relay.hellos().stream().map(hello -> hello.token()).toList();
    }

    @Test
    void aTokenFileIsReadForEachConnection() throws Exception {
        Path file = Files.writeString(folder.resolve("token"), "old\n");
        Script renews = client -> {
            Files.writeString(file, " new\n");
            refuse(client);
        };
        try (ScriptedRelay relay = ScriptedRelay.of(renews, this::serveOne);
                RelayPublisher publisher = open(acked(relay).tokenFile(file))) {
            settle(publisher, "a");
            assertThat(tokens(relay)).containsExactly(Token.of("old"), Token.of("new"));
        }
        assertThat(events(SessionEvent.Lost.class))
                .singleElement()
                .satisfies(lost -> assertThat(ErrorKind.of(lost.cause())).isSameAs(ErrorKind.RETRY));
    }

    /** The subscriber's too; an exception, and what is no token, is a lost try. */
    @Test
    void aFunctionIsAskedForEachConnection() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        List<Thread> threads = Collections.synchronizedList(new ArrayList<>());
        Callable<String> function = () -> {
            threads.add(Thread.currentThread());
            return switch (calls.incrementAndGet()) {
                case 1 -> "as it opens";
                case 2 -> "first";
                case 3 -> throw new IllegalStateException("no vault");
                case 4 -> "";
                case 5 -> null;
                default -> "second";
            };
        };
        Script serves = client -> {
            client.hello();
            client.send(welcome(1), message(1, "a"));
            client.drain();
        };
        try (ScriptedRelay relay = ScriptedRelay.of(CredentialsTest::refuse, serves);
                SubscriberRun run = SubscriberRun.of(relay.endpoint(), options -> options.token(function))) {
            run.untilMessages(1);
            assertThat(tokens(relay)).containsExactly(Token.of("first"), Token.of("second"));
            assertThat(run.events(SessionEvent.Lost.class))
                    .extracting(lost -> lost.cause().getMessage())
                    .satisfiesExactly(
                            first -> assertThat(first).endsWith("a bad token"),
                            second -> assertThat(second).isEqualTo("the token's function failed: no vault"),
                            third -> assertThat(third)
                                    .startsWith("the token's function failed: ")
                                    .contains("length"),
                            fourth -> assertThat(fourth).contains("null"));
        }
        assertThat(threads).containsOnly(Thread.currentThread());
    }

    /** In a publisher the thread that connects is its own. */
    @Test
    void aPublishersThreadAsksTheFunction() throws Exception {
        List<String> threads = Collections.synchronizedList(new ArrayList<>());
        try (ScriptedRelay relay = ScriptedRelay.of(this::serveOne);
                RelayPublisher publisher = open(acked(relay).token(() -> {
                    threads.add(Thread.currentThread().getName());
                    return "secret";
                }))) {
            settle(publisher, "a");
            assertThat(threads)
                    .satisfiesExactly(
                            opens -> assertThat(opens)
                                    .isEqualTo(Thread.currentThread().getName()),
                            connects -> assertThat(connects).isEqualTo("relay-publisher orders"));
        }
    }

    @Test
    void aTextThatTheRelayDoesNotKnowIsTheEnd() throws Exception {
        try (ScriptedRelay relay = ScriptedRelay.of(CredentialsTest::refuse);
                RelayPublisher publisher = open(acked(relay).token("old"))) {
            assertThat(ErrorKind.of(failure(publisher))).isSameAs(ErrorKind.FATAL);
        }
    }

    /** Nothing is sent, and it names the file, unless its name may be the token. */
    @Test
    void aFaultAtTheFirstOpenIsTheProgramsOwn() throws Exception {
        Path missing = folder.resolve("missing.token");
        Path empty = Files.writeString(folder.resolve("empty.token"), "\n");
        Path broken = Files.writeString(folder.resolve("broken.pem"), "-----BEGIN CERTIFICATE-----\n");
        assertYours(options -> options.tokenFile(missing), "cannot read the token: no file ");
        assertYours(options -> options.tokenFile(Path.of("c2VjcmV0IHNlY3JldCBzZWNyZXQ")), "is not shown");
        assertYours(options -> options.tokenFile(empty), empty + " holds no token: ");
        assertYours(
                options -> options.token((Callable<String>) () -> {
                    throw new IOException("no vault");
                }),
                "the token's function failed: no vault");
        assertYours(options -> options.tls(TlsOptions.trusting(missing)), missing.toString());
        assertYours(options -> options.tls(TlsOptions.trusting(broken)), broken.toString());
    }

    private static void assertYours(UnaryOperator<ConnectionOptions.Builder<?>> with, String words) {
        PublisherOptions.Builder publishing = PublisherOptions.builder(NOWHERE);
        with.apply(publishing);
        SubscriberOptions.Builder subscribing = SubscriberOptions.builder(NOWHERE);
        with.apply(subscribing);
        for (IOException e : List.of(
                catchThrowableOfType(IOException.class, () -> RelayPublisher.open(publishing.build())),
                catchThrowableOfType(IOException.class, () -> RelayPublisher.connect(publishing.build())),
                catchThrowableOfType(IOException.class, () -> RelaySubscriber.open(subscribing.build())))) {
            assertThat(e).hasMessageContaining(words);
            assertThat(ErrorKind.of(e)).isSameAs(ErrorKind.YOURS);
        }
    }

    /** A function may not be called where its token could not be sent. */
    @Test
    void thePlainModeHasNoTokenOfAnyKind() {
        assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> PublisherOptions.builder(NOWHERE)
                        .plain()
                        .token(() -> "secret")
                        .build()))
                .hasMessageContaining("token");
        assertThat(catchThrowableOfType(IllegalArgumentException.class, () -> SubscriberOptions.builder(NOWHERE)
                        .plain()
                        .tokenFile(folder.resolve("token"))
                        .build()))
                .hasMessageContaining("token");
    }
}
