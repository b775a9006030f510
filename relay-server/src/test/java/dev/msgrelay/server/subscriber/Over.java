package dev.msgrelay.server.subscriber;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that run once in each of some settings, beside others of their class: they mostly wait. */
final class Over {
    private Over() {}

    @Retention(RetentionPolicy.RUNTIME)
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#transports")
    @interface Transports {}

    @Retention(RetentionPolicy.RUNTIME)
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#sockets")
    @interface Sockets {}

    @Retention(RetentionPolicy.RUNTIME)
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#oneAndTwoLoops")
    @interface Loops {}

    @Retention(RetentionPolicy.RUNTIME)
    @Execution(ExecutionMode.CONCURRENT)
    @ParameterizedTest
    @MethodSource("dev.msgrelay.server.harness.Setting#pairs")
    @interface Pairs {}
}
