package dev.msgrelay.server.subscriber;

import dev.msgrelay.testing.ConcurrentTest;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that run once in each of some settings, beside others of their class: they mostly wait. */
final class Over {
    private Over() {}

    @Retention(RetentionPolicy.RUNTIME)
    @ConcurrentTest.Parameterized
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    @interface Transports {}

    @Retention(RetentionPolicy.RUNTIME)
    @ConcurrentTest.Parameterized
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    @interface Sockets {}

    @Retention(RetentionPolicy.RUNTIME)
    @ConcurrentTest.Parameterized
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    @interface Loops {}

    @Retention(RetentionPolicy.RUNTIME)
    @ConcurrentTest.Parameterized
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    @interface Pairs {}
}
