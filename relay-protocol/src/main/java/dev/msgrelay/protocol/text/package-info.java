/**
 * Values as people write them on a command line or in a file: one parser each, for every program, whose errors name the
 * value and what is accepted; and numbers as people read them. Static methods without state: any thread.
 *
 * <pre>
 *  "500ms", "5s", "2m"   -- Durations --&gt; Duration      or what is wrong with the text, and what is accepted
 *  "65536", "64k", "4m"  -- Sizes -----&gt; bytes
 *  12345678              -- ShortText -&gt; "12.3 M"
 * </pre>
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.protocol.text;
