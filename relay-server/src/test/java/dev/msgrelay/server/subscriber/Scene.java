package dev.msgrelay.server.subscriber;

import static dev.msgrelay.server.config.RelayOption.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.CloseReason;
import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.protocol.HelloFrame;
import dev.msgrelay.server.config.RelayConfig;
import dev.msgrelay.server.harness.Await;
import dev.msgrelay.server.harness.Numbered;
import dev.msgrelay.server.harness.NumberedPublisher;
import dev.msgrelay.server.harness.PlainPublisher;
import dev.msgrelay.server.harness.Setting;
import dev.msgrelay.server.harness.SpeakingSubscriber;
import dev.msgrelay.server.harness.TestRelay;
import dev.msgrelay.server.harness.Workers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** A relay, a publisher of numbered messages, and subscribers that speak; they are closed together. */
final class Scene implements AutoCloseable {
    final TestRelay relay;
    final NumberedPublisher publisher;
    final Workers workers = new Workers();
    private final Numbered messages;
    private final List<SpeakingSubscriber> subscribers = new ArrayList<>();

    Scene(TestRelay relay, Numbered messages) {
        this(relay, messages, 1);
    }

    /** Of a stream that goes on with this message. */
    Scene(TestRelay relay, Numbered messages, long first) {
        this.relay = relay;
        this.messages = messages;
        publisher = new NumberedPublisher(relay, messages, first);
    }

    static Scene of(Setting setting, Numbered messages) throws IOException {
        return of(setting, messages, b -> b);
    }

    static Scene of(Setting setting, Numbered messages, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return new Scene(TestRelay.start(setting, more), messages);
    }

    static Scene small(Setting setting, Numbered messages, UnaryOperator<RelayConfig.Builder> more) throws IOException {
        return of(setting, messages, b -> more.apply(small(b)));
    }

    static RelayConfig.Builder small(RelayConfig.Builder builder) {
        return builder.set(RING_SIZE, TestRelay.SMALL_RING)
                .set(LOG_SIZE, TestRelay.SMALL_LOG)
                .set(MAX_BODY, TestRelay.SMALL_MAX_BODY);
    }

    SpeakingSubscriber speaker() throws IOException {
        return with(relay.speaker(messages));
    }

    SpeakingSubscriber paused() throws IOException {
        return with(relay.pausedSpeaker(messages));
    }

    private SpeakingSubscriber with(SpeakingSubscriber subscriber) {
        subscribers.add(subscriber);
        return subscriber;
    }

    SpeakingSubscriber greeting(HelloFrame.Builder hello) throws IOException {
        return speaker().hello(hello);
    }

    SpeakingSubscriber welcomed(HelloFrame.Builder hello) throws IOException {
        SpeakingSubscriber subscriber = greeting(hello);
        subscriber.awaitWelcome();
        return subscriber;
    }

    SpeakingSubscriber welcomedNarrow(HelloFrame.Builder hello) throws IOException {
        SpeakingSubscriber subscriber = paused().hello(hello);
        subscriber.resume();
        subscriber.awaitWelcome();
        return subscriber;
    }

    /** Publishes so many bytes and waits until the relay has them; answers the sequence of the message to come. */
    long fill(long bytes) {
        long end = publisher.publishBytes(bytes).next();
        relay.awaitMessagesIn(end - 1);
        return end;
    }

    void flood() {
        publisher.publishOn(workers);
    }

    void awaitFlood(long bytes) {
        long until = publisher.bytes() + bytes;
        Await.until("it goes on", () -> publisher.bytes() > until || workers.failed());
    }

    long endFlood() throws InterruptedException {
        publisher.stop();
        workers.join();
        return publisher.next();
    }

    /** Each has, or was told that it misses, every message before {@code end} from where it started. */
    static void assertComplete(long end, SpeakingSubscriber... subscribers) {
        for (SpeakingSubscriber subscriber : subscribers) {
            subscriber.awaitNext(end).account().assertCompleteUpTo(end);
        }
    }

    static void assertNoGap(long end, SpeakingSubscriber... subscribers) {
        assertComplete(end, subscribers);
        for (SpeakingSubscriber subscriber : subscribers) {
            assertThat(subscriber.account().said(ControlFrames.GAP)).isEmpty();
        }
    }

    /** Its last frame is this ERROR, with these words in its text. */
    static void assertError(SpeakingSubscriber subscriber, CloseReason reason, String... words) {
        PlainPublisher.Error error = subscriber.awaitError();
        assertThat(CloseReason.ofCode(error.code())).as("%s", subscriber).isEqualTo(reason);
        assertThat(words).allSatisfy(word -> assertThat(error.text()).contains(word));
    }

    @Override
    public void close() throws IOException {
        try (relay;
                publisher) {
            for (SpeakingSubscriber subscriber : subscribers) {
                subscriber.close();
            }
        }
    }
}
