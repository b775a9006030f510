package dev.msgrelay.server.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.protocol.ControlFrames;
import dev.msgrelay.server.harness.Control;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What one connection was told: messages by their types, and control frames, put together from pieces. */
final class Told {
    final List<Control> controls = new ArrayList<>();
    private final List<Long> all = new ArrayList<>();
    private int beforeControls;
    private long whole;
    private byte[] cut = {};

    Told add(byte[] more) {
        ByteBuffer bytes = ByteBuffer.allocate(cut.length + more.length);
        bytes.put(cut).put(more).flip();
        while (bytes.remaining() >= 8 && bytes.remaining() >= 8 + bytes.getInt(bytes.position() + 4)) {
            int type = bytes.getInt();
            int length = bytes.getInt();
            if (ControlFrames.isControl(type)) {
                controls.add(new Control(type, bytes.slice(bytes.position(), length)));
            } else {
                all.add((long) type);
                whole += 8 + length;
            }
            beforeControls = controls.isEmpty() ? all.size() : beforeControls;
            bytes.position(bytes.position() + length);
        }
        cut = new byte[bytes.remaining()];
        bytes.get(cut);
        return this;
    }

    long count() {
        return all.size();
    }

    long bytes() {
        return whole + cut.length;
    }

    List<Long> messages() {
        return all.subList(beforeControls, all.size());
    }

    Control only(int type) {
        assertThat(controls).extracting(Control::type).containsExactly(type);
        return controls.get(0);
    }
}
