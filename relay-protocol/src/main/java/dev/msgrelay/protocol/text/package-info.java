/**
 * Parsers of values on command lines and in files, one for all programs, whose errors name the value and the accepted
 * forms; short forms of numbers for people; and small files. Static methods without state: any thread.
 *
 * <pre>
 *  "500ms", "5s", "2m"   -- Durations --&gt; Duration      or an error with the text and the accepted forms
 *  "65536", "64k", "4m"  -- Sizes -----&gt; bytes
 *  12345678              -- ShortText -&gt; "12.3 M"
 *  a file                -- TextFile --&gt; its text;       WholeFile replaces it, whatever ends meanwhile
 * </pre>
 *
 * <p><b>Public API.</b>
 */
package dev.msgrelay.protocol.text;
