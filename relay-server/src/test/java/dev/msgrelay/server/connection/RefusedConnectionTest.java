package dev.msgrelay.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.server.connection.RefusedConnection.Newest;
import dev.msgrelay.server.memory.MemoryBudget;
import dev.msgrelay.server.memory.MemoryBudget.Part;
import dev.msgrelay.server.memory.MemoryBudget.Pool;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RefusedConnectionTest {
    private static final long MOST_BYTES = (long) Newest.MOST * RefusedConnection.SAID_BYTES;

    private final List<Runnable> closes = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();

    /** A channel that closes later, as a channel of another loop does. */
    private Channel late() {
        Channel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                closes.add(() -> ctx.close(promise));
            }
        });
        channels.add(channel);
        return channel;
    }

    @Test
    void eachBeyondTheMostClosesTheOldestAlsoWhereTheCloseIsLate() {
        Newest newest = new Newest();
        Pool memory = new MemoryBudget(Map.of(Part.CONNECTIONS, 2 * MOST_BYTES)).pool(Part.CONNECTIONS);
        for (int i = 0; i < Newest.MOST; i++) {
            assertThat(newest.add(late(), memory)).isTrue();
        }
        assertThat(closes).isEmpty();
        for (int more = 1; more <= 20; more++) {
            assertThat(newest.add(late(), memory)).isTrue();
            assertThat(closes).as("closed for %s more", more).hasSize(more);
            assertThat(memory.used()).isEqualTo(MOST_BYTES);
        }
        closes.forEach(Runnable::run);
        for (int i = 0; i < channels.size(); i++) {
            assertThat(channels.get(i).isOpen()).as("channel %s", i).isEqualTo(i >= 20);
        }
        assertThat(memory.used()).isEqualTo(MOST_BYTES);
        channels.forEach(Channel::close);
        closes.subList(20, closes.size()).forEach(Runnable::run);
        assertThat(memory.used()).isZero();
    }

    @Test
    void withoutMemoryNothingIsAdded() {
        Newest newest = new Newest();
        Pool memory =
                new MemoryBudget(Map.of(Part.CONNECTIONS, (long) RefusedConnection.SAID_BYTES)).pool(Part.CONNECTIONS);
        Channel first = late();
        assertThat(newest.add(first, memory)).isTrue();
        assertThat(newest.add(late(), memory)).isFalse();
        first.close();
        closes.forEach(Runnable::run);
        assertThat(memory.used()).isZero();
    }
}
