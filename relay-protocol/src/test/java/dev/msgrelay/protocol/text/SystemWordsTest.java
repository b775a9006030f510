package dev.msgrelay.protocol.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class SystemWordsTest {
    private static final SystemWords TURKISH = new SystemWords("İletişim tüneli koptu", "Girdi/Çıktı hatası");

    @Test
    void inTheLanguageAndInEnglish() {
        assertThat(TURKISH.tellClosedPipe(new IOException("İletişim tüneli koptu")))
                .isTrue();
        assertThat(TURKISH.tellClosedPipe(new IOException("Broken pipe"))).isTrue();
        assertThat(TURKISH.tellInputOutput(new IOException("Girdi/Çıktı hatası")))
                .isTrue();
        assertThat(TURKISH.tellInputOutput(new IOException("/a/b: Input/output error")))
                .isTrue();
    }

    @Test
    void whatIsNotKnownIsNothingElse() {
        SystemWords nothing = SystemWords.ENGLISH;
        for (SystemWords words : new SystemWords[] {nothing, TURKISH}) {
            IOException other = new IOException("Aygıt üzerinde boş yer kalmadı");
            assertThat(words.tellClosedPipe(other)).isFalse();
            assertThat(words.tellInputOutput(other)).isFalse();
            assertThat(words.tellClosedPipe(new IOException((String) null))).isFalse();
            assertThat(words.tellInputOutput(new IOException("Broken pipe"))).isFalse();
        }
    }

    /** In whatever language this runs: each has words, and they differ. */
    @Test
    void theyAreLearnedFromRealFaults() {
        SystemWords here = SystemWords.here();
        assertThat(here.closedPipe()).isNotBlank();
        assertThat(here.closedPipe()).isNotEqualTo(here.inputOutput());
    }
}
