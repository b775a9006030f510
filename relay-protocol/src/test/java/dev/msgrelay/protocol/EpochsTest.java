package dev.msgrelay.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client and a relay have in common, by their rows. */
class EpochsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # client               | relay               | epoch | changed | older
            2:61,1:1               | 3:61,1:1            | 1     | 61      | 1:1
            2:61,1:1               | 3:41,1:1            | 1     | 41      | 1:1
            2:41,1:1               | 3:61,1:1            | 1     | 41      | 1:1
            4:90,3:80,2:61,1:1     | 5:81,2:61,1:1       | 2     | 80      | 2:61,1:1
            4:90,3:80,2:61,1:1     | 6:95,5:70,2:61,1:1  | 2     | 70      | 2:61,1:1
            4:50,3:80,2:61,1:1     | 5:81,2:61,1:1       | 2     | 50      | 2:61,1:1
            9:5,1:1                | 1:1                 | 1     | 5       | 1:1
            """)
    void theLastLifeThatBothHave(String client, String relay, long epoch, long changed, String older) {
        assertThat(Epochs.parse(client).commonWith(Epochs.parse(relay)))
                .isEqualTo(new Epochs.Common(epoch, changed, Epochs.parse(older)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # now              | before              | changed
            1:1                | 1:1                 | 9223372036854775807
            2:9,1:1            | 1:1                 | 9
            3:9,2:5,1:1        | 1:1                 | 5
            3:61,1:1           | 2:71,1:1            | 61
            3:61,1:1           | 2:41,1:1            | 41
            1:1                | 2:7,1:1             | 7
            3:61               | 2:71,1:1            | 1
            """)
    void theFirstThatNeedNotBeTheSame(String now, String before, long changed) {
        assertThat(Epochs.parse(now).changedSince(Epochs.parse(before))).isEqualTo(changed);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            2:61,1:1   | 3:61,9:1
            2:61,1:1   | 2:61
            2:61       | 2:61,1:1
            2:61,1:1   | -
            -          | 3:61,1:1
            """)
    void nothingIsInCommon(String client, String relay) {
        assertThat(epochs(client).commonWith(epochs(relay))).isNull();
    }

    private static Epochs epochs(String text) {
        return text == null ? Epochs.NONE : Epochs.parse(text);
    }

    @Test
    void aWordForAFile() {
        Epochs rows = Epochs.parse("-9223372036854775808:9223372036854775807,7:1");
        assertThat(rows.text()).isEqualTo("-9223372036854775808:9223372036854775807,7:1");
        assertThat(rows.rows()).containsExactly(new Epochs.Row(Long.MIN_VALUE, Long.MAX_VALUE), new Epochs.Row(7, 1));
        assertThat(Epochs.NONE.text()).isEmpty();
        assertThat(Epochs.parse("")).isEqualTo(Epochs.NONE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "7",
                "7:",
                ":7",
                "7:0",
                "0:7",
                "7:1,",
                "1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1,1:1"
            })
    void whatIsNoneIsRefused(String text) {
        assertThatThrownBy(() -> Epochs.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
