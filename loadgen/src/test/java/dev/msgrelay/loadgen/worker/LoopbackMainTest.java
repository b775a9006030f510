package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.msgrelay.loadgen.host.LoopbackSpeeds;
import dev.msgrelay.testing.ThisMachine;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LoopbackMainTest {
    private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(5);

    @Test
    void bytesPassByEither() throws Exception {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        LoopbackSpeeds speeds = LoopbackMain.speeds("reno", SHORT, SHORT);
        assertThat(speeds.other()).isEqualTo("reno");
        assertThat(speeds.byDefault()).isPositive();
        assertThat(speeds.byOther()).isPositive();
    }

    @Test
    void aNameThatIsNotGivenHasNoSpeed() {
        ThisMachine.need(Epoll.isAvailable(), "no epoll");
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> LoopbackMain.speeds("no_such_name", SHORT, SHORT))
                .withMessageContaining("no_such_name is not given");
    }
}
