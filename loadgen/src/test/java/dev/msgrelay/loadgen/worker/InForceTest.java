package dev.msgrelay.loadgen.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.msgrelay.loadgen.plan.Window;
import org.junit.jupiter.api.Test;

class InForceTest {
    private static final Window WINDOW = new Window(100, 180, 200);

    private final InForce inForce = new InForce();

    @Test
    void theRehearsalIsInForceForTheFirstHalfOfTheWarmUp() {
        assertThat(inForce.changes(Window.NONE, 90)).isFalse();
        assertThat(inForce.changes(WINDOW, 100)).isTrue();
        assertThat(inForce.window()).isEqualTo(new Window(100, 120, 140));
        assertThat(inForce.changes(WINDOW, 139)).isFalse();
        assertThat(inForce.changes(WINDOW, 140)).isTrue();
        assertThat(inForce.window()).isSameAs(WINDOW);
        assertThat(inForce.changes(WINDOW, 201)).isFalse();
    }

    @Test
    void withoutAWarmUpThereIsNoRehearsal() {
        Window cold = new Window(100, 100, 200);
        assertThat(inForce.changes(cold, 100)).isTrue();
        assertThat(inForce.window()).isSameAs(cold);
    }
}
